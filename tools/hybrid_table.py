#!/usr/bin/env python3
"""Compares hybrid launches with detailed ones on the kernels of validate/kernels, and writes the table of
docs/hybrid.md.

    tools/hybrid_table.py BUILD [--gpu NAME ...] [--size SIZE] [--detailed FOLDER] [--write]

Each GPU runs all kernels detailed and hybrid, one host thread each. Rows go to docs/hybrid.tsv. With --detailed, the
detailed run is that of the file NAME.json in the folder, and made there if it is missing. --write makes the tables of
the page from the rows and runs nothing.
"""
import argparse
import json
import os
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "docs", "hybrid.tsv")
PAGE = os.path.join(ROOT, "docs", "hybrid.md")
COLUMNS = ["gpu", "kernel", "detailed", "hybrid", "l1_detailed", "l1_hybrid", "l2_detailed", "l2_hybrid"]
CYCLES = "gpc__cycles_elapsed.max"
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
L2 = "lts__t_sector_hit_rate.pct"
WHOLE = "sm__cycles_active.avg"  # only of launches that are timed whole
SHOWN = 12  # of the largest errors


def run(build, gpu, size, fidelity, path):
    """CPU seconds of all kernels; the rows are in the file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([os.path.join(build, "subcore"), "validate", "kernels", "--gpu", gpu, "--size", size, "-j", "1",
                    "-q", "--fidelity", fidelity, "--json", path],
                   env=dict(os.environ, SUBCORE_ROOT=ROOT, SUBCORE_PROGRESS="0"), check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def launches(path):
    """{launch: {metric: value}}"""
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    result = {}
    for row in rows:
        _, kernel, _, number, metric = row["quantity"].split(".", 4)
        result.setdefault(f"{kernel} {number}", {})[metric] = row["predicted"]
    return result


def percent(values):
    loads = values.get(LOADS)
    return f"{100 * values[HITS] / loads:.2f}" if loads else ""


def compare(gpu, detailed, hybrid):
    rows = []
    for name, values in hybrid.items():
        if WHOLE in values or name not in detailed:
            continue
        whole = detailed[name]
        rows.append({"gpu": gpu, "kernel": name, "detailed": int(whole[CYCLES]), "hybrid": int(values[CYCLES]),
                     "l1_detailed": percent(whole), "l1_hybrid": percent(values),
                     "l2_detailed": "" if whole[L2] is None else f"{whole[L2]:.2f}",
                     "l2_hybrid": "" if values[L2] is None else f"{values[L2]:.2f}"})
    whole = sum(WHOLE in values for values in hybrid.values())
    return rows, whole


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


def error(row):
    return int(row["hybrid"]) / int(row["detailed"]) - 1


def differences(rows, level):
    both = [(row[level + "_detailed"], row[level + "_hybrid"]) for row in rows]
    return [abs(float(a) - float(b)) for a, b in both if a and b]


def summary(rows):
    lines = ["| GPU | launches | mean error | largest | within 12 % | L1: mean, largest difference | within 3 points | "
             "L2: mean, largest difference | within 5 points |", "|---|---|---|---|---|---|---|---|---|"]
    for gpu in sorted({row["gpu"] for row in rows}):
        own = [row for row in rows if row["gpu"] == gpu]
        errors = [abs(error(row)) for row in own]
        cells = [f"`{gpu}`", str(len(own)), f"{100 * sum(errors) / len(errors):.2f} %", f"{100 * max(errors):.1f} %",
                 f"{sum(e <= 0.12 for e in errors)} of {len(errors)}"]
        for level, bound in (("l1", 3), ("l2", 5)):
            off = differences(own, level)
            cells += [f"{sum(off) / len(off):.2f}, {max(off):.1f}", f"{sum(d <= bound for d in off)} of {len(off)}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def worst(rows):
    lines = ["| GPU | kernel, launch | detailed | hybrid | error | L1 hits, detailed | hybrid | L2 hits, detailed | "
             "hybrid |", "|---|---|---|---|---|---|---|---|---|"]
    for gpu in sorted({row["gpu"] for row in rows}):
        own = sorted((row for row in rows if row["gpu"] == gpu), key=lambda row: -abs(error(row)))
        for row in own[:SHOWN]:
            rates = [f"{float(row[key]):.1f} %" if row[key] else "-"
                     for key in ("l1_detailed", "l1_hybrid", "l2_detailed", "l2_hybrid")]
            lines.append(f"| `{gpu}` | {row['kernel']} | {int(row['detailed']):,} | {int(row['hybrid']):,} | "
                         f"{100 * error(row):+.1f} % | " + " | ".join(rates) + " |")
    return lines


def write(rows):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    for name, make in (("summary", summary), ("worst", worst)):
        begin, end = f"<!-- {name}: tools/hybrid_table.py -->\n", f"<!-- end of {name} -->"
        head, rest = text.split(begin)
        text = head + begin + "\n".join(make(rows)) + "\n" + end + rest.split(end)[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)


def measure(options, gpu):
    folder = options.detailed or "/tmp"
    whole, some = (os.path.join(folder, f"{gpu}{end}.json") for end in ("", "-hybrid"))
    seconds = 0.0
    if not (options.detailed and os.path.exists(whole)):
        seconds = run(options.build, gpu, options.size, "detailed", whole)
    hybrid = run(options.build, gpu, options.size, "hybrid", some)
    rows, left = compare(gpu, launches(whole), launches(some))
    print(f"{gpu}: {len(rows)} launches hybrid, {left} timed whole; CPU seconds of all: "
          f"{f'{seconds:.1f}' if seconds else '-'} detailed, {hybrid:.1f} hybrid", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--gpu", action="append")
    parser.add_argument("--size", default="full", choices=["small", "medium", "full"])
    parser.add_argument("--detailed", metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = read()
    for gpu in [] if options.write else options.gpu or ["a100", "rtx-a6000"]:
        rows = [row for row in rows if row["gpu"] != gpu] + measure(options, gpu)
        save(rows)
    for line in summary(rows) if rows else []:
        print(line)
    if options.write:
        write(rows)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
