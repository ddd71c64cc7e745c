#!/usr/bin/env python3
"""Writes measured numbers into the documents that cite them, so that no page has a number of its own.

usage: numbers.py [--check] ROOT

A document cites a number as a link whose title begins with "=": [3.5](docs/speed.md "= replay.ffma"). This program
replaces the link's text by the number of that key. A table between "<!-- numbers: KEY -->" and "<!-- end -->" is
replaced as a whole. --check writes nothing, and fails where a document differs.

Numbers come from bench/history.csv (`make bench SAVE=1`), docs/accuracy.md (`make accuracy`), the folder configs, the
corpus, and docs/figures.tsv for figures that were measured by hand."""
import csv
import pathlib
import re
import sys

LINK = re.compile(r'\[([^\]\n]*)\](\([^)\s]+\s+"= ([a-z0-9.-]+)"\))')
TABLE = re.compile(r"(<!-- numbers: ([a-z0-9.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
GPU = "a100"
WORKLOADS = ("ffma", "gemm", "copy", "triad", "gather", "atomics", "chase")
WAYS = (("functional", 1), ("record", 1), ("detailed", 1), ("replay", 1), ("detailed", 2), ("replay", 2))
KINDS = ("measurements", "experiments")
# Tables of docs/blackwell-paper.md: the quantities that begin so, of two GPUs beside each other.
BESIDE = (("rtx-5080", "RTX 5080"), ("h100-pcie", "H100 PCIe"))
BESIDE_TABLES = {"paper.table-3": ("pipes.",), "paper.mma": ("mma.",), "paper.chase": ("chase.", "far."),
                 "paper.rewrite": ("rewrite.",)}


def uncommented(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def rates(root):
    """Warp instructions per second of the newest entry, by (workload, mode, threads)."""
    newest = {}
    for row in csv.DictReader(uncommented(root / "bench" / "history.csv")):
        if row["gpu"] == GPU:
            newest[row["workload"], row["mode"], int(row["threads"])] = row
    return newest


def rate_table(newest):
    rows = [newest[key] for key in newest if key[0] in WORKLOADS]
    state = sorted({(row["date"], row["commit"], row["host"]) for row in rows})
    heads = [way if threads == 1 else f"{way}, {threads} threads" for way, threads in WAYS]
    lines = ["| workload | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for workload in WORKLOADS:
        cells = []
        for way, threads in WAYS:
            rate = float(newest[workload, way, threads]["instructions_per_second"])
            one = float(newest[workload, way, 1]["instructions_per_second"])
            cells.append(f"{rate / 1e3:,.0f}" + (f" (x {rate / one:.1f})" if threads > 1 else ""))
        lines.append(f"| `{workload}` | " + " | ".join(cells) + " |")
    when = "; ".join(f"{date}, commit {commit}, {host}" for date, commit, host in state)
    return "\n".join(lines + ["", f"Measured: {when}.", ""])


def agreement(root):
    """Rows of docs/accuracy.md with a verdict: how many there are, and how many are open. Our own measurements have no
    tolerance, and no verdict."""
    text = (root / "docs" / "accuracy.md").read_text(encoding="utf-8")
    found = {}
    for kind in KINDS:
        fit, rows = re.search(rf"^- {kind}: (\d+) of (\d+) rows within 5 %", text, re.MULTILINE).groups()
        found[f"{kind}.fit"] = fit
        found[f"{kind}.percent"] = f"{100 * int(fit) / int(rows):.1f}"
    # Of a row the page has: error, quantity, measured, predicted, unit, verdict, source.
    verdicts = re.findall(r"^\| [^|]* \| ([^|]*) \|[^|]*\|[^|]*\|[^|]*\| (ok|open|closed|miss) \|", text, re.MULTILINE)
    for kind in KINDS:
        mine = [verdict for quantity, verdict in verdicts
                if quantity.startswith("experiment.") == (kind == "experiments")]
        found[f"{kind}.rows"] = str(len(mine))
        found[f"{kind}.ok"], found[f"{kind}.open"] = str(mine.count("ok")), str(mine.count("open"))
    return found


def beside(root):
    """Rows of docs/accuracy.md of two GPUs, a table for each key."""
    text = (root / "docs" / "accuracy.md").read_text(encoding="utf-8")
    rows = {}
    for gpu, _ in BESIDE:
        part = re.search(rf"^## {gpu}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
        for line in part.splitlines():
            cells = [cell.strip() for cell in line.split(" | ")]
            if len(cells) == 7 and cells[1] != "quantity":
                # Rows whose source was not judged have no verdict.
                error, quantity, measured, predicted, unit, verdict, _ = cells
                mark = " (open)" if verdict == "open" else ""
                rows.setdefault(quantity, {})[gpu] = (measured, predicted, error.lstrip("| ") + mark, unit)
    found = {}
    for key, starts in BESIDE_TABLES.items():
        heads = [f"{name}: published | here | error" for _, name in BESIDE]
        lines = ["| quantity | unit | " + " | ".join(heads) + " |", "|---" * (2 + 3 * len(BESIDE)) + "|"]
        for quantity in sorted(q for q in rows if q.startswith(starts)):
            mine = rows[quantity]
            cells = [" | ".join(mine[gpu][:3]) if gpu in mine else " | | " for gpu, _ in BESIDE]
            lines.append(f"| `{quantity}` | {next(iter(mine.values()))[3]} | " + " | ".join(cells) + " |")
        found[key] = "\n".join(lines + ["", ""])
    return found


def numbers(root):
    newest = rates(root)
    found = {"gpus": str(len(list((root / "configs").glob("*.toml")))), **agreement(root)}
    for (workload, way, threads), row in newest.items():
        if threads == 1:
            found[f"{way}.{workload}"] = f"{float(row['instructions_per_second']) / 1e6:.2g}"
    for key, value, *_ in csv.reader(uncommented(root / "docs" / "figures.tsv"), delimiter="\t"):
        found[key] = value
    return found, {"rates": rate_table(newest), **beside(root)}


def written(path, found, tables):
    """The document's text with the numbers of now."""
    def known(names, key):
        if key not in names:
            sys.exit(f"{path}: no number has the key '{key}'")
        return names[key]

    text = path.read_text(encoding="utf-8")
    text = LINK.sub(lambda m: f"[{known(found, m[3])}]{m[2]}", text)
    return TABLE.sub(lambda m: m[1] + "\n" + known(tables, m[2]) + m[3], text)


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    arguments = [argument for argument in arguments if argument != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    root = pathlib.Path(arguments[0])
    found, tables = numbers(root)
    stale = 0
    for path in sorted(root.glob("*.md")) + sorted((root / "docs").glob("*.md")):
        text = written(path, found, tables)
        if text == path.read_text(encoding="utf-8"):
            continue
        stale += 1
        if check:
            print(f"{path.relative_to(root)}: a cited number differs from what was measured; `make numbers` mends it")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(root)}: numbers written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
