#!/usr/bin/env python3
"""Proposes values of a GPU's configuration from measurements of it:

    calibrate.py SUBCORE GPU [MEASURED.json] [--card CARD]

GPU is a name or the path of a .toml file. MEASURED.json comes from `subcore measure --gpu GPU --json`; without it the
measurements that matter here are run. CARD is the output of `validate-gpu micro` on the card, the tables (micro.txt) or
the rows (micro-rows.csv); without it the numbers of validate/data count. Each number outside its reference range moves
the one key that it depends on most, so run it again after a change. A number within its range proposes nothing. Aim for
the middle of the range."""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

# quantity, key, the key's change per unit of the quantity, or "share": the key grows with the quantity.
LATENCIES = [
    ("chase.l1", "l1.latency", 1),
    ("chase.shared", "shared.latency", 1),
    ("chase.l2", "l2.latency", 1),
    ("far.hit.far", "l2.link_latency", 0.5),
    ("chase.dram", "dram.latency", 1),
    ("tlb.step", "tlb.miss_latency", 1),
    ("constant.l0", "lsu.constant_latency_vector", 1),
    ("constant.l15", "constant.l15_latency", 1),
    ("atomics.shared.add.words", "shared.atomic_extra", 1),
    ("atomics.shared.cas.1", "shared.compare_extra", 1),
    ("atomics.global.add.1", "l2.atomic_latency", 1),
    ("fences.cta", "lsu.fence_cta", 1),
    ("fences.gpu", "lsu.fence_gpu", 1),
]
SHARES = [
    ("bandwidth.l2.read", "noc.slice_reply_bytes"),
    ("bandwidth.l2.write", "noc.slice_request_bytes"),
]
# A quantity contains others: their changes are no longer to be added.
CONTAINS = {
    "chase.l2": "chase.l1", "chase.dram": "chase.l2", "far.hit.far": "far.hit.near", "atomics.global.add.1": "chase.l2",
}
MEASURES = ["chase", "far", "tlb", "constant", "bandwidth", "atomics", "fences"]


def measure(subcore, gpu):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([subcore, "measure", *MEASURES, "--gpu", gpu, "--quick", "--quiet", "--json", file.name],
                       check=False, stderr=subprocess.DEVNULL)
        return json.load(file)


def configuration(subcore, gpu):
    text = subprocess.run([subcore, "config", gpu], check=True, capture_output=True, text=True).stdout
    values, section = {}, ""
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line:
            key, value = line.split("=", 1)
            values[f"{section}.{key.strip()}"] = value.strip()
    return values


def lacking(value):
    """Returns the amount to add for the middle of the range, or 0 within it."""
    measured, low, high = value.get("measured"), value.get("low"), value.get("high")
    if measured is None or low is None or low <= measured <= high:
        return 0.0
    return (low + high) / 2 - measured


def read_card(path):
    """The numbers under the tables (name, value, and the rest of the line), or those of rows (gpu, name, value)."""
    row = re.compile(r"^(?:  |[^,]+,)([a-z0-9]+\.[a-z0-9.]+)(?: +|,)([0-9.e+]+)(?:[ ,]|$)")
    with open(path, encoding="utf-8") as file:
        found = [row.match(line) for line in file]
    return {match[1]: float(match[2]) for match in found if match}


def read_values(subcore, gpu, path, card):
    if path:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    else:
        document = measure(subcore, gpu)
    name = pathlib.Path(gpu).name.removesuffix(".toml")
    values = {value["quantity"]: value for table in document["measures"] if table["gpu"] == name
              for value in table["values"]}
    if card:
        for quantity, value in values.items():
            value.pop("low", None)
            if quantity in card:
                value.update(low=card[quantity], high=card[quantity], source="the card")
    return values


def main(subcore, gpu, path=None, card=None):
    values = read_values(subcore, gpu, path, read_card(card) if card else None)
    now = configuration(subcore, gpu)

    def propose(quantity, key, value):
        v = values[quantity]
        print(f"{key} = {value}  # now {now[key]}; {quantity}: {v['measured']:.6g}, {v['low']:g} to {v['high']:g} "
              f"({v['source']})")

    for quantity, key, part in LATENCIES:
        if quantity in values and key in now:
            more = lacking(values[quantity])
            if more and quantity in CONTAINS:
                more -= lacking(values.get(CONTAINS[quantity], {}))
            if round(part * more):
                propose(quantity, key, round(float(now[key]) + part * more))
    for quantity, key in SHARES:
        if quantity in values and key in now and lacking(values[quantity]):
            v = values[quantity]
            propose(quantity, key, round(float(now[key]) * (v["low"] + v["high"]) / 2 / v["measured"]))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("subcore", metavar="SUBCORE")
parser.add_argument("gpu", metavar="GPU")
parser.add_argument("measured", metavar="MEASURED.json", nargs="?")
parser.add_argument("--card", metavar="CARD")
arguments = parser.parse_args()
main(arguments.subcore, arguments.gpu, arguments.measured, arguments.card)
