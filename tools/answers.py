#!/usr/bin/env python3
"""Answers of a GPU: the results of each instruction for edge cases and random operands, recorded and compared.

    answers.py write FOLDER --arch sm_90 [MNEMONIC...]   a kernel for each form of an instruction, and operands
    answers.py compare CARD OURS                         a table: equal, different, illegal, by mnemonic
    answers.py pack CARD OURS OUT                        CARD, of equal answers the digest alone

`validate-gpu answers FOLDER --csv FILE` runs the kernels, on a GPU or with `subcore exec`: docs/recorded-answers.md."""
import argparse
import csv
import os
import pathlib
import subprocess
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import answers_forms      # pylint: disable=wrong-import-position
import answers_operands   # pylint: disable=wrong-import-position
import answers_results    # pylint: disable=wrong-import-position

WORD_BYTES = 4 * answers_operands.LANES
FIRST = {"A": 16, "B": 24, "C": 32, "E": 48}
RESULT, RESULT_WORDS, SCRATCH = 40, 8, 56
BEFORE = 0xdead0000        # result word n holds BEFORE + n at first (validate/hw/answers.c)
HEADING = ("kernel", "file", "operands", "rows", "row_bytes", "words", "instruction")
# Around the instruction, so that its answer does not depend on distances that the assembler keeps.
PAUSE = "[B------:R-:W-:Y:S15] NOP"
SWEEP_BITS = 14            # a sweep takes every 2^14-th pattern
DESCRIPTOR = {80: "ULDC.64 UR4, c[0x0][0x118]", 90: "ULDC.64 UR4, c[0x0][0x208]", 100: "LDCU.64 UR4, c[0x0][0x358]"}


# ---- code -----------------------------------------------------------------------------------------------------------


def memory(sm, address, offset):
    if sm >= 90:
        return f"desc[UR4][{address}.64+0x{offset:x}]"
    return f"[{address}.64+0x{offset:x}]" if sm >= 80 else f"[{address}+0x{offset:x}]"


def address_of(parameter, register, row_bytes):
    """The place of this lane in the CTA's row, as 64 bits in a pair of registers."""
    return [f"MOV R8, 0x{row_bytes:x}", "IMAD R8, R1, R8, R2", "MOV R9, 0x1", f"LDC.64 R10, c[0x0][{parameter}]",
            f"IMAD.WIDE.U32 R{register}, R8, R9, R10"]


def begin(sm, name):
    descriptor = [text for first, text in DESCRIPTOR.items() if sm >= first][-1:]
    return [f".kernel {name}", ".param out, ptr", ".param in, ptr", *descriptor, "S2R R0, SR_TID.X",
            "S2R R1, SR_CTAID.X", "SHF.L.U32 R2, R0, 0x2, RZ"]


def kernel(sm, name, line):
    """A warp for each row of operands: loads A, B, C and E, executes the line once, stores R40.. and P4, P5."""
    load, store = ("LDG.E", "STG.E") if sm >= 80 else ("LDG.E.SYS", "STG.E.SYS")
    code = begin(sm, name) + address_of("in", 4, answers_operands.SOURCES * answers_operands.WORDS * WORD_BYTES)
    code += address_of("out", 6, (RESULT_WORDS + 2) * WORD_BYTES)
    for source, letter in enumerate("ABCE"):
        for word in range(answers_operands.WORDS):
            at = (source * answers_operands.WORDS + word) * WORD_BYTES
            code.append(f"{load} R{FIRST[letter] + word}, {memory(sm, 'R4', at)}")
    for predicate in (1, 2, 3):
        code.append(f"LOP3.LUT P{predicate}, RZ, R{FIRST['E'] + 1}, 0x{1 << predicate:x}, RZ, 0xc0, !PT")
    code += [f"LOP3.LUT P{predicate}, RZ, R0, 0x1, RZ, 0xc0, !PT" for predicate in (4, 5)]
    code += [f"MOV R{RESULT + word}, 0x{BEFORE + word:x}" for word in range(RESULT_WORDS)]
    code += [PAUSE, line, *[PAUSE] * 3, f"MOV R{SCRATCH}, 0x1"]
    code += [f"{store} {memory(sm, 'R6', word * WORD_BYTES)}, R{RESULT + word}" for word in range(RESULT_WORDS)]
    for n, predicate in enumerate((4, 5)):
        code += [f"SEL R{SCRATCH + 1 + n}, R{SCRATCH}, RZ, P{predicate}",
                 f"{store} {memory(sm, 'R6', (RESULT_WORDS + n) * WORD_BYTES)}, R{SCRATCH + 1 + n}"]
    return code + ["EXIT", ".end"]


def sweep_kernel(sm, name, line):
    """A warp for each 32 words: one word in, one out."""
    load, store = ("LDG.E", "STG.E") if sm >= 80 else ("LDG.E.SYS", "STG.E.SYS")
    code = begin(sm, name) + address_of("in", 4, WORD_BYTES) + address_of("out", 6, WORD_BYTES)
    return code + [f"{load} R{FIRST['B']}, {memory(sm, 'R4', 0)}", line,
                   f"{store} {memory(sm, 'R6', 0)}, R{RESULT}", "EXIT", ".end"]


# ---- folder ---------------------------------------------------------------------------------------------------------


class Folder:
    """The folder that validate-gpu takes: manifest.csv, cubins, tables of operands."""

    def __init__(self, path, subcore, arch, sweep_bits):
        self.path, self.subcore, self.arch, self.sweep_bits = path, subcore, arch, sweep_bits
        self.sm = int("".join(c for c in arch if c.isdigit()))
        self.rows, self.tables, self.refused = [], {}, []
        path.mkdir(parents=True, exist_ok=True)

    def table(self, kind):
        if kind not in self.tables:
            data, rows = (answers_operands.sweep(self.sweep_bits) if kind == "sweep"
                          else answers_operands.table(kind))
            (self.path / f"{kind}.bin").write_bytes(data)
            self.tables[kind] = rows, len(data) // rows
        return self.tables[kind]

    def assemble(self, stem, kernels):
        """False: the assembler refuses one of them."""
        source, cubin = self.path / f"{stem}.sass", self.path / f"{stem}.cubin"
        text = "\n".join("\n".join(code) for code in kernels)
        source.write_text(f".arch {self.arch}\n{text}\n", encoding="utf-8")
        done = subprocess.run([self.subcore, "asm", str(source), "-o", str(cubin)], capture_output=True, text=True,
                              check=False)
        source.unlink()
        return done.returncode == 0

    def add(self, mnemonic, lines):
        """The kernels of a mnemonic: one file, without those that the assembler refuses."""
        stem = mnemonic.replace(".", "_")
        build = [(f"{stem}_{n}", kernel, line, answers_operands.kind_of(mnemonic, line), RESULT_WORDS + 2)
                 for n, line in enumerate(lines)]
        if mnemonic == "MUFU":
            plain = [line for line in lines if line.partition(", ")[2] == f"R{FIRST['B']}"]
            build += [(f"{stem}_sweep_{n}", sweep_kernel, line, "sweep", 1) for n, line in enumerate(plain)]
        if not self.assemble(stem, [make(self.sm, name, line) for name, make, line, _, _ in build]):
            good = [one for one in build if self.assemble("one", [one[1](self.sm, one[0], one[2])])]
            (self.path / "one.cubin").unlink(missing_ok=True)
            self.refused += [one[2] for one in build if one not in good]
            build = good
            self.assemble(stem, [make(self.sm, name, line) for name, make, line, _, _ in build])
        for name, _, line, kind, words in build:
            rows, row_bytes = self.table(kind)
            label = f"{line}, every 2^{self.sweep_bits}-th pattern" if kind == "sweep" else line
            self.rows.append((name, f"{stem}.cubin", f"{kind}.bin", rows, row_bytes, words, label))

    def close(self, last):
        """`last`: answers of an earlier run, or none. Kernels without one go behind the others."""
        if last:
            self.rows.sort(key=lambda row: row[-1] not in last or last[row[-1]].status != 0)
        with open(self.path / "manifest.csv", "w", newline="", encoding="utf-8") as file:
            file.write(f"# answers of {self.arch}\n")
            csv.writer(file, lineterminator="\n").writerows([HEADING, *self.rows])


def write(options):
    tables = answers_forms.Tables(options.subcore, options.arch)
    folder = Folder(pathlib.Path(options.folder), options.subcore, options.arch, options.sweep_bits)
    found = {}
    for mnemonic, line in answers_forms.forms(tables, options.mnemonic):
        found.setdefault(mnemonic, []).append(line)
    for mnemonic, lines in found.items():
        folder.add(mnemonic, lines)
    folder.close(answers_results.read(options.last)[1] if options.last else None)
    print(f"{len(folder.rows)} kernels of {len(found)} mnemonics in {options.folder}")
    for line in folder.refused:
        print(f"left out, not assembled: {line}")
    return 0 if folder.rows else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("write")
    one.add_argument("folder")
    one.add_argument("mnemonic", nargs="*")
    one.add_argument("--arch", required=True)
    one.add_argument("--subcore", default=os.environ.get("SUBCORE", "subcore"))
    one.add_argument("--sweep-bits", type=int, default=SWEEP_BITS)
    one.add_argument("--last", help="answers: kernels that have none there go last, as a GPU may find them illegal")
    for name in ("compare", "pack"):
        one = commands.add_parser(name)
        one.add_argument("card")
        one.add_argument("ours")
        if name == "pack":
            one.add_argument("out")
        else:
            one.add_argument("--values", type=int, default=3, help="differing words that are shown of each kernel")
    options = parser.parse_args()
    if options.command == "write":
        return write(options)
    card, ours = answers_results.read(options.card), answers_results.read(options.ours)
    if options.command == "pack":
        return answers_results.pack(card, ours, options.out)
    return answers_results.compare(card, ours, options.values)


if __name__ == "__main__":
    sys.exit(main())
