#!/usr/bin/env python3
"""Writes docs/accuracy.md: the distance of the simulator from measurements on hardware, row by row.

usage: accuracy.py [--keep] [--full] SUBCORE FOLDER PAGE [GPU...]

Runs `subcore validate` for each GPU that has numbers in validate/data; FOLDER receives GPU.json, GPU.csv and GPU.svg.
--full takes the long form of the measurements. --keep runs only GPUs that FOLDER does not have. PAGE is written from
all that lie in FOLDER; without a GPU all are run."""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {"measurement": "measurements", "experiment": "experiments", "kernel": "kernels, cycles"}
CYCLES = "gpc__cycles_elapsed.max"


def measured_gpus():
    """GPUs that have numbers, and those whose kernels were measured."""
    gpus, kernels = [], set()
    for path in sorted((ROOT / "validate" / "data").glob("*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                if row["gpu"] not in gpus:
                    gpus.append(row["gpu"])
                if row["quantity"].startswith("kernel."):
                    kernels.add(row["gpu"])
    return gpus, kernels


def run(subcore, folder, gpu, parts, full):
    outputs = ["--json", folder / f"{gpu}.json", "--csv", folder / f"{gpu}.csv", "--plot", folder / f"{gpu}.svg"]
    command = [subcore, "validate", *parts, "--gpu", gpu, "--quiet", *outputs]
    done = subprocess.run(command + ["--quick"] * (not full), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"accuracy.py: {gpu}: {done.stderr}")


def number(value):
    return "-" if value is None else f"{value:.6g}"


def percent(value):
    return "-" if value is None else f"{value:+.1f} %"


def range_of(row):
    low, high = number(row["low"]), number(row["high"])
    return low if low == high else f"{low}..{high}"


def summary(documents):
    lines = ["| GPU | rows | number | within 5 % | MAPE | bias | median | 90 % | worst |",
             "|---|---|---|---|---|---|---|---|---|"]
    for gpu, document in documents.items():
        for kind, name in KINDS.items():
            a = document["accuracy"][kind]
            if not a["rows"]:
                continue
            share = 100 * a["within_5_percent"] / a["rows"]
            lines.append(f"| `{gpu}` | {name} | {a['rows']} | {a['within_5_percent']} ({share:.0f} %) | "
                         f"{a['mape']:.1f} % | {percent(a['bias'])} | {a['median']:.1f} % | {a['p90']:.1f} % | "
                         f"{percent(a['worst'])} {a['worst_quantity']} |")
    return lines


def overall(documents):
    lines = []
    for kind, name in KINDS.items():
        counts = [document["accuracy"][kind] for document in documents.values()]
        rows, fit = sum(a["rows"] for a in counts), sum(a["within_5_percent"] for a in counts)
        if rows:
            lines.append(f"- {name}: {fit} of {rows} rows within 5 % ({100 * fit / rows:.1f} %)")
    return lines


def compared(row):
    return row["low"] is not None and (row["kind"] != "kernel" or row["quantity"].endswith(CYCLES))


def rows(document):
    """Each row that was measured, the bad ones first; of kernels the cycles."""
    lines = ["| error | quantity | measured | predicted | unit | verdict | source |", "|---|---|---|---|---|---|---|"]
    reasons = {}
    for row in filter(compared, document["rows"]):
        source = row["source"].replace("|", "\\|")
        lines.append(f"| {percent(row['error_percent'])} | {row['quantity']} | {range_of(row)} | "
                     f"{number(row['predicted'])} | {row['unit']} | {row['verdict']} | {source} |")
        if row["open"]:
            reasons.setdefault(row["open"], []).append(row["quantity"])
    lines += [""] * bool(reasons)
    return lines + [f"- Known, {', '.join(names)}: {reason}" for reason, names in reasons.items()]


def page(documents, head):
    lines = [head, "<!-- from here on written by `make accuracy` -->", "", "## All GPUs", ""]
    lines += overall(documents) + [""] + summary(documents)
    for gpu, document in documents.items():
        lines += ["", f"## {gpu}", ""] + rows(document)
    return "\n".join(lines) + "\n"


def main(a):
    a.folder.mkdir(parents=True, exist_ok=True)
    known, kernels = measured_gpus()
    for gpu in a.gpu or known:
        if gpu not in known:
            sys.exit(f"accuracy.py: nothing was measured on {gpu}")
        if not (a.keep and (a.folder / f"{gpu}.json").exists()):
            run(a.subcore, a.folder, gpu, ["micro", "experiments"] + ["kernels"] * (gpu in kernels), a.full)
            print(gpu, flush=True)
    documents = {gpu: json.loads((a.folder / f"{gpu}.json").read_text(encoding="utf-8"))
                 for gpu in known if (a.folder / f"{gpu}.json").exists()}
    head = a.page.read_text(encoding="utf-8").split("<!-- from here")[0].rstrip("\n") + "\n" if a.page.exists() else ""
    a.page.write_text(page(documents, head), encoding="utf-8")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--keep", action="store_true")
parser.add_argument("--full", action="store_true")
parser.add_argument("subcore")
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("page", type=pathlib.Path)
parser.add_argument("gpu", nargs="*")
main(parser.parse_args())
