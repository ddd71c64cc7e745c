#!/usr/bin/env python3
"""Studies, experiments, measurements and the area of a machine, as their commands print them."""
import csv
import json
import os
import tempfile

from harness import ROOT, document, fails, main, subcore, succeeds
from runs import source


def test_studies_are_listed_with_their_variants():
    assert "register-file  register file ports and register-file cache: 1 port," in succeeds("study", "--list")
    fails(2, "did you mean prefetcher?", "study", "prefecher")
    assert succeeds("study").startswith(succeeds("study", "--list"))
    fails(2, "only one of them", "study", "prefetcher", "straight", "--csv", "-", "--json", "-")
    assert fails(2, "there is no demo 'nothing'", "study", "prefetcher", "straight", "nothing").stdout == ""


def test_a_study_writes_the_same_figures_as_text_csv_and_json():
    with tempfile.TemporaryDirectory() as folder:
        csv, json_file = os.path.join(folder, "a.csv"), os.path.join(folder, "a.json")
        text = succeeds("study", "prefetcher", "straight", "--csv", csv, "--json", json_file)
        rows = [line.split(",") for line in open(csv, encoding="utf-8").read().splitlines()]
        with open(json_file, encoding="utf-8") as file:
            data = json.load(file)
    assert rows[0] == ["study", "gpu", "kernel", "variant", "cycles", "warp_instructions", "speed_up"]
    variants = data["kernels"][0]["variants"]
    assert [(v["variant"], v["cycles"]) for v in variants] == [(r[3], int(r[4])) for r in rows[1:]]
    line = next(line for line in text.splitlines() if line.startswith("straight"))
    assert all(abs(float(r[6]) - float(w)) < 0.001 for r, w in zip(rows[2:], line.split()[2:]))
    cycles = {r[3]: int(r[4]) for r in rows[1:]}
    assert cycles["off"] > 2 * cycles["8"] > 2 * cycles["perfect"]


def test_every_line_of_a_study_has_as_many_fields_as_its_heading():
    rows = list(csv.reader(succeeds("study", "register-file", "vecadd", "--csv", "-", "--quiet").splitlines()))
    assert len(rows) == 6 and {len(row) for row in rows} == {7}


def test_open_rows_are_listed_with_their_reasons():
    listed = source("docs/experiments.md").split("## Open rows")[1].split("##")[0]
    for name in [line.split()[0] for line in succeeds("experiment", "--list").splitlines()]:
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                for line in source(f"experiments/{name}.txt").splitlines() if line.startswith("|")]
        columns = [i for i, heading in enumerate(rows[0]) if heading.split()[:1] == ["open"]]
        assert (f"\n| `{name}` |" in listed) == any(row[i] for row in rows[1:] for i in columns), name


def test_an_experiment_refuses_architectures_that_its_code_is_not_for():
    for line in succeeds("experiment", "--list").splitlines():
        for gpu in ("t4", "a100", "h200", "b200", "rtx-5090"):
            result = subcore("experiment", line.split()[0], "--gpu", gpu, "--row", "1", "--quiet")
            refused = "has no code for sm_" in result.stderr or "exists on sm_" in result.stderr
            assert result.returncode in (0, 1) or refused, (line, gpu, result.stderr)


def test_experiments_compare_cycles_with_hardware():
    listing = succeeds("experiment", "--list")
    assert succeeds("experiment").startswith(listing)
    assert [line.split()[0] for line in listing.splitlines()] == sorted(
        name[:-4] for name in os.listdir(os.path.join(ROOT, "experiments")) if name.endswith(".txt"))
    text = succeeds("experiment", "listing-1", "--sass")
    assert "FFMA R13, R16, R18, R20  7       7         ok" in text and "8 rows: 5 ok, 0 missed, 3 without" in text
    assert "NOP ;" in text and ".kernel row_1" in text
    data = document("experiment", "listing-1", "--row", "3")["experiments"][0]
    assert [row["row"] for row in data["rows"]] == [3] and data["ok"] == 1
    assert data["rows"][0]["parameters"] == {"first": "FFMA R11, R10, R12, R14", "second": "FFMA R13, R16, R18, R20"}
    assert data["rows"][0]["measures"][0] == {
        "name": "window", "expected": "7", "simulated": "7", "verdict": "ok"}
    assert "0 ok, 0 missed, 8 without an expectation" in succeeds("experiment", "listing-1", "--gpu", "h200")
    assert "MISS" in fails(1, "3 rows are not within", "experiment", "listing-1", "--set", "core.read_ports=2").stdout
    fails(2, "did you mean listing-1?", "experiment", "listing-11")
    fails(2, "has 8 rows", "experiment", "listing-1", "--row", "9")
    fails(2, "not both", "experiment", "listing-1", "--all")
    fails(2, "no experiment was measured on 'rtx-5070-ti'", "experiment", "--all", "--gpu", "rtx-5070-ti", "--quiet")
    fails(2, "--row needs the name", "experiment", "--all", "--row", "1")
    fails(2, "'0' is not a positive number", "experiment", "listing-1", "--row", "0")


def test_two_gpus_are_measured_side_by_side():
    text = succeeds("measure", "pipes", "--quick", "--gpu", "rtx-5080", "--beside", "h100-pcie")
    lines = [line.split() for line in text.splitlines()]
    assert ["rtx-5080", "h100-pcie"] * 3 in lines
    assert "pipes.clock cycles 1.00 1 +0.0 % 2.00 2 +0.0 %".split() in lines
    assert any(line[:3] == ["DFMA", "64.00", "8.00"] for line in lines)
    fails(2, "--beside: --all prints a line", "measure", "--all", "--gpu", "t4", "--beside", "a100")
    fails(2, "no GPU named 'a101'", "measure", "pipes", "--gpu", "t4", "--beside", "a101")


def test_area_gives_the_figures_of_the_paper():
    rows = {(m["mechanism"], m["consumers"]): m for m in document_of_area()["mechanisms"]}
    bits, board = rows["control bits", 0], rows["scoreboard", 63]
    assert (bits["bits_per_warp"], bits["bits_per_sm"], round(100 * bits["share_of_registers"], 2)) == (41, 1968, 0.09)
    assert (board["bits_per_warp"], board["bits_per_sm"]) == (2324, 111552)
    assert round(100 * board["share_of_registers"], 2) == 5.32
    assert [rows["scoreboard", n]["bits_per_warp"] for n in (1, 3, 7, 15, 31)] == [664, 996, 1328, 1660, 1992]
    assert document_of_area("--set", "sm.warps=64", "--set", "sm.threads=1536")["mechanisms"][0]["bits_per_sm"] == 2624
    assert len(succeeds("area", "--csv", "-").splitlines()) == 8
    assert "5.32" in succeeds("area")


def document_of_area(*words):
    return json.loads(succeeds("area", *words, "--json", "-"))


main(globals())
