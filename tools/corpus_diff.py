#!/usr/bin/env python3
"""Lists where the disassembler's text differs from the corpus, grouped by mnemonic.

    corpus_diff.py BUILD [--arch 75,90] [--only REGEX] [--show 3]

BUILD is a build folder; --only takes the mnemonics that match; --show says how many examples of each to print. zstd is
taken from the PATH. Texts are compared with runs of spaces counted as one.
"""
import argparse
import collections
import os
import re
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHUNK = 8192    # word i of the corpus stands at 16 * (i % CHUNK)


def corpus(sm):
    """(word in hexadecimal, byte offset, text) of each instruction."""
    path = os.path.join(ROOT, "tests", "corpus", f"sm_{sm}.zst")
    body = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
    count, = struct.unpack_from("<I", body)
    planes = [body[4 + i * count:4 + (i + 1) * count] for i in reversed(range(16))]
    texts = body[4 + 16 * count:].decode().split("\n")
    for i, octets in enumerate(zip(*planes)):
        yield bytes(octets).hex(), 16 * (i % CHUNK), texts[i]


def mnemonic(text):
    return re.sub(r"^@\S+ ", "", text).split(" ")[0]


def compare(program, sm, only, show):
    rows = [row for row in corpus(sm) if re.match(only, mnemonic(row[2]))]
    run = subprocess.run([program], input="".join(f"{sm} {word} {pc:x}\n" for word, pc, _ in rows), text=True,
                         capture_output=True, check=True)
    ours = [" ".join(line.split()) for line in run.stdout.splitlines()]
    assert len(ours) == len(rows), f"{len(rows)} words in, {len(ours)} lines out"
    total, different = collections.Counter(), collections.defaultdict(list)
    for (word, _, want), have in zip(rows, ours):
        name = mnemonic(want).split(".")[0]
        total[name] += 1
        if have != want:
            different[name].append((word, want, have))
    count = sum(map(len, different.values()))
    print(f"sm_{sm}: {len(rows)} instructions, {count} differ")
    for name, found in sorted(different.items(), key=lambda item: -len(item[1])):
        print(f"  {name}: {len(found)} of {total[name]}")
        for word, want, have in found[:show]:
            print(f"    {word}\n      nvdisasm {want}\n      here     {have}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--arch", default="70,75,80,86,89,90,100,120")
    parser.add_argument("--only", default=".")
    parser.add_argument("--show", type=int, default=3)
    options = parser.parse_args()
    program = os.path.join(options.build, "tests", "isa", "isa_disasm_words")
    return 1 if sum(compare(program, int(sm), options.only, options.show) for sm in options.arch.split(",")) else 0


if __name__ == "__main__":
    sys.exit(main())
