#!/usr/bin/env python3
"""Checks the form of the sources.

    check_style.py ROOT              # lines and files
    check_style.py ROOT --format     # runs clang-format; exits with 77 (skipped) when version 14 is not installed
    check_style.py ROOT --language   # counts of tools/language.py, against their limits"""
import pathlib
import re
import shutil
import subprocess
import sys

import language

FILE_LINES = 800
LINE_CHARACTERS = 120
C_FOLDERS = ("src", "include", "tests", "examples", "bench", "validate", "tools")
SKIPPED = 77


def tree(root, *suffixes):
    for folder in C_FOLDERS:
        for path in sorted((root / folder).glob("**/*")):
            if "data" in path.relative_to(root).parts:   # inputs of tests
                continue
            if path.suffix in suffixes and path.is_file():
                yield path


def complaints(path):
    text = path.read_bytes().decode("utf-8")
    lines = text.split("\n")
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end of the file"
    if text.endswith("\n\n"):
        yield len(lines) - 1, "blank line at the end of the file"
    if len(lines) - 1 > FILE_LINES:
        yield len(lines) - 1, f"more than {FILE_LINES} lines"
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "space at the end of the line"
        if len(line) > LINE_CHARACTERS:
            yield number, f"{len(line)} characters"


def conflicts(root):
    """Marks of a merge that nobody resolved, in any text that is in the repository's folders."""
    mark = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
    folders = [root / name for name in C_FOLDERS + ("docs", "configs", "experiments")]
    for path in sorted(root.glob("*.md")) + [p for folder in folders for p in sorted(folder.glob("**/*"))]:
        if path.suffix in (".c", ".h", ".def", ".cu", ".py", ".md", ".toml", ".txt", ".build", ".sh"):
            found = mark.search(path.read_text(encoding="utf-8", errors="replace"))
            if found:
                yield path, 1 + found.string.count("\n", 0, found.start())


def not_executable(root):
    """Scripts that name their interpreter, so that documents call them by their path, and that are not executable."""
    for path in tree(root, ".py", ".sh"):
        if path.read_bytes().startswith(b"#!") and not path.stat().st_mode & 0o100:
            yield path


def check_lines(root):
    bad = 0
    for path in not_executable(root):
        print(f"{path.relative_to(root)}: begins with #! and is not executable")
        bad += 1
    for path, number in conflicts(root):
        print(f"{path.relative_to(root)}:{number}: an unresolved merge")
        bad += 1
    for path in tree(root, ".c", ".h", ".def", ".cu", ".py"):
        for number, reason in complaints(path):
            print(f"{path.relative_to(root)}:{number}: {reason}")
            bad += 1
    return 1 if bad else 0


def check_format(root):
    for name in ("clang-format-14", "clang-format"):
        program = shutil.which(name)
        if program and re.search(r"version 14\.", subprocess.run([program, "--version"], text=True,
                                                                 capture_output=True).stdout):
            files = [str(path) for path in tree(root, ".c", ".h")]
            return subprocess.run([program, "--dry-run", "-Werror", "--ferror-limit=1"] + files).returncode and 1
    print("clang-format 14 was not found")
    return SKIPPED


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    if "--format" in arguments:
        return check_format(root)
    return language.check(root) if "--language" in arguments else check_lines(root)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
