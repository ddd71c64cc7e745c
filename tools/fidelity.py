#!/usr/bin/env python3
"""Compares sampled launches with detailed ones, and writes the table of docs/sampling.md.

    tools/fidelity.py BUILD [--gpu NAME ...] [--case NAME ...] [--waves N] [--long] [--write]

Each case is a kernel of examples/cubin or validate/kernels/cubin with a grid of N waves, on a part of a GPU unless
--gpu names a whole one. With --long the grid has 1e8
warp instructions, and the detailed run is left out: rates are compared. Results are rows of docs/fidelity.tsv, which a
further run adds to. --write makes the table from them and runs nothing. """
import argparse
import json
import os
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "docs", "fidelity.tsv")
PAGE = os.path.join(ROOT, "docs", "sampling.md")
COLUMNS = ["gpu", "case", "size", "ctas", "waves", "instructions", "detailed", "sampled", "half_width", "timed",
           "seconds_detailed", "seconds_sampled", "seconds_functional"]
LONG = 100_000_000
# name: configuration, architecture, SMs, assignments. A part has its share of L2 and memory: its waves are shorter.
GPUS = {
    "a100": ("a100", "80", 108, []),
    "rtx-a6000": ("rtx-a6000", "86", 84, []),
    "a100 / 10": ("a100", "80", 10, ["gpu.sms=10", "gpu.gpcs=6 4", "l2.slices=8", "l2.size=4194304",
                                     "dram.channels=4", "dram.bandwidth=155.5"]),
    "rtx-a6000 / 6": ("rtx-a6000", "86", 14, ["gpu.sms=14", "gpu.gpcs=8 6", "l2.slices=8", "l2.size=1048576",
                                              "dram.channels=4", "dram.bandwidth=128"]),
}
PARTS = ["a100 / 10", "rtx-a6000 / 6"]


def square(ctas, tile_x, tile_y, across=64):
    """A grid of `across` tiles in x, and so many rows of tiles that there are about `ctas`."""
    down = max(1, ctas // across)
    return f"{across},{down}", across * tile_x, down * tile_y


def vecadd(n):
    n, grid = n * 256, n
    return grid, "256", [f"f32[{n}]=zero", f"f32[{n}]=zero", f"f32[{n}]=zero", f"u32:{n}"]


def axpy(n):
    return n, "256", [f"f32[{n * 256}]=zero", f"f32[{n * 256}]=zero", "f32:2", f"i32:{n * 256}"]


def transpose(n):
    grid, columns, rows = square(n, 32, 32)
    return grid, "32,8", [f"u32[{rows * columns}]=zero", f"u32[{rows * columns}]=zero", f"i32:{rows}", f"i32:{columns}"]


def stencil5(n):
    grid, width, height = square(n, 32, 16)
    return grid, "32,8", [f"f32[{width * height}]=zero", f"f32[{width * height}]=zero", f"i32:{width}",
                          f"i32:{height}"]


def wave9(n):
    grid, width, height = square(n, 128, 4, 16)
    return grid, "128", [f"f32[{width * height}]=zero", f"f32[{width * height}]=zero", f"i32:{width}",
                         f"i32:{height}", "f32:0.1"]


def hotspot(n):
    grid, width, height = square(n, 12, 12)
    return grid, "16,16", [f"f32[{width * height}]=zero", f"f32[{width * height}]=zero",
                           f"f32[{width * height}]=zero", f"i32:{width}", f"i32:{height}", "f32:0.1", "f32:80"]


def softmax_warp(n):
    return n, "256", [f"f32[{n * 2048}]=zero", f"f32[{n * 2048}]=zero", f"i32:{n * 8}"]


def layer_norm(n):
    return n, "128", [f"f32[{n * 512}]=zero", "f32[512]=zero", "f32[512]=zero", f"f32[{n * 512}]=zero", "f32:1e-5"]


def gather(n):
    rows = 1 << 20
    return n, "256", [f"f32[{rows * 64}]=zero", f"i32[{n * 16}]=seed:1%{rows}", f"f32[{n * 1024}]=zero"]


def gather_hot(n):
    rows = 1 << 15
    return n, "256", [f"f32[{rows * 64}]=zero", f"i32[{n * 16}]=seed:1%{rows}", f"f32[{n * 1024}]=zero"]


def mandelbrot(n):
    return n, "256", [f"u8[{n * 256}]=zero", "f32:-0.5", f"f32:{-8e-3 * n / 2:.5f}", "f32:0.008"]


def spheres(n):
    return n, "256", ["f32[24]=seed:1", f"f32[{n * 256}]=zero", "f32:0.004", "hex:0000003f0000003f0000003f"]


def histogram(n):
    return n, "256", [f"u32[{n * 1024}]=zero", "u32[256]=zero"]


def reduce_shuffle(n):
    return n, "256", [f"u32[{n * 1024}]=zero", f"u32[{n}]=zero"]


def sgemm_shared(n):
    grid, width, height = square(n, 16, 16)
    return grid, "16,16", [f"f32[{height * 64}]=zero", f"f32[{64 * width}]=zero", f"f32[{width * height}]=zero",
                           f"i32:{height}", f"i32:{width}", "i32:64"]


def sgemm_register(n):
    grid, width, height = square(n, 64, 64)
    return grid, "64", [f"f32[{height * 32}]=zero", f"f32[{32 * width}]=zero", f"f32[{width * height}]=zero",
                        f"i32:{height}", f"i32:{width}", "i32:32"]


def fft(n):
    return n, "128", [f"f32[{n * 1024}]=zero"]


def depthwise(n):
    return n, "32,8", [f"f32[{n * 1024}]=zero", f"f32[{n * 9}]=zero", f"f32[{n * 1024}]=zero"]


def match(n):
    return n, "256", [f"u8[{n * 256 + 16}]=seed:1%2", "u8[8]=zero", f"u32[{n * 8}]=zero"]


# name: module, kernel, arguments
CASES = {
    "vecadd": ("examples/cubin/vecadd", "vecadd", vecadd),
    "stream_axpy": ("validate/kernels/cubin/stream", "stream_axpy", axpy),
    "transpose_padded": ("validate/kernels/cubin/transpose", "transpose_padded", transpose),
    "transpose_naive": ("validate/kernels/cubin/transpose", "transpose_naive", transpose),
    "stencil5_tiled": ("validate/kernels/cubin/stencils", "stencil5_tiled", stencil5),
    "wave9": ("validate/kernels/cubin/stencils", "wave9", wave9),
    "hotspot": ("validate/kernels/cubin/hotspot", "hotspot", hotspot),
    "softmax_warp": ("validate/kernels/cubin/softmax", "softmax_warp", softmax_warp),
    "layer_norm": ("validate/kernels/cubin/layer_norm", "layer_norm", layer_norm),
    "embedding_gather": ("validate/kernels/cubin/embedding", "embedding_gather", gather),
    "embedding_gather, hot": ("validate/kernels/cubin/embedding", "embedding_gather", gather_hot),
    "mandelbrot": ("validate/kernels/cubin/pictures", "mandelbrot", mandelbrot),
    "spheres": ("validate/kernels/cubin/pictures", "spheres", spheres),
    "histogram_shared": ("validate/kernels/cubin/histograms", "histogram_shared", histogram),
    "reduce_shuffle": ("validate/kernels/cubin/reductions", "reduce_shuffle", reduce_shuffle),
    "sgemm_shared": ("validate/kernels/cubin/sgemm", "sgemm_shared", sgemm_shared),
    "sgemm_register": ("validate/kernels/cubin/sgemm", "sgemm_register", sgemm_register),
    "fft_radix4": ("validate/kernels/cubin/fft", "fft_radix4", fft),
    "depthwise_convolution": ("validate/kernels/cubin/depthwise", "depthwise_convolution", depthwise),
    "match_letters": ("validate/kernels/cubin/strings", "match_letters", match),
}


def command(subcore, gpu, case, ctas, *more):
    module, kernel, shape = CASES[case]
    grid, block, arguments = shape(ctas)
    config, architecture, _, settings = GPUS[gpu]
    words = [subcore, "run", f"{ROOT}/{module}.sm_{architecture}.cubin", "--kernel", kernel, "--gpu", config,
             "--grid", str(grid), "--block", block, "-j", "1", "-q", "--json", "-", "--set", "gpu.memory=40"]
    for setting in settings:
        words += ["--set", setting]
    for argument in arguments:
        words += ["--arg", argument]
    return words + list(more)


def run(words):
    """The kernel's object, and the CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(words, stdout=subprocess.PIPE, env=dict(os.environ, SUBCORE_ROOT=ROOT, SUBCORE_PROGRESS="0"))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}")
    kernel = json.loads(done.stdout)["kernels"][0]
    return kernel, kernel.get("host_seconds", seconds), seconds


def measure(subcore, gpu, case, waves, long, old):
    small, _, _ = run(command(subcore, gpu, case, 64))
    resident = small["occupancy"]["ctas_per_sm"] * GPUS[gpu][2]
    ctas = waves * resident + resident // 3
    if long:
        ctas = max(ctas, LONG * 64 // small["warp_instructions"])
    functional, _, seconds_functional = run(command(subcore, gpu, case, ctas, "--functional"))
    sampled, _, seconds_sampled = run(command(subcore, gpu, case, ctas, "--fidelity", "sampled"))
    stopped = sampled.get("stopped")
    cycles = stopped["estimated_cycles"] if stopped else sampled["cycles"]["elapsed"]
    half = stopped["half_width_cycles"] if stopped else 0
    timed = sampled["warp_instructions"] / functional["warp_instructions"]
    detailed, seconds_detailed = "", ""
    if old and int(old["ctas"]) == ctas:
        detailed, seconds_detailed = int(old["detailed"]), float(old["seconds_detailed"])
    elif not long:
        whole, _, seconds_detailed = run(command(subcore, gpu, case, ctas))
        detailed = whole["cycles"]["elapsed"]
    return {"gpu": gpu, "case": case, "size": "long" if long else "", "ctas": ctas,
            "waves": round(ctas / resident, 1), "instructions": functional["warp_instructions"],
            "detailed": detailed, "sampled": cycles, "half_width": round(half), "timed": round(timed, 4),
            "seconds_detailed": seconds_detailed and round(seconds_detailed, 2),
            "seconds_sampled": round(seconds_sampled, 2), "seconds_functional": round(seconds_functional, 2)}


def read():
    if not os.path.exists(TABLE):
        return []
    with open(TABLE, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def save(rows):
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for row in rows:
            file.write("\t".join(str(row[column]) for column in COLUMNS) + "\n")


def number(value):
    return f"{int(float(value)):,}"


def accuracy(rows):
    lines = ["| GPU | kernel | waves | timed | detailed | sampled | error | stated | holds | speed-up |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    errors, held = [], 0
    for row in rows:
        detailed, sampled, half = float(row["detailed"]), float(row["sampled"]), float(row["half_width"])
        errors.append(abs(sampled / detailed - 1))
        inside = abs(sampled - detailed) <= half or sampled == detailed
        held += inside
        lines.append(f"| `{row['gpu']}` | {row['case']} | {row['waves']} | {float(row['timed']) * 100:.0f} % | "
                     f"{number(detailed)} | {number(sampled)} | {(sampled / detailed - 1) * 100:+.2f} % | "
                     f"{half / sampled * 100:.2f} % | {'yes' if inside else 'no'} | "
                     f"{float(row['seconds_detailed']) / float(row['seconds_sampled']):.1f} |")
    lines += ["", f"Mean error {sum(errors) / len(errors) * 100:.2f} %, largest {max(errors) * 100:.2f} %. "
                  f"The interval held in {held} of {len(rows)} runs."]
    return lines


def speed(rows):
    lines = ["| GPU | kernel | warp instructions | timed | cycles | stated | CPU seconds | functional | rate, of "
             "functional |", "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| `{row['gpu']}` | {row['case']} | {number(row['instructions'])} | "
                     f"{float(row['timed']) * 100:.1f} % | {number(row['sampled'])} | "
                     f"{float(row['half_width']) / float(row['sampled']) * 100:.2f} % | {row['seconds_sampled']} | "
                     f"{row['seconds_functional']} | "
                     f"{float(row['seconds_functional']) / float(row['seconds_sampled']) * 100:.0f} % |")
    return lines


def write(rows):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    for name, make, size in (("accuracy", accuracy, ""), ("speed", speed, "long")):
        own = [row for row in rows if row["size"] == size]
        begin, end = f"<!-- {name}: tools/fidelity.py -->\n", f"<!-- end of {name} -->"
        if own and begin in text:
            head, rest = text.split(begin)
            text = head + begin + "\n".join(make(own)) + "\n" + end + rest.split(end)[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--gpu", action="append", choices=sorted(GPUS))
    parser.add_argument("--case", action="append", choices=sorted(CASES))
    parser.add_argument("--waves", type=int, default=60)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--sampled", action="store_true", help="take the detailed cycles of docs/fidelity.tsv")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = read()
    size = "long" if options.long else ""
    for gpu in [] if options.write else options.gpu or (["a100"] if options.long else PARTS):
        for case in options.case or CASES:
            old = [r for r in rows if (r["gpu"], r["case"], r["size"]) == (gpu, case, size)]
            row = measure(os.path.join(options.build, "subcore"), gpu, case, options.waves, options.long,
                          old[0] if old and options.sampled and not options.long else None)
            rows = [r for r in rows if r not in old] + [row]
            print("\t".join(str(row[column]) for column in COLUMNS), flush=True)
            save(rows)
    if options.write:
        write(rows)


if __name__ == "__main__":
    main()
