#!/usr/bin/env python3
"""Compares the disassembler with nvdisasm, instruction by instruction.

    check_disasm.py SUBCORE FOLDER

FOLDER holds cubins named NAME.sm_XY.cubin.

nvdisasm is taken from the environment variable NVDISASM or from the PATH. Without it the comparison is skipped (exit
status 77). Branch targets are compared only as being there: nvdisasm prints labels for them. """
import glob
import os
import re
import shutil
import subprocess
import sys

LINE = re.compile(r"\s+/\*[0-9a-f]+\*/\s+(.*?)\s*;?\s+/\* 0x([0-9a-f]{16}) \*/")
UPPER = re.compile(r"/\* 0x([0-9a-f]{16}) \*/")


def reference(nvdisasm, cubin):
    """Pairs of instruction word, in hexadecimal, and nvdisasm's text."""
    listing = subprocess.run([nvdisasm, "-hex", "-c", cubin], capture_output=True, text=True, check=True).stdout
    lines = listing.split("\n")
    for number, line in enumerate(lines):
        match = LINE.match(line)
        if match:
            upper = UPPER.search(lines[number + 1]).group(1)
            yield upper + match.group(2), match.group(1).rstrip(" ;")


def ours(subcore, arch, words):
    run = subprocess.run([subcore, "disasm", "--arch", arch, "--hex", "-"], input="\n".join(words) + "\n",
                         capture_output=True, text=True, check=True)
    return [re.sub(r"^\[.*?\]\s*", "", line).rstrip(" ;") for line in run.stdout.splitlines()]


def compare(subcore, nvdisasm, cubin):
    arch = os.path.basename(cubin).split(".")[-2]
    pairs = list(reference(nvdisasm, cubin))
    texts = ours(subcore, arch, [word for word, _ in pairs])
    assert len(texts) == len(pairs), f"{cubin}: {len(pairs)} words in, {len(texts)} lines out"
    differences = 0
    for (word, expected), text in zip(pairs, texts):
        if "`(" in expected:
            expected = re.sub(r"`\(.*?\)", "TARGET", expected)
            text = re.sub(r"0x[0-9a-f]+$", "TARGET", text)
        if text != expected:
            differences += 1
            print(f"{cubin}: {word}: nvdisasm {expected!r}, here {text!r}")
    return len(pairs), differences


def main():
    subcore, folder = sys.argv[1:]
    cubins = sorted(glob.glob(os.path.join(folder, "*.sm_*.cubin")))
    nvdisasm = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
    if not nvdisasm:
        print("nvdisasm is not here: nothing compared")
        return 77
    total = wrong = 0
    for cubin in cubins:
        count, differences = compare(subcore, nvdisasm, cubin)
        total += count
        wrong += differences
    print(f"{total} instructions compared, {wrong} differences")
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
