#!/usr/bin/env python3
"""Writes docs/commands.md from `subcore help`, and docs/keys.md from `subcore config`.

    tools/reference.py ROOT SUBCORE           # writes the pages
    tools/reference.py ROOT SUBCORE --check   # fails if a page is not as the program says"""
import pathlib
import re
import sys

import command_pages

GPU = "rtx-a6000"   # whose values docs/keys.md shows
WRITTEN = "`tools/reference.py` writes it from the program (`make reference`)."
KEY = re.compile(r"^(\w+) = (.*?)\s+# (.*?) \| [\w-]+: .*$")


def cell(text):
    """A text inside of a table. What looks like an option or a word in capitals is code."""
    return re.sub(r"(?<![\w`-])(--[a-z][\w-]*)", r"`\1`", re.sub(r"([|*<])", r"\\\1", text)).strip()


def commands_page(program):
    """The text of docs/commands.md."""
    commands, _ = command_pages.commands_of(program)
    lines = ["# Commands", "", "This page lists every command with its options. [cli.md](cli.md) explains them.",
             WRITTEN, ""]
    for command in commands:
        lines += [f"## {command.name}", "", f"{command.summary[0].upper()}{command.summary[1:]}: "
                  f"`{command.usage}`", ""]
        if command.options:
            lines += ["| option | meaning |", "|---|---|"]
            for letter, name, value, text in command.options:
                short = f"`-{letter}`, " if letter else ""
                lines.append(f"| {short}`--{name}{f' {value}' if value else ''}` | {cell(text)} |")
            lines.append("")
    return "\n".join(lines)


def keys_page(program):
    """The text of docs/keys.md."""
    lines = ["# Keys", "", "This page lists every key of a configuration with its unit and meaning. "
             f"The values are those of `{GPU}`.",
             "`subcore config GPU` prints those of another GPU with their sources, and",
             "[configuration.md](configuration.md) tells how files and `--set` change them.", WRITTEN, ""]
    for line in command_pages.output(program, "config", GPU).splitlines():
        section, key = re.match(r"\[(\w+)\]$", line), KEY.match(line)
        if section:
            lines += [f"## {section[1]}", "", "| key | value | meaning |", "|---|---|---|"]
            name = section[1]
        elif key:
            lines.append(f"| `{name}.{key[1]}` | `{key[2]}` | {cell(key[3])} |")
        elif line.strip():
            raise ValueError(f"a line of `subcore config` has another form: {line}")
        else:
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def pages(program):
    """Name and text of each page."""
    return {"docs/commands.md": commands_page(program), "docs/keys.md": keys_page(program)}


def stale(root, texts):
    """The names of the pages that are not as the program says."""
    return [name for name, text in texts.items() if not (root / name).is_file() or (root / name).read_text() != text]


def main(arguments):
    root, program = pathlib.Path(arguments[0]), arguments[1]
    texts = pages(program)
    if "--check" in arguments:
        names = stale(root, texts)
        for name in names:
            print(f"{name} is not as the program says: `make reference` writes it")
        return 1 if names else 0
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
