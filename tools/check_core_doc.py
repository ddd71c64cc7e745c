#!/usr/bin/env python3
"""docs/core.md and docs/memory.md name files, keys, tests and experiments: each must exist.

Usage: check_core_doc.py ROOT [--several]; with --several it lists the rules for which several files are named before
their tests, instead of the one file that tells the rule."""
import re
import sys
from pathlib import Path


def keys_of(root):
    """section.field of every option."""
    keys, section = set(), None
    for line in (root / "src/config/options.def").read_text(encoding="utf-8").splitlines():
        begin = re.match(r"#define CONFIG_([A-Z0-9]+)\(UINT", line)
        section = begin.group(1).lower() if begin else section
        span = re.match(r"\s+SPAN\(UINT, REAL, (\w+)", line)   # two keys
        if span and section:
            keys |= {f"{section}.{span.group(1)}_{unit}" for unit in ("ns", "ck")}
        field = re.match(r"\s+(?:UINT|REAL|BOOL|TEXT|ENUM)\((\w+)", line)
        if field and section:
            keys.add(f"{section}.{field.group(1)}")
    return keys


def wrong_test(root, suite, file, name):
    path = root / "tests" / suite / f"{file}.c"
    return not path.is_file() or f"static void {name}(void **state)" not in path.read_text(encoding="utf-8")


DOCUMENTS = {"docs/core.md": "sm", "docs/memory.md": "mem"}  # folder of files and tests that need none to be named


def check(root, document, folder):
    text = (root / document).read_text(encoding="utf-8")
    sections = re.sub(r"```.*?```", "", text, flags=re.S)
    keys = keys_of(root)
    names = re.findall(r"`([^`]+)`", sections)
    for name in names:
        test = re.fullmatch(r"(?:(\w+)/)?(\w+): (\w+)", name)
        if test:
            suite, file, case = test.groups()
            if test.group(0) != "file: name" and wrong_test(root, suite or folder, file, case):
                yield f"there is no test '{name}'"
        elif re.fullmatch(r"[\w/]+\.(c|h|py)", name):
            if not (root / name).is_file() and not any((root / "src" / folder).rglob(name)):
                yield f"there is no file '{name}'"
        elif re.fullmatch(r"[a-z0-9]+\.[a-z0-9_*]+", name):
            pattern = name.replace(".", r"\.").replace("*", r"\w+")
            if not any(re.fullmatch(pattern, key) for key in keys):
                yield f"there is no key '{name}'"
    for group in re.findall(r"experiments?\s+((?:`[\w-]+`[,\s]*(?:\(all \d+ \w+\))?)+)", sections):
        for name in re.findall(r"`([\w-]+)`", group):
            if not (root / "experiments" / f"{name}.txt").is_file():
                yield f"there is no experiment '{name}'"


def told_in(root, document):
    """(rule, files) of each rule: a sentence in bold at the begin of an item, then the files before its tests."""
    text = re.sub(r"```.*?```", "", (root / document).read_text(encoding="utf-8"), flags=re.S)
    for item in re.split(r"\n(?=- \*\*)", text)[1:]:
        rule = re.match(r"- \*\*(.+?)\*\*(.*)", re.split(r"\n\n|\n#", item)[0], re.S)
        if rule:
            files = re.findall(r"`([\w/]+\.[ch])`", rule.group(2).split("Test")[0])
            yield " ".join(rule.group(1).split()), sorted(set(files))


def main():
    failed = 0
    if "--several" in sys.argv[2:]:
        for document in DOCUMENTS:
            for rule, files in told_in(Path(sys.argv[1]), document):
                if len(files) > 1:
                    print(f"{document}: {rule}\n    {' '.join(files)}")
        return 0
    for document, folder in DOCUMENTS.items():
        for error in check(Path(sys.argv[1]), document, folder):
            print(f"{document}: {error}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
