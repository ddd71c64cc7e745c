#!/usr/bin/env python3
"""Compares the legacy core with Accel-Sim: legacy_accuracy.py [--subcore FILE] [--micro | --kernels] [--within SHARE].

Writes Accel-Sim traces, replays them on the configurations legacy-*, and prints tables in Markdown with the cycles that
Accel-Sim needs (tools/legacy_accuracy.tsv). --micro takes a thousand equal instructions per warp, without the launch,
in seconds. --kernels takes chains of FFMA, a tiled product and a stream, in minutes and 200 MB on the disk. Exit
status: 0 all are within SHARE percent (15), 1 one is not, 2 a run failed."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VERSION = {"legacy-v100": 70, "legacy-rtx-2060": 75, "legacy-rtx-3070": 86}   # -binary version of a trace
A, B, C = 0x7f1000000000, 0x7f1100000000, 0x7f1200000000                     # arrays
COUNT, CTAS, WARPS, INSTRUCTIONS = 1000, 132, 8, 2000
STREAMED = 200                                                                # instructions per warp, by the stream


class Warp:
    """A warp's lines."""

    def __init__(self):
        self.lines, self.pc = [], 0

    def add(self, opcode, target, sources, tail="0 0"):
        written = "0" if target is None else f"1 R{target}"
        read = " ".join([str(len(sources))] + [f"R{r}" for r in sources])
        self.lines.append(f"{self.pc:04x} ffffffff {written} {opcode} {read} {tail} ")
        self.pc += 16

    def access(self, opcode, target, sources, width, base, stride):
        self.add(opcode, target, sources, f"{width} 1 0x{base:x} {stride} 0")

    def listed(self, opcode, target, sources, width, base, deltas):
        self.add(opcode, target, sources, f"{width} 2 0x{base:x} {' '.join(map(str, deltas))} 0")


# ---- micro-benchmarks: one CTA, a thousand instructions per warp -----------------------------------------------------

def alu(opcode, sources, first=16, step=1, several=8):
    return lambda w, warp, i: w.add(opcode, first + i % several * step, sources)


def chain(opcode, sources):
    return lambda w, warp, i: w.add(opcode, 16, sources)


def plain(opcode):
    return lambda w, warp, i: w.add(opcode, None, [])


def both(w, warp, i):
    w.add("FFMA" if i % 2 == 0 else "IADD3", 16 + i % 8, [1, 2, 3])


def memory(opcode, width, base, stride, chained, of_warp=0, step=1):
    def one(w, warp, i):
        target = 16 if chained else 16 + i % 8 * step
        w.access(opcode, target, [16 if chained else 5], width, base + of_warp * warp, stride)
    return one


def far(w, warp, i):
    w.access("LDG.E.SYS", 16, [16], 4, A + (i << 20), 0)


MICRO = {
    "exit": None,
    "ffma-chain": chain("FFMA", [5, 6, 16]),
    "ffma": alu("FFMA", [1, 2, 3]),
    "ffma-one-bank": alu("FFMA", [4, 8, 12]),
    "ffma-iadd": both,
    "iadd-chain": chain("IADD3", [16, 5, 6]),
    "mufu-chain": chain("MUFU.RCP", [16]),
    "mufu": alu("MUFU.RCP", [5]),
    "dfma": alu("DFMA", [4, 6, 8], step=2),
    "bra": plain("BRA"),
    "bar": plain("BAR.SYNC"),
    "lds-chain": memory("LDS", 4, 0, 4, True),
    "lds": memory("LDS", 4, 0, 4, False),
    "lds-2-way": memory("LDS", 4, 0, 8, False),
    "lds-128": memory("LDS.128", 16, 0, 16, False, step=4),
    "ldg-hit-chain": memory("LDG.E.SYS", 4, A, 0, True),
    "ldg-hit": memory("LDG.E.SYS", 4, A, 4, False, of_warp=128),
    "ldg-hit-128": memory("LDG.E.128.SYS", 16, A, 16, False, of_warp=512, step=4),
    "ldg-l2-chain": memory("LDG.E.STRONG.GPU", 4, A, 0, True),
    "ldg-dram-chain": far,
}


def micro_warp(name):
    def lines(_, warp):
        w = Warp()
        for i in range(COUNT if MICRO[name] else 0):
            MICRO[name](w, warp, i)
        w.add("EXIT", None, [])
        return w.lines
    return lines


# ---- kernels ---------------------------------------------------------------------------------------------------------

def ffma(cta, warp):
    """Eight accumulators, in a loop of 64."""
    w = Warp()
    w.add("MOV", 1, [255])
    w.add("S2R", 2, [])
    w.add("S2R", 3, [])
    w.add("IMAD", 4, [3, 2, 255])
    w.access("LDG.E.SYS", 5, [4], 4, A + (cta * WARPS + warp) * 128, 4)
    loop = w.pc
    for _ in range((INSTRUCTIONS - 10) // 68):
        w.pc = loop
        for i in range(64):
            w.add("FFMA", 16 + i % 8, [5, 6 + i % 2, 16 + i % 8])
        w.add("IADD3", 7, [7, 255, 255])
        w.add("ISETP.NE.AND", None, [7, 255])
        w.add("NOP", None, [])
        w.add("BRA", None, [])
    w.add("FADD", 16, [16, 17])
    w.add("FADD", 18, [18, 19])
    w.access("STG.E.SYS", None, [4, 16], 4, B + (cta * WARPS + warp) * 128, 4)
    w.add("EXIT", None, [])
    return w.lines


def stream(cta, warp):
    """c[i] = a[i] + s * b[i], in accesses of 128 bits, two at a time."""
    w = Warp()
    w.add("MOV", 1, [255])
    w.add("S2R", 2, [])
    w.add("S2R", 3, [])
    w.add("IMAD", 4, [3, 2, 255])
    loop = w.pc
    for turn in range(STREAMED // 20):
        w.pc = loop
        offsets = [((2 * turn + u) * CTAS * WARPS + cta * WARPS + warp) * 512 for u in range(2)]
        for u in range(2):
            w.add("IMAD.WIDE", 8 + 8 * u, [4, 5, 6])
            w.access("LDG.E.128.SYS", 24 + 8 * u, [8 + 8 * u], 16, A + offsets[u], 16)
            w.access("LDG.E.128.SYS", 28 + 8 * u, [8 + 8 * u], 16, B + offsets[u], 16)
        for u in range(2):
            for e in range(4):
                w.add("FFMA", 24 + 8 * u + e, [24 + 8 * u + e, 40, 28 + 8 * u + e])
            w.access("STG.E.128.SYS", None, [8 + 8 * u, 24 + 8 * u], 16, C + offsets[u], 16)
        w.add("IADD3", 4, [4, 7, 255])
        w.add("ISETP.GE.AND", None, [4, 41])
        w.add("NOP", None, [])
        w.add("BRA", None, [])
    w.add("EXIT", None, [])
    return w.lines


def product_step(w, cta, warp, k):
    """Sixteen columns: both tiles go to shared memory, then 16 times 4 x 4 FFMA."""
    size, tiles = 1024, 16
    rows, columns = cta // tiles % tiles * 64 + warp * 8, cta % tiles * 64
    w.listed("LDG.E.128.SYS", 8, [6], 16, A + (rows * size + k * 16) * 4,
             [16 if lane % 4 else size * 4 - 48 for lane in range(1, 32)])
    w.listed("LDG.E.128.SYS", 12, [7], 16, B + ((k * 16 + warp * 2) * size + columns) * 4,
             [16 if lane % 16 else size * 4 - 240 for lane in range(1, 32)])
    w.access("STS.128", None, [5, 8], 16, warp * 512, 16)
    w.access("STS.128", None, [5, 12], 16, 4096 + warp * 512, 16)
    w.add("BAR.SYNC", None, [])
    for step in range(16):
        w.listed("LDS.U.128", 16, [5], 16, step * 256 + warp * 32, [0 if lane != 16 else 16 for lane in range(1, 32)])
        w.listed("LDS.U.128", 20, [7], 16, 4096 + step * 256,
                 [16 if lane != 16 else -240 for lane in range(1, 32)])
        for i in range(4):
            for j in range(4):
                w.add("FFMA", 32 + 4 * i + j, [16 + i, 20 + j, 32 + 4 * i + j])
    w.add("BAR.SYNC", None, [])
    w.add("IADD3", 6, [6, 255, 255])
    w.add("IADD3", 7, [7, 255, 255])
    w.add("ISETP.NE.AND", None, [6, 255])
    w.add("BRA", None, [])


def product(cta, warp):
    """A tile with 64 x 64 elements, of 1024 x 1024, and 4 x 4 per thread."""
    w = Warp()
    w.add("MOV", 1, [255])
    for register in (2, 3, 4):
        w.add("S2R", register, [])
    w.add("IMAD", 5, [3, 4, 2])
    w.add("LEA", 6, [5, 4])
    w.add("LEA", 7, [5, 2])
    loop = w.pc
    for k in range(INSTRUCTIONS // (10 + 16 * 18)):
        w.pc = loop
        product_step(w, cta, warp, k)
    for i in range(4):
        row, column = cta // 16 % 16 * 64 + warp * 8 + i, cta % 16 * 64
        w.access("STG.E.128.SYS", None, [6, 32 + 4 * i], 16, C + (row * 1024 + column) * 4, 16)
    w.add("EXIT", None, [])
    return w.lines


KERNELS = {"kernel-ffma": (ffma, 0, 32), "kernel-stream": (stream, 0, 48),   # shared bytes, registers
           "kernel-gemm": (product, 8192, 64)}


# ---- traces and runs -------------------------------------------------------------------------------------------------

def write(folder, version, warp_lines, ctas, warps, shared, registers):
    folder.mkdir(parents=True)
    with open(folder / "kernel-1.traceg", "w", encoding="ascii") as file:
        file.write(f"-kernel name = k\n-kernel id = 1\n-grid dim = ({ctas},1,1)\n"
                   f"-block dim = ({warps * 32},1,1)\n"
                   f"-shmem = {shared}\n-nregs = {registers}\n-binary version = {version}\n-cuda stream id = 0\n"
                   "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0001000000\n"
                   "-nvbit version = 1.7.1\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
                   "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
                   "[adrrescompress?] [mem_addresses] immediate\n\n")
        for cta in range(ctas):
            file.write(f"\n#BEGIN_TB\n\nthread block = {cta},0,0\n")
            for warp in range(warps):
                lines = warp_lines(cta, warp)
                file.write(f"\nwarp = {warp}\ninsts = {len(lines)}\n" + "\n".join(lines) + "\n")
            file.write("\n#END_TB\n")
    (folder / "kernelslist.g").write_text("kernel-1.traceg\n", encoding="ascii")
    return folder / "kernelslist.g"


def cycles_of(subcore, trace, gpu, *more):
    words = [subcore, "replay", trace, "--gpu", gpu, *more]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(r"Elapsed Cycles +([\d,]+)", result.stdout)
    if result.returncode or not found:
        print(f"{gpu}: {result.stderr.strip()}", file=sys.stderr)
        sys.exit(2)
    return int(found[1].replace(",", ""))


def measure(subcore, row, folder):
    """Returns the cycles that a row needs here."""
    gpu, kernel, warps = row["config"], row["kernel"], int(row["warps"])
    place = folder / f"{kernel}-{warps}-{VERSION[gpu]}"
    if kernel in MICRO:
        trace = write(place, VERSION[gpu], micro_warp(kernel), 1, warps, 8192, 64)
        return cycles_of(subcore, trace, gpu, "--set", "launch.latency=0")
    lines, shared, registers = KERNELS[kernel]
    trace = write(place, VERSION[gpu], lines, CTAS, warps, shared, registers)
    cycles = cycles_of(subcore, trace, gpu)
    (place / "kernel-1.traceg").unlink()
    return cycles


def table():
    lines = [line.split("\t") for line in (HERE / "legacy_accuracy.tsv").read_text(encoding="utf-8").splitlines()
             if not line.startswith("#")]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def print_table(rows, cells):
    """Prints a row for each trace: cycles here, there and the difference, for each configuration."""
    configs = sorted({row["config"] for row in rows}, key=list(VERSION).index)
    print("| trace | warps |" + "".join(f" {name} | Accel-Sim | |" for name in configs))
    print("|---|---|" + "---|---|---|" * len(configs))
    for trace in dict.fromkeys((row["kernel"], row["warps"]) for row in rows):
        print("| " + " | ".join(trace) + " |" + "".join(cells[(name, *trace)] for name in configs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--subcore", default=HERE.parent / "build" / "subcore", type=pathlib.Path)
    parser.add_argument("--micro", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--within", type=float, default=15)
    words = parser.parse_args()
    beyond, rows = 0, table()
    for micro in (False, True):
        part, cells = [row for row in rows if (row["kernel"] in MICRO) == micro], {}
        if micro and words.kernels or not micro and words.micro:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for row in part:
                cycles, theirs = measure(words.subcore, row, pathlib.Path(folder)), int(row["cycles"])
                beyond += abs(cycles - theirs) > max(2, words.within / 100 * theirs)   # of two cycles around a kernel
                cells[(row["config"], row["kernel"], row["warps"])] = (
                    f" {cycles:,} | {theirs:,} | {100 * (cycles / theirs - 1):+.1f} % |")
        print_table(part, cells)
        print()
    sys.exit(beyond > 0)


main()
