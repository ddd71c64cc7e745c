#!/usr/bin/env python3
"""The text and the JSON document of one run: members, identities, equality of equal runs."""
import csv
import json
import os
import re
import tempfile

from harness import document, fails, main, subcore, succeeds, without_host
from runs import SAXPY, SAXPY_ARGS, source


def names_in_def(path, prefix="X("):
    """First names of the entries in an X-macro file."""
    rows = [line.strip() for line in source(path).splitlines()]
    return [row[len(prefix):].split(",")[0] for row in rows if row.startswith(prefix) and "," in row]


def test_every_key_of_a_document_is_described():
    described = set(re.findall(r"`([^`\n]+)`", source("docs/json.md")))
    reason = re.compile(r"smsp__average_warps_issue_stalled_\w+_per_issue_active\.ratio")

    def check(value, words):
        for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
            check(item, words)
        for key in value if isinstance(value, dict) else ():
            assert key in described | {"sm", "mem"} or reason.fullmatch(key), (key, words)

    for words in (["experiment", "listing-1"], ["study", "scheduler", "vecadd"], ["demo", "vecadd", "--source"],
                  ["demo", "--all", "-f"], [*SAXPY_ARGS, "--check-hazards"]):
        check(document(*words), words)
    for words in (["area"], ["disasm", SAXPY], ["isa", "ffma"]):
        check(json.loads(succeeds(*words, "--json", "-")), words)


def test_json_has_every_counter_metric_and_reason():
    kernel = document("demo", "vecadd")["kernels"][0]
    manual = source("docs/json.md")
    counters = names_in_def("src/probe/counters.def")
    assert len(counters) > 40
    assert sorted(counters) == sorted([*kernel["counters"]["sm"], *kernel["counters"]["mem"]])
    metrics = [line.split('"')[1] for line in source("src/report/metrics.def").splitlines() if "    X(" in line]
    assert sorted(metrics) == sorted(kernel["metrics"])
    reasons = [line.split('"')[1] for line in source("src/probe/stalls.def").splitlines() if '", ' in line]
    assert reasons == list(kernel["stalls"])
    events = [event for part in kernel["schedulers"].values() for event in part["events"]]
    for name in [*counters, *metrics, *reasons, *kernel["pipes"], *kernel["schedulers"], *events]:
        assert f"`{name}`" in manual, name
    stalls = source("docs/stalls.md")
    for name in [*reasons, *events]:
        assert f"`{name}`" in stalls, name
    for part in ("gpu", "launch", "occupancy", "cycles", "host"):
        for name in kernel[part]:
            assert f"`{name}`" in manual, name
    for name in kernel:
        assert f"`{name}`" in manual, name
    assert list(kernel)[-1] == "host"


def test_identities():
    for demo in ("vecadd", "reduce-shared", "transpose-conflict"):
        kernel = document("demo", demo)["kernels"][0]
        sm, mem, stalls, metrics = (kernel["counters"]["sm"], kernel["counters"]["mem"], kernel["stalls"],
                                    kernel["metrics"])
        assert sum(reason["warp_cycles"] for reason in stalls.values()) == sm["warp_cycles"]
        assert stalls["selected"]["warp_cycles"] == sm["issue_active"] == sm["inst_issued"]
        assert stalls["misc"]["warp_cycles"] == 0
        schedulers = kernel["schedulers"]
        assert sum(part["cycles"] for part in schedulers.values()) == 4 * sm["cycles_active"]
        assert schedulers["no_stall"]["cycles"] == sm["issue_active"]
        for part in schedulers.values():
            assert sum(part["events"].values()) == part["cycles"]
        assert sm["issue_active"] <= sm["subcore_cycles_active"] <= 4 * sm["cycles_active"]
        assert kernel["warp_instructions"] == sm["inst_executed"] == sm["inst_issued"]
        assert kernel["thread_instructions"] == sm["thread_inst_executed_pred_on"] <= sm["thread_inst_executed"]
        assert sum(pipe["inst"] for pipe in kernel["pipes"].values()) == sm["inst_issued"]
        assert sm["l1_sectors_load_hit"] <= sm["l1_sectors_load"]
        assert sm["shared_conflicts"] <= sm["shared_wavefronts"]
        asked = sm["l1_sectors_load"] + sm["l1_sectors_atomic"] + 4 * sm["l15_misses"]  # lines of code and constants
        assert mem["l2_sectors_read_hit"] <= mem["l2_sectors_read"] <= asked
        assert kernel["launch"]["ctas"] == kernel["launch"]["ctas_done"] == sm["ctas"]
        assert metrics["sm__warps_active.avg.pct_of_peak_sustained_active"] <= \
            metrics["sm__maximum_warps_per_active_cycle_pct"]
        assert abs(metrics["gpu__time_duration.sum"] * kernel["gpu"]["clock_mhz"] / 1000
                   - kernel["cycles"]["elapsed"]) < 1e-6 * kernel["cycles"]["elapsed"]
        for name in metrics:
            if name.endswith("pct") or "pct_of_peak" in name:
                assert 0 <= metrics[name] <= 100, (demo, name, metrics[name])
        for name, pipe in kernel["pipes"].items():
            assert 0 <= pipe["percent"] <= 100, (demo, name, pipe)


def test_eligible_warps_are_those_selected_or_not_selected():
    for demo in ("vecadd", "sgemm-tiled"):
        kernel = document("demo", demo)["kernels"][0]
        stalls = kernel["stalls"]
        eligible = stalls["selected"]["warp_cycles"] + stalls["not_selected"]["warp_cycles"]
        assert eligible == kernel["counters"]["sm"]["eligible_cycles"], (demo, eligible)


def test_a_shared_memory_request_has_at_least_one_wavefront():
    for demo in ("transpose-conflict", "reduce-shared"):
        sm = document("demo", demo)["kernels"][0]["counters"]["sm"]
        assert 0 < sm["shared_requests"] <= sm["shared_wavefronts"], (demo, sm["shared_requests"])


def test_equal_runs_give_equal_documents():
    one, two = (document("demo", "bfs", "--threads", threads) for threads in ("1", "3"))
    assert len(one["kernels"]) > 3 and one["check"]["ok"]
    assert one["kernels"][0]["host"]["threads"] != two["kernels"][0]["host"]["threads"]
    assert without_host(one) == without_host(two)


def test_functional_and_detailed_runs_leave_the_same_memory():
    for demo in ("scan", "histogram-shared"):
        one, two = document("demo", demo), document("demo", demo, "--functional")
        assert one["memory_digest"] == two["memory_digest"] and two["check"]["ok"]
        assert "metrics" not in two["kernels"][0]
        assert one["kernels"][0]["warp_instructions"] == two["kernels"][0]["warp_instructions"]


def test_json_goes_to_files_and_text_beside_it():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.json")
        text = succeeds("demo", "vecadd", "--json", path)
        assert text.startswith("vecadd: ") and "Elapsed Cycles" in text
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        assert data["demo"] == "vecadd" and data["error"] is None
        assert os.listdir(folder) == ["out.json"]
        result = subcore("demo", "vecadd", "--json", "-")
        assert "Elapsed Cycles" in result.stderr
        assert without_host(json.loads(result.stdout)) == without_host(data)
        fails(2, "vecad", "demo", "vecad", "--json", os.path.join(folder, "no.json"))
        assert os.listdir(folder) == ["out.json"]


def test_a_run_document():
    data = document(*SAXPY_ARGS)
    assert data["kernels"][0]["kernel"] == "saxpy" and data["error"] is None
    x, y = data["arguments"]
    assert (x["index"], x["changed"], x["first"]) == (1, False, ["0", "1", "2", "3"])
    assert (y["index"], y["changed"], y["first"]) == (2, True, ["1", "3", "5", "7"])


def test_the_instructions_of_a_run_add_up_to_its_totals():
    data = document(*SAXPY_ARGS, "--source")
    kernel, total, rows = data["kernels"][0], data["source"]["total"], data["source"]["instructions"]
    sm = kernel["counters"]["sm"]
    for name in ("inst_issued", "thread_inst_executed", "thread_inst_executed_pred_on", "warp_cycles"):
        assert sum(row[name] for row in rows) == total[name] == sm[name], name
    assert total["scheduler_cycles"] == 4 * sm["cycles_active"]
    assert sum(row["scheduler_cycles"] for row in rows) + data["source"]["scheduler_cycles_without_warp"] == \
        total["scheduler_cycles"]
    for name, reason in kernel["stalls"].items():
        assert sum(row["stalls"].get(name, 0) for row in rows) == reason["warp_cycles"], name
    for name, part in kernel["schedulers"].items():
        assert total["classes"].get(name, 0) == part["cycles"], name
    assert rows[0]["text"] == "MOV R1, c[0x0][0x28]" and rows[0]["line"] == 3 and rows[0]["file"] == "saxpy.cu"
    assert "source" not in document(*SAXPY_ARGS)


def test_instructions_are_printed_with_their_cycles():
    text = succeeds(*SAXPY_ARGS, "--source")
    table = text[text.index("\nInstructions, with"):]
    assert "saxpy.cu:7  y[i] = fmaf(alpha, x[i], y[i]);\n" in table
    assert any(row.startswith(">") and "FFMA" in row and "long_scoreboard" in row for row in table.splitlines())
    assert "instructions that no warp came to\n" in table and max(map(len, table.splitlines())) <= 150
    rows = list(csv.DictReader(succeeds(*SAXPY_ARGS, "--source", "--csv", "-", "--quiet").splitlines()))
    total = document(*SAXPY_ARGS, "--source")["source"]["total"]
    assert rows[0]["instruction"] == "MOV R1, c[0x0][0x28]" and rows[-1]["instruction"] == ""
    assert sum(int(row["warps.long_scoreboard"]) for row in rows) == total["stalls"]["long_scoreboard"]
    assert sum(int(row["idle.no_warp"]) for row in rows) == total["events"]["no_warp"]
    text = succeeds("demo", "reduce-shuffle", "--source")
    assert "The longest launch" in text and "SHFL" in text[text.index("\nInstructions, with"):]
    assert document("demo", "vecadd", "--source")["source"]["instructions"][0]["address"] == 0
    fails(2, "does not go with --all", "demo", "--all", "--source")
    fails(2, "--csv is for the instructions of --source", *SAXPY_ARGS, "--csv", "-")
    fails(2, "--source shows cycles", *SAXPY_ARGS, "--source", "--functional")


def test_the_text_report():
    text = succeeds("demo", "sgemm-tiled")
    lines = text.splitlines()
    assert all(len(line) <= 100 for line in lines) and len(lines) <= 48
    rows = text[text.index("Warp states"):text.index("Pipes")].splitlines()[1:-1]
    assert round(10 * sum(float(row.split()[1]) for row in rows)) == 1000


main(globals())
