#!/usr/bin/env python3
"""Follows every way of installation that the documents name, each in a clean root, and prints a line for each with its
time. Needs root, debootstrap and git.

    tools/routes.py [OPTION...] [ROUTE...]   # all routes without ROUTE
    --suite NAME      the distribution: bookworm (Debian 12) without it
    --components A,B  its components: main without it; Ubuntu's Meson is in universe
    --mirror URL      its mirror; debootstrap's own without it
    --folder FOLDER   where the roots are made: /var/tmp/subcore-routes; an empty root that is there is used again
    --cores N         the cores that a route may use; all without it
    --fast            builds without link-time optimisation, and keeps compiled objects for the next run (ccache)
    --list            names the routes

The sources are those of the last commit. Each root is one of debootstrap's smallest kind, in which `user` is an
ordinary user. Only root installs packages. A route that builds has make, git and the packages of tools/packages.sh. A
route that installs starts from a root without any of them."""
import argparse
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

SOURCES = pathlib.Path(__file__).resolve().parents[1]
HOME = "/home/user"
TREE = f"{HOME}/subcore"                     # the sources in a root
PREFIX = f"{HOME}/.local"
FAST = "-Dbuildtype=custom -Doptimization=2 -Ddebug=false -Db_ndebug=true"   # a release without -flto
INSTALLED = ("bin/subcore", "lib/*/subcore/libcuda.so.1", "share/man/man1/subcore.1", "share/man/man1/subcore-demo.1",
             "share/bash-completion/completions/subcore", "share/zsh/site-functions/_subcore",
             "share/fish/vendor_completions.d/subcore.fish")


class Failure(Exception):
    """A step of a route that did not succeed, or gave other output."""


class Root:
    """A clean Debian in a folder. `run` runs commands in it, as an ordinary user if not told otherwise."""

    def __init__(self, place, options, name):
        self.path, self.options = place / name, options
        if self.path.exists():
            self.unmount()
            shutil.rmtree(self.path)
        subprocess.run(["cp", "-a", place / "empty", self.path], check=True)
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        self.mount("-t", "proc", "proc", self.path / "proc")
        self.mount("-t", "tmpfs", "tmpfs", self.path / "dev/shm")
        if options.fast:
            (place / "ccache").mkdir(exist_ok=True)
            (place / "ccache").chmod(0o777)
            (self.path / "ccache").mkdir()
            self.mount("--bind", place / "ccache", self.path / "ccache")

    def mount(self, *words):
        subprocess.run(["mount", *map(str, words)], check=True)

    def unmount(self):
        """Takes away all mounts in the folder, those of earlier runs as well."""
        lines = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        for place in reversed([line.split()[1] for line in lines]):
            if place.startswith(f"{self.path.resolve()}/"):
                subprocess.run(["umount", place], check=True)

    def run(self, command, folder=HOME, user="user"):
        """Runs a command and returns its output."""
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                       "HOME": HOME if user == "user" else "/root", "SUBCORE_PROGRESS": "0"}
        if self.options.fast:
            environment |= {"OPTIONS": FAST, "CCACHE_DIR": "/ccache", "CCACHE_NOHASHDIR": "1", "CCACHE_UMASK": "000"}
        cores = [] if not self.options.cores else ["taskset", "-c", f"0-{self.options.cores - 1}"]
        script = f"cd {shlex.quote(folder)} && {command}"
        result = subprocess.run([*cores, "chroot", f"--userspec={user}:{user}", self.path, "/bin/bash", "-c", script],
                                env=environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if result.returncode:
            raise Failure(f"'{command}' exits with {result.returncode}:\n{result.stdout[-3000:]}")
        return result.stdout

    def install(self, *packages):
        """Installs packages of the distribution, as root."""
        self.run("export DEBIAN_FRONTEND=noninteractive; apt-get update && apt-get install -y --no-install-recommends "
                 + " ".join(packages), "/", "root")

    def copy(self, source, target):
        """Copies a file or folder from outside to a place in the root."""
        place = self.path / target.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", source, place], check=True)
        subprocess.run(["chown", "-R", "1000:1000", place], check=True)

    def clone(self, target=TREE):
        """Puts the sources of the last commit into the root."""
        place = self.path / target.lstrip("/")
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{SOURCES}", place], check=True)
        self.run(f"chown -R user:user {target}", "/", "root")


def empty_root(place, options):
    """Makes the root that all others are copies of."""
    root = place / "empty"
    note = root / "etc/subcore-routes"
    if note.exists() and note.read_text(encoding="utf-8") == options.suite:
        return
    shutil.rmtree(root, ignore_errors=True)
    words = ["debootstrap", "--variant=minbase", f"--components={options.components}", options.suite, root]
    words += [options.mirror] if options.mirror else []
    result = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        raise Failure(f"debootstrap exits with {result.returncode}:\n{result.stdout[-2000:]}")
    subprocess.run(["chroot", root, "useradd", "--create-home", "--uid", "1000", "user"], check=True)
    note.write_text(options.suite, encoding="utf-8")


def expect(found, wanted, name):
    if wanted not in found:
        raise Failure(f"{name}: '{wanted}' is not in\n{found[-2000:]}")


def in_order(lines, output, name):
    """Fails unless the output has the lines, in this order. "..." stands for any lines."""
    rest = iter(output.splitlines())
    for line in lines:
        if line.strip() not in ("", "...") and not any(line.rstrip() == got.rstrip() for got in rest):
            raise Failure(f"{name} does not print '{line}' there:\n{output[-3000:]}")


def report_of_readme():
    """The lines that README.md has below its first command, which `make demo` runs as well."""
    text = (SOURCES / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```console\n\$ build/subcore demo sgemm-register\n(.*?)```", text, re.S)
    if not found:
        raise Failure("README.md has no output of 'build/subcore demo sgemm-register'")
    return found[1].splitlines()


# Routes. A route is a function of the rooms: the root of the build, and a maker of roots without it.

def packages(rooms):
    """make packages, as root"""
    root = rooms.build
    root.install("make", "git", *(["ccache"] if root.options.fast else []))
    root.clone()
    root.run("git status", TREE)             # which refreshes git's notes of the files' owners
    root.run("make packages", TREE, "root")
    if root.run("make packages", TREE, "root").strip():
        raise Failure("'make packages' installs again what it has installed")


def demo(rooms):
    """make demo, its output beside README.md's"""
    in_order(report_of_readme(), rooms.build.run("make demo", TREE), "make demo")


def first(rooms):
    """make demo in a root of its own that has git and make only: the time from nothing to the first report"""
    root = rooms.clean("first")
    root.install("make", "git")
    steps = {"sources": root.clone,
             "packages": lambda: root.run("make packages", TREE, "root"),
             "build": lambda: root.run("make build", TREE),
             "report": lambda: in_order(report_of_readme(), root.run("make demo", TREE), "make demo")}
    return timed(steps)


def suite(rooms):
    """the tests of one suite, as CONTRIBUTING.md builds them"""
    passes(rooms.build, "sm", TREE, "subcore")


def readme(rooms):
    """the commands of README.md"""
    out = rooms.build.run("tools/check_commands.py . build README.md", TREE)
    if not re.search(r"README.md: [1-9]\d* commands, 0 not as the page has them", out):
        raise Failure(out)


def install(rooms):
    """make install, into a prefix of an ordinary user"""
    rooms.build.run(f"make install PREFIX={PREFIX}", TREE)
    used(rooms.build, f"{PREFIX}/bin/subcore")
    complete(rooms.build, PREFIX)


def dist(rooms):
    """make dist: the tarball builds, and its program and a suite of tests run"""
    root = rooms.build
    root.install("xz-utils")
    root.run("make dist", TREE)
    root.run(f"mkdir {HOME}/dist && tar -xJf build/meson-dist/subcore-*.tar.xz -C {HOME}/dist", TREE)
    tree = f"{HOME}/dist/{root.run(f'ls {HOME}/dist').strip()}"
    root.run("make build", tree)
    used(root, "build/subcore", tree)
    passes(root, "base", tree)


def deb(rooms):
    """make deb: the package installs in a root without compilers"""
    rooms.build.run("make deb", TREE)
    package, = (rooms.build.path / TREE[1:] / "build").glob("subcore_*.deb")
    root = rooms.clean("deb")
    root.copy(package, f"/tmp/{package.name}")
    report = lambda: in_order(report_of_readme(), root.run("subcore demo sgemm-register"), "subcore demo")
    seconds = timed({"installed": lambda: root.install(f"/tmp/{package.name}"), "report": report})
    used(root, "subcore")
    complete(root, "/usr")
    expect(root.run("dpkg -L subcore", "/", "root"), "/usr/bin/subcore", "dpkg -L subcore")
    return seconds


def wheel(rooms):
    """pip wheel . and pip install, in a fresh environment of a root without compilers"""
    root = rooms.build
    root.install("python3-venv")
    given = "SUBCORE_BUILD=build " if root.options.fast else ""
    root.run(f"python3 -m venv {HOME}/tools && {given}{HOME}/tools/bin/pip wheel . -w {HOME}/wheels", TREE)
    package, = (root.path / HOME[1:] / "wheels").glob("subcore-*.whl")
    clean = rooms.clean("wheel")
    clean.install("python3-venv", "libzstd1", "liblzma5", "zlib1g", "libinih1", "libcjson1")
    clean.copy(package, f"{HOME}/{package.name}")
    install_it = f"python3 -m venv fresh && fresh/bin/pip install --no-index ./{package.name}"
    seconds = timed({"installed": lambda: clean.run(install_it),
                     "report": lambda: clean.run("fresh/bin/subcore demo sgemm-register")})
    used(clean, "fresh/bin/subcore")
    expect(clean.run("fresh/bin/python3 -c 'import subcore; print(subcore.gpus())'"), "rtx-a6000", "subcore.gpus()")
    return seconds


def dockerfile(rooms):
    """the steps of Dockerfile, in clean roots for its images"""
    stages, root, folder = {}, None, "/"
    text = (SOURCES / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    for word, rest in re.findall(r"^([A-Z]+) +(.*)$", text, re.M):
        if word == "FROM":
            root = rooms.clean(f"docker{len(stages)}")
            stages[rest.split(" AS ")[-1]] = root
        elif word == "COPY" and rest.startswith("--from="):
            stage, source, target = re.match(r"--from=(\S+) (\S+) (\S+)", rest).groups()
            subprocess.run(["cp", "-aT", stages[stage].path / source[1:], root.path / target[1:]], check=True)
        elif word == "COPY":
            root.clone(rest.split()[1])
            root.run(f"chown -R root:root {rest.split()[1]}", "/", "root")
        elif word == "WORKDIR":
            folder = rest
        elif word == "RUN":
            root.run(rest, folder if (root.path / folder[1:]).exists() else "/", "root")
    used(root, "subcore", "/", "root")


def arm(rooms):
    """the commands for 64-bit Arm, and the program under qemu-user (Debian 13: --suite trixie)"""
    root = rooms.clean("arm")
    root.install("git", *(["ccache"] if root.options.fast else []))
    root.clone()
    text = (SOURCES / "docs/dependencies.md").read_text(encoding="utf-8")
    block = re.search(r"^## 64-bit Arm\n.*?^```sh[^\n]*\n(.*?)^```", text, re.S | re.M)
    if not block:
        raise Failure("docs/dependencies.md has no commands for 64-bit Arm")
    for command in re.sub(r"\\\n *", "", block[1]).splitlines():
        installs = command.startswith(("dpkg ", "apt-get ", "tools/packages.sh"))
        command = re.sub("^apt-get install", "apt-get install -y --no-install-recommends", command)
        root.run(f"export PATH=/usr/lib/ccache:$PATH; {command}", TREE, "root" if installs else "user")
    used(root, "qemu-aarch64 -L /usr/aarch64-linux-gnu build-arm/subcore", TREE)


def timed(steps):
    """Does the steps in order. Returns the time of each, and its processor time, in words."""
    words = []
    for name, step in steps.items():
        begin, worked = time.monotonic(), processor_time()
        step()
        words.append(f"{name} {time.monotonic() - begin:.1f} s ({processor_time() - worked:.1f} s of processor time)")
    return ", ".join(words)


def processor_time():
    """The seconds that ended child processes have worked."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def passes(root, name, folder, *targets):
    """Builds a suite of tests and fails unless all of it passes."""
    out = root.run("tools/build.py build-test -Dbuildtype=debugoptimized -Dwerror=true -- "
                   f"{' '.join([*targets, 'test-' + name])} && "
                   f"meson test -C build-test --no-rebuild --suite {name}", folder)
    if not re.search(r"Ok: +[1-9]", out) or not re.search(r"Fail: +0", out):
        raise Failure(out[-2000:])


def used(root, program, folder=HOME, user="user"):
    """Fails unless the program simulates, and names its version."""
    expect(root.run(f"{program} version", folder, user), "0.1.0", f"{program} version")
    expect(root.run(f"{program} demo vecadd --gpu rtx-a6000", folder, user), "Elapsed Cycles", f"{program} demo")


def complete(root, prefix):
    """Fails unless an installation has its man pages, and completions that bash can load."""
    for name in INSTALLED:
        root.run(f"test -s {prefix}/{name}")
    bash = f"source {prefix}/share/bash-completion/completions/subcore && complete -p subcore"
    expect(root.run(bash), "subcore", bash)


ROUTES = (packages, demo, suite, readme, install, dist, deb, wheel, dockerfile, first, arm)
BUILDS = (packages, demo)                    # every other route but those of ALONE has these before it
ALONE = (dockerfile, first, arm)             # routes with their own roots


class Rooms:
    """The roots of a run."""

    def __init__(self, options):
        self.place, self.options, self.roots = pathlib.Path(options.folder), options, []
        self.place.mkdir(parents=True, exist_ok=True)
        empty_root(self.place, options)
        self.build = self.clean("build")

    def clean(self, name):
        """A new root."""
        self.roots.append(Root(self.place, self.options, name))
        return self.roots[-1]

    def close(self):
        for root in self.roots:
            root.unmount()


def follow(rooms, route):
    """Follows a route and prints its line. Returns whether it led to its end."""
    begin, note, problem = time.monotonic(), None, None
    try:
        note = route(rooms)
    except (Failure, subprocess.CalledProcessError, ValueError) as failure:
        problem = str(failure)
    seconds = time.monotonic() - begin
    print(f"{'FAILED' if problem else 'ok':7}{seconds:7.0f} s  {route.__name__:11}{route.__doc__}", flush=True)
    if note:
        print(f"{'':18}{note}", flush=True)
    if problem:
        print(problem, flush=True)
    return not problem


def follow_all(rooms, routes):
    """Whether all routes lead to their ends. Without a build, only those of ALONE are followed."""
    failed = []
    for route in routes:
        if set(failed) & set(BUILDS) and route not in ALONE:
            print(f"not run          {route.__name__:11}{route.__doc__}", flush=True)
        elif not follow(rooms, route):
            failed.append(route)
    return not failed


def chosen(names):
    """The routes to follow, with the ones before them."""
    if not names:
        return ROUTES
    unknown = set(names) - {route.__name__ for route in ROUTES}
    if unknown:
        sys.exit(f"routes.py: no route '{min(unknown)}'; --list names them")
    before = () if set(names) <= {route.__name__ for route in ALONE} else BUILDS
    return tuple(route for route in ROUTES if route.__name__ in names or route in before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("routes", nargs="*", metavar="ROUTE")
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--components", default="main")
    parser.add_argument("--mirror")
    parser.add_argument("--folder", default="/var/tmp/subcore-routes")
    parser.add_argument("--cores", type=int)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    routes = chosen(options.routes)
    if options.list:
        print("\n".join(f"{route.__name__:11}{route.__doc__}" for route in routes))
        return 0
    try:
        rooms = Rooms(options)
    except Failure as failure:
        sys.exit(f"routes.py: {failure}")
    try:
        good = follow_all(rooms, routes)
    finally:
        rooms.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
