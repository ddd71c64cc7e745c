#!/usr/bin/env python3
"""docs/core.md and docs/memory.md name files, keys, tests and experiments: each must exist. A rule is an item that
begins with one sentence in bold. Before "Used by:" and "Tests:" it names one file: the place where it is told. The
guides for users of other tools name keys, and metrics of docs/json.md.

Usage: check_core_doc.py ROOT"""
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
GUIDES = ("docs/from-accelsim.md", "docs/from-nsight.md")    # name keys and metrics, and have no rules
METRIC = re.compile(r"(?:sm|smsp|l1tex|lts|dram|gpu|gpc|launch|subcore)__[\w.]+")


def is_metric(root, name):
    return f"`{name}`" in (root / "docs/json.md").read_text(encoding="utf-8")


def check(root, document, folder):
    text = (root / document).read_text(encoding="utf-8")
    sections = re.sub(r"```.*?```", "", text, flags=re.S)
    keys = keys_of(root)
    names = [" ".join(name.split()) for name in re.findall(r"`([^`]+)`", sections)]
    for name in names:
        test = re.fullmatch(r"(?:(\w+)/)?(\w+): (\w+)", name)
        if test:
            suite, file, case = test.groups()
            if test.group(0) != "file: name" and wrong_test(root, suite or folder, file, case):
                yield f"there is no test '{name}'"
        elif re.fullmatch(r"[\w/]+\.(c|h|py|def)", name):
            if not (root / name).is_file() and not any((root / "src" / folder).rglob(name)):
                yield f"there is no file '{name}'"
        elif re.fullmatch(r"[a-z0-9]+\.[a-z0-9_*]+", name):
            pattern = name.replace(".", r"\.").replace("*", r"\w+")
            if not any(re.fullmatch(pattern, key) for key in keys):
                yield f"there is no key '{name}'"
        elif METRIC.fullmatch(name) and document in GUIDES and not is_metric(root, name):
            yield f"docs/json.md has no metric '{name}'"
    for group in re.findall(r"[Ee]xperiments?:?\s+((?:`[\w-]+`[,\s]*(?:\(all \d+ \w+\))?)+)", sections):
        for name in re.findall(r"`([\w-]+)`", group):
            if not (root / "experiments" / f"{name}.txt").is_file():
                yield f"there is no experiment '{name}'"


def places(text):
    """(rule, files) of each rule: its sentence in bold, and the files that it names as its place."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    for item in re.split(r"\n(?=- \*\*)", text)[1:]:
        item = re.split(r"\n\n|\n#|\n- ", item)[0]
        rule = re.match(r"- \*\*(.+?)\*\*(.*)", item, re.S)
        if rule:
            fields = re.split(r"\bUsed\s+by:|\bTests?:", rule.group(2))
            yield " ".join(rule.group(1).split()), sorted(set(re.findall(r"`([\w/]+\.(?:c|h|def))`", fields[0])))


def wrong_places(text):
    for rule, files in places(text):
        if len(files) != 1:
            said = "names no file" if not files else "names " + ", ".join(files)
            yield f"the rule '{rule}' {said}: name the one that tells it, and the others behind 'Used by:'"
        if re.search(r"[.] +[A-Z0-9`]", rule):
            yield f"the heading of the rule '{rule}' has more than one sentence"


def main():
    root, failed = Path(sys.argv[1]), 0
    for document in (*DOCUMENTS, *GUIDES):
        errors = list(check(root, document, DOCUMENTS.get(document, "sm")))
        if document in DOCUMENTS:
            errors += wrong_places((root / document).read_text(encoding="utf-8"))
        for error in errors:
            print(f"{document}: {error}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
