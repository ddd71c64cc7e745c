#!/usr/bin/env python3
"""Writes the tables of docs/studies.md: every study of 'subcore study' on all demos, as Markdown.

Usage: study_tables.py SUBCORE [--gpu NAME] > tables.md"""
import argparse
import csv
import io
import math
import subprocess


def run(subcore, *words):
    return subprocess.run([subcore, *words], capture_output=True, text=True, check=True).stdout


def table(subcore, study, gpu):
    rows = list(csv.DictReader(io.StringIO(run(subcore, "study", study, "--gpu", gpu, "--csv", "-", "--quiet"))))
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    cell = {(row["kernel"], row["variant"]): row for row in rows}
    lines = [f"| kernel | cycles, {variants[0]} | " + " | ".join(variants[1:]) + " |",
             "|---" * (len(variants) + 1) + "|"]
    for kernel in kernels:
        speed = [f"{float(cell[kernel, v]['speed_up']):.3f}" for v in variants[1:]]
        lines.append(f"| {kernel} | {int(cell[kernel, variants[0]]['cycles']):,} | " + " | ".join(speed) + " |")
    mean = [math.exp(sum(math.log(float(cell[k, v]["speed_up"])) for k in kernels) / len(kernels)) for v in variants[1:]]
    lines.append("| geometric mean | | " + " | ".join(f"{m:.3f}" for m in mean) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subcore")
    parser.add_argument("--gpu", default="rtx-a6000")
    arguments = parser.parse_args()
    listed = run(arguments.subcore, "study", "--list").splitlines()
    for line in listed:
        study, title = line.split(None, 1)
        print(f"## {title.split(':')[0].capitalize()}\n\n    subcore study {study}\n")
        print(table(arguments.subcore, study, arguments.gpu) + "\n", flush=True)


if __name__ == "__main__":
    main()
