#!/usr/bin/env python3
"""tools/packages.sh under package managers of our own. SUBCORE_ROOT is the repository."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ["SUBCORE_ROOT"])
sys.path.append(str(ROOT / "tests" / "cli"))
from harness import main  # pylint: disable=wrong-import-position

HAVE = "#!/bin/sh\n"
RPM = '#!/bin/sh\ncase "$*" in *gcc*|*zlib*) exit 0;; esac\nexit 1\n'          # these two are installed
INSTALLER = '#!/bin/sh\necho "$0 $*" >> "$LOG"\n'


def script(folder, programs, *arguments):
    """What the script prints and what it has called, where only these programs are."""
    for name in ("sh", "id", "env", "basename"):
        (folder / name).symlink_to(shutil.which(name))
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (folder / "sudo").write_text('#!/bin/sh\n"$@"\n')
    (folder / "sudo").chmod(0o755)
    log = folder / "log"
    done = subprocess.run([folder / "sh", ROOT / "tools" / "packages.sh", *arguments], text=True, check=False,
                          capture_output=True, env={"PATH": str(folder), "LOG": str(log)})
    return done, log.read_text().replace(f"{folder}/", "") if log.exists() else ""


def test_fedora_installs_the_missing_packages_in_one_call(folder: pathlib.Path):
    done, called = script(folder, {"dnf": INSTALLER, "rpm": RPM})
    assert done.returncode == 0, done
    assert called.startswith("dnf install -y glibc-devel meson ninja-build ") and called.count("\n") == 1, called
    assert "pkgconfig(inih)" in called and "zlib" not in called and " gcc" not in called, called


def test_opensuse_installs_the_missing_packages_in_one_call(folder: pathlib.Path):
    done, called = script(folder, {"zypper": INSTALLER, "rpm": RPM})
    assert done.returncode == 0, done
    assert called.startswith("zypper --non-interactive install glibc-devel meson ninja "), called
    assert called.count("\n") == 1, called


def test_arch_installs_the_missing_packages_in_one_call(folder: pathlib.Path):
    pacman = '#!/bin/sh\ncase "$1 $2" in "-Qq gcc") exit 0;; -Qq*) exit 1;; esac\n' + INSTALLER[10:]
    done, called = script(folder, {"pacman": pacman})
    assert done.returncode == 0, done
    assert called.startswith("pacman -S --needed --noconfirm glibc meson ") and called.count("\n") == 1, called


def test_names_that_were_not_tried_come_with_a_note(folder: pathlib.Path):
    done, _ = script(folder, {"dnf": INSTALLER, "rpm": RPM})
    assert "were not tried on this system" in done.stderr, done


def test_debian_s_names_come_without_a_note(folder: pathlib.Path):
    done, called = script(folder, {"dpkg-query": "#!/bin/sh\nexit 1\n", "apt-get": INSTALLER})
    assert done.returncode == 0 and not done.stderr, done
    assert called.startswith("apt-get install -y --no-install-recommends gcc libc6-dev meson "), called


def test_nothing_is_called_if_nothing_is_missing(folder: pathlib.Path):
    done, called = script(folder, {"dnf": INSTALLER, "rpm": HAVE})
    assert (done.returncode, done.stdout, called) == (0, "", ""), (done, called)


def test_an_installation_that_fails_is_an_error_with_the_names(folder: pathlib.Path):
    done, _ = script(folder, {"dnf": "#!/bin/sh\nexit 1\n", "rpm": RPM})
    assert done.returncode == 1 and "Could not install: glibc-devel" in done.stderr, done


def test_without_a_known_package_manager_the_names_are_told(folder: pathlib.Path):
    done, _ = script(folder, {})
    assert done.returncode == 0 and "libinih-dev" in done.stderr, done


def test_each_library_of_the_build_is_in_the_list_of_rpm_distributions(folder: pathlib.Path):
    wanted = re.findall(r"dependency\('(\w+)'", (ROOT / "meson.build").read_text())
    listed = script(folder, {"dnf": INSTALLER, "rpm": RPM}, "--list")[0].stdout
    missing = [name for name in wanted if name != "threads" and f"pkgconfig({name})" not in listed]
    assert wanted and not missing, missing


if __name__ == "__main__":
    main(globals())
