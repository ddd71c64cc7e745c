#!/usr/bin/env python3
"""Runs demos with the assumed values of GPUs at their plausible ends, and writes the tables of the page.

ranges.py SUBCORE FILE [--json FOLDER] [--demo NAME]... [--gpu NAME]...

FILE is docs/ranges.md, whose text stays up to its tables. FOLDER keeps the document of each run. Documents that are
there are not made again."""
import argparse
import json
import pathlib
import subprocess
import tempfile

DEMOS = ("saxpy", "sgemm-tiled", "histogram-shared", "softmax", "hgemm")
GPUS = ("rtx-a6000", "h100-pcie")
MOST_KEYS = 6        # of a demo in the table
LEAST_EFFECT = 0.01  # share of the cycles from which on a value is listed below

MARK = "This page is the output of `tools/ranges.py build/subcore docs/ranges.md`"   # the tables follow its paragraph


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subcore")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--demo", action="append")
    parser.add_argument("--gpu", action="append")
    return parser.parse_args()


def measure(subcore, folder, demo, gpu):
    path = folder / f"{demo}-{gpu}.json"
    if not path.exists():
        subprocess.run([subcore, "demo", demo, "--gpu", gpu, "--range", "--quiet", "--json", str(path)], check=True)
    return json.loads(path.read_text(encoding="utf-8"))["range"]


def name(key):
    return f"{key['section']}.{key['key']}"


def percent(found, cycles):
    value = round(100 * (cycles / found["cycles"] - 1), 1) + 0.0
    return f"{value:+.1f} %" if value else "0.0 %"


def span(found, bounds):
    return f"{percent(found, bounds['least'])} to {percent(found, bounds['most'])}"


def largest(found, key):
    end = max(key["ends"], key=lambda end: abs(end["cycles"] - found["cycles"]))
    return f"`{name(key)}` = {end['value']}: {percent(found, end['cycles'])}"


def table(results):
    lines = ["| demo | GPU | cycles | one value at an end | all together | assumed, varied, of effect "
             "| key that matters most |", "|---|---|---:|---|---|---|---|"]
    for demo, gpu, found in results:
        varied = [key for key in found["keys"] if key["ends"]]
        moved = [key for key in varied if key["effect"] > 0]
        best = "<br>".join(largest(found, key) for key in moved[:MOST_KEYS])
        lines.append(f"| {demo} | {gpu} | {found['cycles']:,.0f} | {span(found, found['one'])} | "
                     f"{span(found, found['together'])} | {len(found['keys'])}, {len(varied)}, {len(moved)} | {best} |")
    return "\n".join(lines) + "\n"


def by_key(results):
    """Of each key the largest effect, with the demo and the GPU."""
    worst = {}
    for demo, gpu, found in results:
        for key in found["keys"]:
            effect = key["effect"] / found["cycles"]
            if effect >= LEAST_EFFECT and effect > worst.get(name(key), (0,))[0]:
                worst[name(key)] = (effect, demo, gpu, key)
    lines = ["\nValues that move one of these results by 1 % or more, by their largest effect:\n",
             "| value | is | may be | largest effect | why the ends are plausible |", "|---|---|---|---|---|"]
    for key_name, (effect, demo, gpu, key) in sorted(worst.items(), key=lambda item: (-item[1][0], item[0])):
        ends = ", ".join(end["value"] for end in key["ends"])
        lines.append(f"| `{key_name}` | {(key['value'] + ' ' + key['unit']).strip()} | {ends} "
                     f"| {100 * effect:.1f} % of {demo} on {gpu} | {key['why']} |")
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.json or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results = [(demo, gpu, measure(options.subcore, folder, demo, gpu)) for demo in options.demo or DEMOS
                   for gpu in options.gpu or GPUS]
    text = options.file.read_text(encoding="utf-8")
    head = text[:text.index("\n\n", text.index(MARK)) + 2]
    options.file.write_text(head + table(results) + by_key(results), encoding="utf-8")


main()
