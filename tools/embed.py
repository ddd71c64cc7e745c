#!/usr/bin/env python3
"""Writes files as C arrays: embed.py OUTPUT.c DEPFILE TABLE=PATTERN[,PATTERN...]...

Each TABLE becomes a function embedded_TABLE() of base/embed.h over the files that match a PATTERN, sorted by name. The
depfile names the files and their folders, so that a new file is noticed as well."""
import glob
import os
import sys


ESCAPES = [f"\\{byte:03o}" for byte in range(256)]


def array(name, data):
    """String literals, which end in the zero byte by themselves: compilers read them 20 times as fast as numbers."""
    parts = (data[at : at + 28] for at in range(0, len(data) or 1, 28))
    return [f"static const unsigned char {name}[] ="] + [
        '"' + "".join(map(ESCAPES.__getitem__, part)) + '"' for part in parts] + [";"]


def table(title, files):
    lines, rows = [], []
    named = sorted((os.path.splitext(os.path.basename(path))[0], path) for path in files)
    for index, (name, path) in enumerate(named):
        with open(path, "rb") as file:
            data = file.read()
        lines += array(f"{title}_{index}", data)
        rows.append(f'    {{"{name}", {title}_{index}, {len(data)}}},')
    rows.append("    {0, 0, 0},")
    lines += [f"static const struct embedded {title}[] = {{"] + rows + ["};"]
    return lines + [
        f"const struct embedded *embedded_{title}(size_t *count)",
        "{",
        f"    *count = {len(named)};",
        f"    return {title};",
        "}",
    ]


def main(output, depfile, *tables):
    lines = ['#include "base/embed.h"']
    needed = [os.path.abspath(__file__)]
    for entry in tables:
        title, patterns = entry.split("=", 1)
        files = [file for pattern in patterns.split(",") for file in glob.glob(pattern)]
        needed += [os.path.dirname(pattern) for pattern in patterns.split(",")] + files
        lines += table(title, files)
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(depfile, "w", encoding="utf-8") as file:
        file.write(output + ": " + " ".join(path.replace(" ", "\\ ") for path in needed) + "\n")


main(*sys.argv[1:])
