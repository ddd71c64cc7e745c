#!/usr/bin/env python3
"""Runs the commands that README.md and docs print, and compares their output with the page.

    tools/check_commands.py ROOT BUILD [PAGE...]   # all pages without PAGE; BUILD has the program `subcore`
    tools/check_commands.py ROOT BUILD --write PAGE...   # writes the output as it comes into the pages

The commands of a page run in order, in one empty folder that has the names of the repository's folders. They stand in
blocks with a language:

    ```console           "$ " begins a command, and a backslash at the end of a line continues it. The other lines are
                         its output, and have to be the same. "..." stands for any lines. Lines about the host's time
                         ("Simulated in ...") may have other numbers. A command that shows no output may print some.
    ```sh                each line is a command that has to succeed.
    ```cuda FILE         the block is written into FILE; so with c, toml, python, sass and text

A command fails when its exit status is not 0, or not N behind "# exits with N". Words behind the language of a block:
"needs=PROGRAM" names a program or a Python module that may be missing, and the rest of the page is skipped then. With
"alone-needs=PROGRAM" only the block itself is skipped. "run=no" is for commands that need more than this machine has,
or a file of the reader. Blocks marked "slow" run with SUBCORE_FULL in the environment only. A line
"<!-- run: COMMAND -->" is a command that readers do not see, such as one that makes a file."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

LINKS = ("examples", "tests", "experiments", "configs", "tools", "validate", "src")   # a page names files of these
FILES = ("c", "cuda", "toml", "python", "sass", "text")
HOST = re.compile(r"Simulated in|Executed in|simulated in|warp instructions/s| s$")   # lines with the host's time
SECONDS = 1200
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


class Page:
    """A page whose commands run in a folder."""

    def __init__(self, root, build, path):
        self.root, self.path, self.failed, self.ran = root, path, 0, 0
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
        print(f"{self.path.relative_to(self.root)}:{line}: {text}")
        self.failed += 1

    def run(self, command):
        """(exit status, output) of a command."""
        for name, value in re.findall(r"^export (\w+)=(\S*)$", command, re.M):
            self.environment[name] = value
        result = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        return result.returncode, result.stdout.rstrip("\n").split("\n") if result.stdout.strip() else []

    def check(self, line, command, wanted):
        status = re.search(r"# exits with (\d+)", command)
        begin = time.monotonic()
        code, got = self.run(command)
        self.ran += 1
        if os.environ.get("SUBCORE_TIMES"):
            print(f"# {time.monotonic() - begin:6.1f} s  {command.splitlines()[0]}", flush=True)
        if code != (int(status[1]) if status else 0):
            self.complain(line, f"'{command}' exits with {code}: {' / '.join(got[-2:])}")
        elif wanted and not matches(wanted, got):
            self.complain(line, f"'{command}': {difference(wanted, got)}")
        return got

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

    def block(self, line, words, lines):
        if "run=no" in words or "slow" in words and not os.environ.get("SUBCORE_FULL"):
            return
        for word in words[1:]:
            if word.startswith("needs="):
                self.need(word[6:])
            if word.startswith("alone-needs=") and not self.has(word[12:]):
                print(f"{self.path.relative_to(self.root)}:{line}: this block is skipped: no {word[12:]}")
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
            print(f"{self.path.relative_to(self.root)}:{line}: skipped from here on: no {missing}")
        finally:
            shutil.rmtree(self.folder)


def written(page):
    """The text of the page with the output of its commands as it comes. "..." stays where it stands."""
    text = page.path.read_text(encoding="utf-8")
    try:
        for _, words, lines in list(blocks_of(text)):
            if words[0] != "console":
                page.block(0, words, lines)
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


def main(arguments):
    root, build = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve()
    names = [name for name in arguments[2:] if not name.startswith("--")]
    paths = [root / name for name in names] or [root / "README.md"] + sorted((root / "docs").rglob("*.md"))
    failed = 0
    for path in paths:
        page = Page(root, build, path)
        if "--write" in arguments:
            path.write_text(written(page), encoding="utf-8")
            continue
        page.all()
        failed += page.failed
        if page.ran or names:
            print(f"{path.relative_to(root)}: {page.ran} commands, {page.failed} not as the page has them", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
