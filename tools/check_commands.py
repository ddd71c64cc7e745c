#!/usr/bin/env python3
"""Runs the commands that README.md and docs print, and compares their output with the page.

    tools/check_commands.py ROOT BUILD [PAGE...]   # all pages without PAGE; BUILD has the program `subcore`
    tools/check_commands.py ROOT BUILD --resume [PAGE...]   # goes on after an interruption
    tools/check_commands.py ROOT BUILD --write PAGE...   # writes the output as it comes into the pages
    tools/check_commands.py ROOT BUILD --list      # runs nothing; counts the commands of each page

The commands of a page run in order, in one empty folder that has the names of the repository's folders. They stand in
blocks with a language:

    ```console           "$ " begins a command, and a backslash at the end of a line continues it. The other lines are
                         its output, and have to be the same. "..." stands for any lines. Lines about the host's time
                         ("Simulated in ...") may have other numbers. A command that shows no output may print some.
    ```sh                each line is a command that has to succeed.
    ```cuda FILE         the block is written into FILE; so with c, toml, python, sass and text

A command fails when its exit status is not 0, or not N behind "# exits with N". Words behind the language of a block:
"needs=PROGRAM" names a program or a Python module that may be missing, and the rest of the page is skipped then. With
"alone-needs=PROGRAM" only the block itself is skipped. "run=no why=REASON" is for commands that cannot run here, and
REASONS below lists the reasons. Blocks marked "slow" run with SUBCORE_FULL in the environment only. A line
"<!-- run: COMMAND -->" is a command that readers do not see, such as one that makes a file.

BUILD/commands.tsv keeps a row for each command that passed, with its time. --resume does not run those commands again
that passed with the same program and left no file behind."""
import collections
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LINKS = ("docs", "examples", "tests", "experiments", "configs", "tools", "validate", "src", "python")   # named by pages
FILES = ("c", "cuda", "toml", "python", "sass", "text")
HOST = re.compile(r"Simulated in|Executed in|simulated in|warp instructions/s| s$")   # lines with the host's time
SECONDS = int(os.environ.get("SUBCORE_SECONDS", "1200"))   # of a command; more on a machine that is busy
REASONS = {                             # of "run=no why=REASON"
    "build": "builds the project, runs its whole test suite, or changes the checkout",
    "card": "needs the GPU or files that only it gives",
    "file": "names a file of the reader",
    "long": "takes longer than a check may, 20 minutes",
    "install": "installs packages, from the network or as root",
    "tool": "needs a program that is not in the list of docs/dependencies.md",
}
COPY = "<!-- commands: in a copy of the sources -->"   # the first line of a page that changes the sources


class Missing(Exception):
    """A program that a command needs is not installed."""


def blocks_of(text):
    """(line, words behind the fence, lines) of each block with a language."""
    lines, number = text.split("\n"), 0
    while number < len(lines):
        hidden = re.match(r"<!-- run: (.*) -->$", lines[number])
        if hidden:
            yield number + 1, ["sh"], [hidden[1]]
        elif re.match(r"```\w", lines[number]):
            end = next(n for n in range(number + 1, len(lines)) if lines[n].startswith("```"))
            yield number + 1, lines[number][3:].split(), lines[number + 1:end]
            number = end
        elif lines[number].startswith("```"):
            number = next(n for n in range(number + 1, len(lines)) if lines[n].startswith("```"))
        number += 1


def runs(words):
    """Whether the commands of a block run."""
    return "run=no" not in words and ("slow" not in words or bool(os.environ.get("SUBCORE_FULL")))


def listed(words, lines):
    """The commands of a block, each as one text."""
    if words[0] == "console":
        return [command for command, _ in commands_of(lines)]
    return scripts_of(lines) if words[0] == "sh" else []


def commands_of(lines):
    """[command, its output] of a console block."""
    commands = []
    continued = False
    for line in lines:
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif continued:
            commands[-1][0] += "\n" + line
        elif commands:
            commands[-1][1].append(line)
        else:
            raise ValueError(f"the block begins with output: {line}")
        continued = line.endswith("\\") and not commands[-1][1]
    return commands


def scripts_of(lines):
    """The commands of a sh block."""
    commands = []
    for line in lines:
        if commands and commands[-1].endswith("\\"):
            commands[-1] += "\n" + line
        elif line.strip() and not line.startswith("#"):
            commands.append(line)
    return commands


def same(wanted, got):
    """Whether a line of the page stands for a line of output."""
    if wanted.rstrip() == got.rstrip():
        return True
    mask = r"[\d.,]+ ?(?:[KMGT]i?B?|ms|us|s|min)?\b"
    return bool(HOST.search(wanted)) and re.sub(mask, "N", wanted.rstrip()) == re.sub(mask, "N", got.rstrip())


def matches(wanted, got):
    """Whether output is as the page has it."""
    if not wanted:
        return not got
    if wanted[0].strip() == "...":
        return any(matches(wanted[1:], got[n:]) for n in range(len(got) + 1))
    return bool(got) and same(wanted[0], got[0]) and matches(wanted[1:], got[1:])


def difference(wanted, got):
    """The first lines that are not alike."""
    for number, line in enumerate(got):
        if number >= len(wanted) or not same(wanted[number], line):
            return f"expected '{wanted[number] if number < len(wanted) else '(the end)'}', got '{line}'"
    return f"expected '{wanted[len(got)]}', got the end" if len(wanted) > len(got) else "another order of lines"


class Journal:
    """The commands that passed, and their times, in a file of the build folder."""

    def __init__(self, path=None, program=None, resume=False):
        self.path, self.resume = path, resume
        self.program = hashlib.sha256(program.read_bytes()).hexdigest() if program and program.is_file() else ""
        self.passed, self.seconds = set(), {}
        for line in path.read_text(encoding="utf-8").splitlines() if path and path.is_file() else []:
            key, command, seconds, left = line.split("\t")[:4]
            self.seconds[command] = float(seconds)
            if left == "no files":
                self.passed.add(key)

    def key(self, page, command, wanted):
        return hashlib.sha256("\0".join([self.program, page, command, *wanted]).encode()).hexdigest()[:16]

    def has(self, page, command, wanted):
        """Whether --resume may pass over a command."""
        return self.resume and self.key(page, command, wanted) in self.passed

    def add(self, page, command, wanted, seconds, left):
        self.seconds[name_of(page, command)] = seconds
        if self.path:
            row = [self.key(page, command, wanted), name_of(page, command), f"{seconds:.1f}"]
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\t".join(row + ["files" if left else "no files", command.splitlines()[0]]) + "\n")


def name_of(page, command):
    """The name of a command in the journal, whatever the program."""
    return hashlib.sha256(f"{page}\0{command}".encode()).hexdigest()[:16]


class Progress:
    """Says on standard error where a long check is, and how long the rest took the last time."""

    def __init__(self, journal, names):
        self.journal, self.names, self.begin = journal, collections.Counter(names), time.monotonic()
        self.all = len(names)

    def before(self, page, line, command):
        name = name_of(page, command)
        left = sum(self.journal.seconds.get(n, 0) * count for n, count in self.names.items())
        unknown = sum(count for n, count in self.names.items() if n not in self.journal.seconds)
        if self.journal.seconds.get(name, 60) >= 5:
            done = self.all - self.names.total()
            print(f"{page}:{line}: {command.splitlines()[0][:60]} ({done} of {self.all} commands done, about "
                  f"{left / 60:.0f} min left{f', {unknown} of unknown length' if unknown else ''})",
                  file=sys.stderr, flush=True)
        self.names[name] -= 1


class Page:
    """A page whose commands run in a folder."""

    def __init__(self, root, build, path, journal=None, progress=None):
        self.root, self.path, self.failed, self.ran, self.passed_over = root, path, 0, 0, 0
        self.name = str(path.relative_to(root))
        self.journal, self.progress = journal or Journal(), progress
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="subcore-page-"))
        if path.read_text(encoding="utf-8").startswith(COPY):
            self.copy()
        else:
            for name in LINKS:
                (self.folder / name).symlink_to(root / name)
        (self.folder / "build").symlink_to(build)
        path = f"{build}:{os.environ['PATH']}:/usr/local/cuda/bin"
        self.environment = dict(os.environ, PATH=path, SUBCORE_PROGRESS="0")
        self.environment.pop("SUBCORE_ROOT", None)

    def copy(self):
        """Copies the sources, which the page changes."""
        listed = subprocess.run(["git", "ls-files"], cwd=self.root, text=True, capture_output=True, check=True)
        for name in listed.stdout.splitlines():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / name, self.folder / name, follow_symlinks=False)

    def complain(self, line, text):
        print(f"{self.name}:{line}: {text}", flush=True)
        self.failed += 1

    def files(self):
        """The files that commands have left, and when each was written."""
        found = [path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink()]
        return {(str(path), path.stat().st_mtime_ns) for path in found}

    def run(self, command):
        """(exit status, output) of a command."""
        for name, value in re.findall(r"^export (\w+)=(\S*)$", command, re.M):
            self.environment[name] = value
        with subprocess.Popen(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                out, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return 124, [f"no end within {SECONDS} s"]
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return process.returncode, out.rstrip("\n").split("\n") if out.strip() else []

    def check(self, line, command, wanted):
        if self.progress:
            self.progress.before(self.name, line, command)
        self.ran += 1
        if self.journal.has(self.name, command, wanted):
            self.passed_over += 1
            return
        status = re.search(r"# exits with (\d+)", command)
        before, begin = self.files(), time.monotonic()
        code, got = self.run(command)
        seconds = time.monotonic() - begin
        if os.environ.get("SUBCORE_TIMES"):
            print(f"# {seconds:6.1f} s  {command.splitlines()[0]}", flush=True)
        if code != (int(status[1]) if status else 0):
            self.complain(line, f"'{command}' exits with {code}: {' / '.join(got[-2:])}")
        elif wanted and not matches(wanted, got):
            self.complain(line, f"'{command}': {difference(wanted, got)}")
        else:
            left = self.files() != before or command.startswith(("export ", "rm ", "sed -i", "cd "))
            self.journal.add(self.name, command, wanted, seconds, left)

    def has(self, program):
        """Whether a program, or a module of Python, is installed. nvcc has to be that of CUDA 13.0."""
        module, _, version = program.partition("==")
        command = f"command -v {program} || python3 -c 'import {module}'"
        if program == "nvcc":
            command = "nvcc --version | grep -q 'release 13.0'"
        elif version:
            command = f"test $(python3 -c 'import {module}; print({module}.__version__)') = {version}"
        return self.run(command)[0] == 0

    def need(self, program):
        """Raises Missing if a program or a module of Python is not installed."""
        if not self.has(program):
            raise Missing(program)

    def takes(self, line, words):
        """Whether a block runs, with a line for one whose program is missing."""
        if "run=no" in words and not any(f"why={reason}" in words for reason in REASONS):
            self.complain(line, f"run=no needs why=REASON, one of {', '.join(REASONS)}")
        if not runs(words):
            return False
        for word in words[1:]:
            if word.startswith("needs="):
                self.need(word[6:])
            if word.startswith("alone-needs=") and not self.has(word[12:]):
                print(f"{self.name}:{line}: this block is skipped: no {word[12:]}")
                return False
        return True

    def block(self, line, words, lines):
        if not self.takes(line, words):
            return
        if words[0] in FILES and len(words) > 1:
            (self.folder / words[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
        elif words[0] == "console":
            for command, wanted in commands_of(lines):
                while wanted and not wanted[-1].strip():
                    wanted.pop()
                self.check(line, command, wanted)
        elif words[0] == "sh":
            for command in scripts_of(lines):
                self.check(line, command, [])

    def all(self):
        try:
            for line, words, lines in blocks_of(self.path.read_text(encoding="utf-8")):
                self.block(line, words, lines)
        except Missing as missing:
            print(f"{self.name}:{line}: skipped from here on: no {missing}")
        finally:
            shutil.rmtree(self.folder)


def written(page):
    """The text of the page with the output of its commands as it comes. "..." stays where it stands."""
    text = page.path.read_text(encoding="utf-8")
    try:
        for line, words, lines in list(blocks_of(text)):
            if words[0] != "console":
                page.block(line, words, lines)
            if words[0] != "console" or not page.takes(line, words):
                continue
            new = []
            for command, wanted in commands_of(lines):
                _, got = page.run(command)
                keep = not wanted or matches(wanted, got) or any(line.strip() == "..." for line in wanted)
                new += ("$ " + command).split("\n") + (wanted if keep else got)
            text = text.replace("\n".join(lines), "\n".join(new), 1)
    finally:
        shutil.rmtree(page.folder)
    return text


def list_pages(root, paths):
    """Prints for each page how many commands run always, in the slow form, and not at all, by reason."""
    total = collections.Counter()
    for path in paths:
        count = collections.Counter()
        for _, words, lines in blocks_of(path.read_text(encoding="utf-8")):
            reason = next((word[4:] for word in words if word.startswith("why=")), "no reason")
            kind = f"not run: {reason}" if "run=no" in words else "slow" if "slow" in words else "quick"
            count[kind] += len(listed(words, lines))
        total += count
        if count.total():
            print(f"{path.relative_to(root)}: " + ", ".join(f"{n} {kind}" for kind, n in sorted(count.items()) if n))
    print("all: " + ", ".join(f"{n} {kind}" for kind, n in sorted(total.items())))
    print("\n".join(f"{name}: {sentence}" for name, sentence in REASONS.items()))
    return 0


def check_pages(root, build, paths, resume, named):
    """0 if all commands of the pages pass."""
    journal = Journal(build / "commands.tsv", build / "subcore", resume)
    progress = None
    if os.environ.get("SUBCORE_FULL"):
        progress = Progress(journal, [name_of(path.relative_to(root), command) for path in paths
                                      for _, words, lines in blocks_of(path.read_text(encoding="utf-8")) if runs(words)
                                      for command in listed(words, lines)])
    failed = 0
    for path in paths:
        page = Page(root, build, path, journal, progress)
        page.all()
        failed += page.failed
        if page.ran or named:
            before = f", {page.passed_over} of them before" if page.passed_over else ""
            print(f"{page.name}: {page.ran} commands{before}, {page.failed} not as the page has them", flush=True)
    return 1 if failed else 0


def main(arguments):
    root, build = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve()
    names = [name for name in arguments[2:] if not name.startswith("--")]
    first = [root / "README.md", root / "CONTRIBUTING.md", root / "ARCHITECTURE.md"]
    paths = [root / name for name in names] or first + sorted((root / "docs").rglob("*.md"))
    if "--list" in arguments:
        return list_pages(root, paths)
    if "--write" in arguments:
        for path in paths:
            path.write_text(written(Page(root, build, path)), encoding="utf-8")
        return 0
    try:
        return check_pages(root, build, paths, "--resume" in arguments, bool(names))
    except KeyboardInterrupt:
        print("interrupted; --resume goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
