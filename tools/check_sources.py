#!/usr/bin/env python3
"""Refuses values of a configuration that were fitted on their own validation data: check_sources.py ROOT.

Each value in configs/ has a comment that says where it comes from. None may name the kernels of validate/kernels, one
of them at a size ("needle.full"), or a number of theirs ("kernel.needle.full.0"): constants are fitted on measurements
(validate/micro, experiments/) only."""
import pathlib
import re
import sys


def kernels(root):
    for path in sorted((root / "validate" / "kernels").glob("*.c")):
        yield from re.findall(r'^\s*\.name = "(\w+)"', path.read_text(encoding="utf-8"), re.M)


def main(root):
    names = "|".join(kernels(root))
    if not names:
        sys.exit("check_sources.py: there are no kernels in validate/kernels")
    sign = re.compile(rf"validate/kernels|\bkernel\.\w+|\b(?:{names})\.(?:small|medium|full)\b", re.I)
    bad = 0
    for path in sorted((root / "configs").glob("**/*.toml")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            found = sign.search(line.partition("#")[2])
            if found:
                print(f"{path.relative_to(root)}:{number}: its source is '{found.group()}', of the kernels that "
                      "validate; take a measurement of validate/micro instead")
                bad += 1
    sys.exit(bad > 0)


main(pathlib.Path(sys.argv[1]))
