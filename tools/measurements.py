#!/usr/bin/env python3
"""Measures GPUs and lists the numbers beside the references.

measurements.py [--quick] SUBCORE FOLDER [GPU...]

FOLDER receives the plots (GPU-TABLE.svg), the tables (GPU.json) and summary.md. Without a GPU all are measured."""
import json
import pathlib
import subprocess
import sys

VERDICTS = ("ok", "miss", "open", "closed")


def gpus_of(subcore):
    text = subprocess.run([subcore, "gpus"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in text.splitlines()[1:]]


def measure(subcore, folder, gpu, quick):
    outputs = ["--plot", str(folder), "--json", str(folder / f"{gpu}.json")]
    command = [subcore, "measure", "--gpu", gpu, "--quiet"] + outputs
    run = subprocess.run(command + ["--quick"] * quick, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)


def number(value):
    return "-" if value is None else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"


def reference(value):
    low, high = value["low"], value["high"]
    return f"{low:g}" if low == high else f"{low:g}..{high:g}"


def values_of(folder, gpu):
    document = json.loads((folder / f"{gpu}.json").read_text(encoding="utf-8"))
    return [value for table in document["measures"] for value in table["values"] if "verdict" in value]


def summary(folder, gpus):
    measured = {gpu: values_of(folder, gpu) for gpu in gpus if (folder / f"{gpu}.json").exists()}
    lines = ["| GPU | " + " | ".join(VERDICTS) + " |", "|---|---|---|---|---|"]
    for gpu, values in measured.items():
        count = [sum(value["verdict"] == verdict for value in values) for verdict in VERDICTS]
        lines.append(f"| `{gpu}` | " + " | ".join(str(c) for c in count) + " |")
    for gpu, values in measured.items():
        lines += ["", f"### {gpu}", "", "| quantity | measured | reference | unit | off | verdict | source |",
                  "|---|---|---|---|---|---|---|"]
        for v in values:
            off = "" if v["deviation_percent"] is None else f"{v['deviation_percent']:+.1f} %"
            lines.append(f"| {v['quantity']} | {number(v['measured'])} | {reference(v)} | {v['unit']} | {off} | "
                         f"{v['verdict']} | {v['source']} |")
        reasons = {}
        for v in values:
            if v["open"]:
                reasons.setdefault(v["open"], []).append(v["quantity"])
        lines += [""] * bool(reasons)
        for reason, names in reasons.items():
            lines.append(f"- Open, {', '.join(names)}: {reason}")
    return lines


def main(arguments):
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    subcore, folder = arguments[0], pathlib.Path(arguments[1])
    everything = gpus_of(subcore)
    folder.mkdir(parents=True, exist_ok=True)
    for gpu in arguments[2:] or everything:
        measure(subcore, folder, gpu, quick)
        print(gpu, {v: sum(value["verdict"] == v for value in values_of(folder, gpu)) for v in VERDICTS}, flush=True)
    (folder / "summary.md").write_text("\n".join(["# Measurements", ""] + summary(folder, everything)) + "\n",
                                       encoding="utf-8")
    print(f"{folder}/summary.md, and the plots beside it")


main(sys.argv[1:])
