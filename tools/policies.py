#!/usr/bin/env python3
"""Finds the policies of the model. A policy is one file, src/MODULE/.../policy/KIND_NAME.c, which defines

    const struct KIND_policy KIND_NAME = {
        .name = "WORD",
        .summary = "...",

where WORD is NAME with hyphens. From these files follow the words of the configuration, its help, and docs/policies.md.

    tools/policies.py header ROOT OUTPUT DEPFILE   # writes config/policies.def, and the files that it depends on
    tools/policies.py sources ROOT MODULE          # lists the files of a module, relative to it
    tools/policies.py document ROOT [--check]      # writes docs/policies.md, or checks it"""
import pathlib
import re
import sys

KINDS = {  # kind -> key of the configuration or "" without one, and the decision that such a policy makes
    "scheduler": ("core.scheduler", "which of the eligible warps of a sub-core issues"),
    "fetch_order": ("core.fetch_order", "for which warp of a sub-core an instruction is fetched"),
    "l1_replacement": ("l1.replacement", "which line of an L1 set goes, of those that are kept alike"),
    "l2_replacement": ("l2.replacement", "which line of an L2 set goes, of those of one eviction class"),
    "address_hash": ("", "by how many places an address map rotates a block of lines"),
    "dram_pick": ("dram.pick", "which access of a DRAM channel goes next"),
    "dram_row": ("dram.row_policy", "when a DRAM row is closed for which nothing waits"),
}

MODULES = ("mem", "sm")   # folders of src with policies that a key of the configuration chooses

DEFINITION = re.compile(r"^const struct (\w+)_policy (\w+) = \{(.*?)^\};", re.M | re.S)


class Wrong(Exception):
    """A file that is no policy. The message says why."""


def text_of(body, member):
    """The string of a member. Neighbouring literals are one."""
    found = re.search(r"\." + member + r"\s*=\s*((?:\"[^\"\\]*\"\s*)+)", body)
    return "".join(re.findall(r"\"([^\"]*)\"", found.group(1))) if found else None


def read(path):
    """(kind, identifier, word, summary) of a file."""
    found = DEFINITION.findall(path.read_text(encoding="utf-8"))
    if len(found) != 1 or found[0][1] != path.stem:
        raise Wrong(f"{path}: expected one line 'const struct KIND_policy {path.stem} = {{'")
    kind, identifier, body = found[0]
    if kind not in KINDS:
        raise Wrong(f"{path}: no kind of policy is '{kind}'; kinds: {', '.join(sorted(KINDS))} (tools/policies.py)")
    if not identifier.startswith(kind + "_"):
        raise Wrong(f"{path}: the file of a {kind}_policy is named {kind}_NAME.c")
    word, summary = identifier[len(kind) + 1:].replace("_", "-"), text_of(body, "summary")
    if text_of(body, "name") != word:
        raise Wrong(f'{path}: expected .name = "{word}"')
    if not summary:
        raise Wrong(f"{path}: .summary has to say in a few words what the policy does")
    return kind, identifier, word, summary


def files_of(root, modules=MODULES):
    return sorted(path for module in modules for path in root.glob(f"src/{module}/**/policy/*.c"))


def policies(root):
    """kind -> [(identifier, word, summary, path)], by name."""
    found = {kind: [] for kind in KINDS}
    for path in files_of(root):
        kind, *policy = read(path)
        found[kind].append((*policy, path.relative_to(root)))
    for kind, rows in found.items():
        if not rows:
            raise Wrong(f"no file src/*/policy/{kind}_*.c, but {kind} is a kind of policy (tools/policies.py)")
    return {kind: sorted(rows, key=lambda row: row[1]) for kind, rows in found.items()}


def header(root, output, depfile):
    found = policies(root)
    sets = " ".join(f"X({kind}, POLICIES_{kind.upper()})" for kind in found if KINDS[kind][0])
    lines = ["/* Written by tools/policies.py: WORD(constant, word, summary, identifier) for each policy of a kind. */",
             f"#define CONFIG_POLICY_SETS(X) {sets}"]
    for kind, rows in found.items():
        words = " ".join(f'WORD({identifier.upper()}, "{word}", "{summary}", {identifier})'
                         for identifier, word, summary, _ in rows)
        lines += [f"#define POLICIES_{kind.upper()}(WORD) {words}", f"#define {kind.upper()}_POLICIES {len(rows)}"]
    pathlib.Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")
    needed = {pathlib.Path(__file__).resolve(), *files_of(root)}
    names = " ".join(str(path).replace(" ", "\\ ") for path in sorted(needed))
    pathlib.Path(depfile).write_text(f"{pathlib.Path(output).name}: {names}\n", encoding="utf-8")


def sources(root, module):
    for path in files_of(root, [module]):
        print(path.relative_to(root / "src" / module))


def document(root, check):
    lines = ["# Policies", "",
             "This page lists the policies. Each is one file. A key of the configuration chooses it if there is one.",
             "CONTRIBUTING.md, *Recipes*, tells how to add one. `tools/policies.py document .` writes the page.",
             ""]
    for kind, rows in policies(root).items():
        key, decides = KINDS[kind]
        title = f"`{key}`" if key else kind.replace("_", " ")
        lines += [f"## {title}: {decides}", "", "| word | policy | file |", "|---|---|---|"]
        lines += [f"| `{word}` | {summary} | `{path}` |" for _, word, summary, path in rows] + [""]
    text, path = "\n".join(lines[:-1]) + "\n", root / "docs" / "policies.md"
    if not check:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        raise Wrong("docs/policies.md is not what the policies say: run tools/policies.py document .")


def main(words):
    command, root = words[0], pathlib.Path(words[1]).resolve()
    try:
        if command == "header":
            header(root, *words[2:])
        elif command == "sources":
            sources(root, words[2])
        else:
            document(root, "--check" in words)
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
