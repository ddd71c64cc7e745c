#!/usr/bin/env python3
"""The PEP 517 backend of pyproject.toml: `pip wheel .` and `pip install .` build a wheel that has the simulator and the
libraries that CUDA programs load. With SUBCORE_BUILD in the environment a build folder that exists is used."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIBRARIES = ["libcuda.so.1", "libcudart.so.13", "libcudart.so.12", "libcublas.so.13", "libcublas.so.12",
             "libcublasLt.so.13", "libcublasLt.so.12", "libcusolver.so.12", "libcusolver.so.11", "libcudnn.so.9",
             "libcufft.so.12", "libcufft.so.11", "libcusparse.so.12", "libcurand.so.10", "libnccl.so.2",
             "libcupti.so.13", "libcupti.so.12"]


def version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]


def tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def build(folder):
    """Returns the build folder, with everything that the wheel has."""
    build_folder = os.environ.get("SUBCORE_BUILD")
    if not build_folder:
        build_folder = str(pathlib.Path(folder) / "build")
        subprocess.run(["meson", "setup", build_folder, str(ROOT), "-Dtests=false"], check=True)
    targets = ["subcore", *(f"lib/{name}" for name in LIBRARIES)]
    subprocess.run(["ninja", "-C", build_folder, *targets], check=True)
    return pathlib.Path(build_folder)


class Wheel:
    """A wheel that is being written: its files have the same dates and order in each build."""

    def __init__(self, path):
        self.zip, self.record = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []

    def add(self, name, data, mode=0o644):
        data = data.encode() if isinstance(data, str) else data
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, information):
        self.zip.writestr(zipfile.ZipInfo(f"{information}/RECORD"),
                          "\n".join([*self.record, f"{information}/RECORD,,", ""]))
        self.zip.close()


def metadata():
    return f"Metadata-Version: 2.1\nName: subcore\nVersion: {version()}\n" \
           "Summary: A cycle-level simulator of NVIDIA GPUs\nLicense: Apache-2.0\nRequires-Python: >=3.9\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel, and returns its file name. The parameters are those of PEP 517."""
    information, name = f"subcore-{version()}.dist-info", f"subcore-{version()}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as folder:
        built = build(folder)
        wheel = Wheel(pathlib.Path(wheel_directory) / name)
        for path in sorted((ROOT / "python" / "subcore").glob("*.*")):
            wheel.add(f"subcore/{path.name}", path.read_bytes())
        wheel.add("subcore/bin/subcore", (built / "subcore").read_bytes(), 0o755)
        for library in LIBRARIES:
            wheel.add(f"subcore/bin/lib/{library}", (built / "lib" / library).read_bytes(), 0o755)
    wheel.add(f"{information}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{information}/METADATA", metadata())
    wheel.add(f"{information}/WHEEL", f"Wheel-Version: 1.0\nGenerator: subcore\nRoot-Is-Purelib: false\nTag: {tag()}\n")
    wheel.add(f"{information}/entry_points.txt", "[console_scripts]\nsubcore = subcore.__main__:main\n")
    wheel.close(information)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the sources of the last commit, and returns the archive's name."""
    name = f"subcore-{version()}"
    subprocess.run(["git", "-C", str(ROOT), "archive", "--format=tar.gz", f"--prefix={name}/",
                    "-o", str(pathlib.Path(sdist_directory).resolve() / f"{name}.tar.gz"), "HEAD"], check=True)
    return f"{name}.tar.gz"
