#!/usr/bin/env python3
"""Compares the names that a shared library exports with a list: check_exports.py LIBRARY LIST [VERSION].

LIST has one name a line. With VERSION every name must carry it, as programs that were linked against the vendor's
library expect; without, none."""
import pathlib
import subprocess
import sys


def main(library, listed, version=""):
    output = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], text=True,
                            capture_output=True, check=True).stdout
    found = {line.split()[2] for line in output.splitlines() if line.split()[1] in "TW"}
    tail = f"@@{version}" if version else ""
    wanted = {name + tail for name in pathlib.Path(listed).read_text(encoding="utf-8").split()}
    for name in sorted(wanted - found):
        print(f"{library}: {name} is missing")
    for name in sorted(found - wanted):
        print(f"{library}: {name} is not in the list")
    print(f"{len(found & wanted)} names")
    return 0 if found == wanted else 1


sys.exit(main(*sys.argv[1:]))
