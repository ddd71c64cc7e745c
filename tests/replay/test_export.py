#!/usr/bin/env python3
"""A demo that is recorded, exported for Accel-Sim and replayed from there takes the cycles of its execution, both with
a scoreboard. SUBCORE is the program; `test_export.py GPU [DEMO...]` compares these demos, or all, and prints a table:
execution, replay, replay without the machine code beside the trace."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SUBCORE = os.environ["SUBCORE"]
ROOT = pathlib.Path(os.environ["SUBCORE_ROOT"])
SCOREBOARD = ["--set", "core.dependence=scoreboard"]
# Small ones with loads, stores, shuffles, atomics, barriers, several launches. bfs is none of them: it is recorded
# functionally, and the work of its threads depends on time.
DEMOS = {"a100": ["saxpy", "reduce-shuffle", "transpose-conflict", "stencil", "softmax", "histogram-shared"],
         "rtx-a6000": ["reduce-shared", "scan", "spmv-vector"]}


def run(*words):
    result = subprocess.run([SUBCORE, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, (words, result)
    return result.stdout


def cycles(*words):
    return [kernel["cycles"]["elapsed"] for kernel in json.loads(run(*words, "--json", "-", "--quiet"))["kernels"]]


def check_grammar(path):
    result = subprocess.run([sys.executable, ROOT / "tools/check_traceg.py", path], capture_output=True, text=True,
                            check=False)
    assert result.returncode == 0, result
    return sum(int(count) for count in re.findall(r"instructions=(\d+)", result.stdout))


def measure(gpu, demo, folder, plain=True):
    """Cycles of each launch: executed, replayed, and if `plain`, replayed without machine code."""
    trace, traces = folder / "demo.trace", folder / "traces"
    executed = cycles("demo", demo, "--gpu", gpu, *SCOREBOARD)
    run("record", "demo", demo, "--gpu", gpu, "-o", trace, "--quiet")
    run("trace", "convert", trace, "--output", traces, "--quiet")
    recorded = json.loads(run("trace", "info", trace, "--json", "-", "--quiet"))["warp_instructions"]
    assert check_grammar(traces / "kernelslist.g") == recorded, (demo, recorded)
    replay = ("replay", traces / "kernelslist.g", "--gpu", gpu, *SCOREBOARD)
    return executed, cycles(*replay), cycles(*replay, "--no-code") if plain else None


def table(gpu, demos):
    demos = demos or re.findall(r"^  (\S+)", run("demo", "--list"), re.MULTILINE)
    for demo in demos:
        with tempfile.TemporaryDirectory() as folder:
            executed, replayed, plain = (sum(each) for each in measure(gpu, demo, pathlib.Path(folder)))
        print(f"| {demo} | {executed:,} | {100 * (replayed / executed - 1):+.2f} % | "
              f"{100 * (plain / executed - 1):+.2f} % |", flush=True)


def main():
    if len(sys.argv) > 1:
        table(sys.argv[1], sys.argv[2:])
        return 0
    cases = [(gpu, demo) for gpu, demos in DEMOS.items() for demo in demos]
    cases = cases if "SUBCORE_FULL" in os.environ else cases[::2]
    print(f"1..{len(cases)}")
    failed = 0
    for number, (gpu, demo) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            executed, replayed, _ = measure(gpu, demo, pathlib.Path(folder), plain=False)
        good = executed == replayed and len(executed) > 0
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} {demo} on {gpu}", flush=True)
        if not good:
            print(f"# executed {executed}\n# replayed {replayed}", flush=True)
    return 1 if failed else 0


sys.exit(main())
