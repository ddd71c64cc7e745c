#!/usr/bin/env python3
"""The command line as a user meets it: exit codes, messages, documents. SUBCORE is the program, SUBCORE_ROOT the
sources; `test_cli.py WORD...` runs only the tests whose names hold a word."""
import csv
import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from harness import ROOT, SUBCORE, document, fails, main, subcore, succeeds, without_host

SAXPY = os.path.join(ROOT, "examples/cubin/saxpy.sm_86.cubin")
SGEMM = os.path.join(ROOT, "examples/cubin/sgemm.sm_86.cubin")
SAXPY_RUN = ["run", SAXPY, "--grid", "8", "--block", "256", "--arg", "f32:2", "--arg", "f32[2048]=iota"]
SAXPY_ARGS = SAXPY_RUN + ["--arg", "f32[2048]=1", "--arg", "u32:2048"]
SPIN = ["run", SAXPY, "--grid", "20000000", "--block", "256", "--arg", "f32:2", "--arg", "f32[9]=zero", "--arg",
        "f32[9]=zero", "--arg", "u32:9"]


def source(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def names_in_def(path, prefix="X("):
    """First names of the entries of an X-macro file."""
    rows = [line.strip() for line in source(path).splitlines()]
    return [row[len(prefix):].split(",")[0] for row in rows if row.startswith(prefix) and "," in row]


# ---- help, wrong usage ---------------------------------------------------------------------------------------------


def test_help_is_complete():
    overview = succeeds("help")
    for command in ("run", "exec", "record", "demo", "experiment", "asm", "disasm", "isa", "study", "area", "gpus",
                    "config", "help", "version"):
        assert f"  {command} " in overview
        text = succeeds("help", command)
        assert text.startswith(f"usage: subcore {command}")
        assert text == succeeds(command, "--help")
        assert command == "exec" or text == succeeds(command, "more", "-h", "--nonsense")
        assert all(len(line) <= 104 for line in text.splitlines()), command
    assert succeeds() == overview == succeeds("--help")
    assert succeeds("version") == succeeds("--version")


def test_every_option_is_documented():
    manual = source("docs/cli.md")
    for line in source("src/cli/options.def").splitlines():
        if line.strip().startswith("X("):
            name = line.split('"')[1]
            assert f"--{name}" in manual, name


def test_wrong_usage():
    fails(2, "there is no command 'rum', did you mean run?", "rum")
    fails(2, "expected a command", "--json", "-")
    fails(2, "run needs FILE", "run")
    fails(2, "takes only FILE, not 2 words", "run", "a", "b")
    fails(2, "takes no operands", "gpus", "a")
    fails(2, "no option '--gird', did you mean --grid?", "run", SAXPY, "--gird", "1")
    fails(2, "needs a value", "run", SAXPY, "--grid")
    fails(2, "run needs --grid", "run", SAXPY)
    fails(2, "--grid: '3000000000' is not X, X,Y or X,Y,Z, each a number from 1 to 2147483647", "run", SAXPY, "--grid",
          "3000000000")
    fails(2, "run needs --block", "run", SAXPY, "--grid", "1")
    fails(2, "--block: '0' is not", "run", SAXPY, "--grid", "1", "--block", "0")
    fails(2, "no GPU named 'h2'", "config", "h2")
    fails(2, "no GPU named 'h2'", *SAXPY_ARGS, "--gpu", "h2")
    fails(2, "there is no section [nope]", *SAXPY_ARGS, "--set", "nope.x=1")
    fails(2, "at most 256", *SAXPY_ARGS, "--threads", "257")
    fails(2, "did you mean vecadd?", "demo", "vecad")
    fails(2, "not both", "demo", "vecadd", "--all")
    fails(2, "'0' is not a positive number", "demo", "vecadd", "--threads", "0")
    fails(2, "--csv is for the instructions of --source", "demo", "vecadd", "--csv", "-")


def test_unusable_files():
    fails(2, "/no/such/file", "run", "/no/such/file", "--grid", "1", "--block", "1")
    fails(2, "meson.build", "run", os.path.join(ROOT, "meson.build"), "--grid", "1", "--block", "1")
    fails(2, "/no/such/file", "disasm", "/no/such/file")
    fails(2, "sm_86", "run", SAXPY, "--grid", "1", "--block", "1", "--gpu", "h200")
    fails(2, "/no/such/folder", *SAXPY_ARGS, "--json", "/no/such/folder/x.json")


# ---- studies -------------------------------------------------------------------------------------------------------


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
    listed = source("docs/experiments.md").split("## What is open")[1].split("##")[0]
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
    fails(2, "no experiment was measured on 'h200'", "experiment", "--all", "--gpu", "h200", "--quiet")
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


# ---- arguments -----------------------------------------------------------------------------------------------------


def test_arguments_are_checked_against_the_parameters():
    fails(2, "saxpy has 4 parameters (4, 8, 8, 4 bytes), but 2 --arg are given", *SAXPY_RUN)
    fails(2, "'f64:2' has 8 bytes, but parameter 3 of saxpy has 4", *SAXPY_RUN, "--arg", "null", "--arg", "f64:2")
    fails(2, "'i32:1.5': '1.5' is not a value of type i32", *SAXPY_RUN, "--arg", "i32:1.5")
    fails(2, "expected TYPE:VALUE", *SAXPY_RUN, "--arg", "i33:1")
    fails(2, "is no pattern", *SAXPY_RUN, "--arg", "f32[8]=ones")
    fails(2, "the file has", *SAXPY_RUN, "--arg", f"f32[8]=file:{SAXPY}", "--arg", "u32:1")
    fails(2, "argument 3 is no array", *SAXPY_ARGS, "--out", "3:x")
    fails(2, "expected N:FILE", *SAXPY_ARGS, "--out", "x")
    fails(2, "no device memory", *SAXPY_RUN, "--arg", "u8[999999999999]=zero", "--arg", "u32:1")


def test_the_kernel_must_be_named_when_there_are_several():
    fails(2, "choose with --kernel", "run", SGEMM, "--grid", "1", "--block", "1")
    fails(2, "sgemm_tiled", "run", SGEMM, "--grid", "1", "--block", "1", "--kernel", "nope")


def test_a_run_computes():
    with tempfile.TemporaryDirectory() as folder:
        x, y, z = (os.path.join(folder, name) for name in "xyz")
        succeeds(*SAXPY_RUN, "--arg", f"f32[2048]=1>{y}", "--arg", "u32:2048", "--out", f"1:{x}", "--quiet")
        with open(y, "rb") as file:
            result = memoryview(file.read()).cast("f")
        assert list(result) == [2.0 * i + 1 for i in range(2048)]
        text = succeeds(*SAXPY_RUN, "--arg", f"f32[2048]=file:{x}>{z}", "--arg", "u32:2048", "--functional")
        with open(z, "rb") as file:
            assert list(memoryview(file.read()).cast("f")) == [3.0 * i for i in range(2048)]
        assert "Functional run" in text
        assert "Argument 1, f32[2048], unchanged" in text and "Argument 2, f32[2048], changed" in text


def test_a_fault_is_reported_with_what_is_known():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        words = SAXPY_RUN + ["--arg", f"f32[64]=1>{path}", "--arg", "u32:2048"]
        for functional in ([], ["--functional"]):
            result = subcore(*words, *functional, "--json", "-", "--quiet")
            assert result.returncode == 1, result.stderr
            assert result.stderr.startswith("subcore: ") and "past the end" in result.stderr, result.stderr
            data = json.loads(result.stdout)
            assert data["error"] in result.stderr and not data["kernels"][0]["complete"]
        assert os.listdir(folder) == []


# ---- documents -----------------------------------------------------------------------------------------------------


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


# ---- the other commands --------------------------------------------------------------------------------------------


def test_config():
    text = succeeds("config", "a100", "--set", "core.rfc=false")
    assert "rfc = false" in text
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "my.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        again = json.loads(succeeds("config", path, "--json", "-"))
        data = json.loads(succeeds("config", "a100", "--set", "core.rfc=false", "--json", "-"))
        assert again == data and data["config"]["core"]["rfc"] is False
    other = json.loads(succeeds("config", "a100", "--json", "-"))
    assert other["config_hash"] != data["config_hash"]
    assert "a100" in succeeds("gpus") and "h200" in succeeds("gpus")


def table(text):
    return list(csv.DictReader(text.splitlines()))


def differs(*words):
    """`config --diff` of two GPUs that are not alike: exit status 1 and no message."""
    result = subcore("config", *words)
    assert result.returncode == 1 and result.stderr == "", (words, result)
    return result.stdout


def test_config_lists_every_value_as_csv():
    rows = table(succeeds("config", "a100", "--csv", "-"))
    assert next(row for row in rows if row["key"] == "gpu.sms") == {
        "key": "gpu.sms", "value": "108", "unit": "SM", "file": "a100", "source": "A100 white paper"}
    sections = json.loads(succeeds("config", "a100", "--json", "-"))["config"]
    assert [row["key"] for row in rows] == [f"{name}.{key}" for name, keys in sections.items() for key in keys]


def test_config_diff_lists_exactly_what_differs():
    a, b = (json.loads(succeeds("config", name, "--json", "-"))["config"] for name in ("a100", "h200"))
    expected = {f"{s}.{key}": (a[s][key], b[s][key]) for s in a for key in a[s] if a[s][key] != b[s][key]}
    data = json.loads(differs("a100", "--diff", "h200", "--json", "-"))
    found = {f"{d['section']}.{d['key']}": (d["a"]["value"], d["b"]["value"]) for d in data["differences"]}
    assert found == expected and data["values"] == sum(len(keys) for keys in a.values())
    assert [row["key"] for row in table(differs("a100", "--diff", "h200", "--csv", "-"))] == list(expected)
    text = differs("a100", "--diff", "h200")
    assert re.search(r"^sms +108 +132 +SM\n    < a100: A100 white paper\n    > h200: product data sheet$", text, re.M)
    assert text.endswith(f"\n{len(expected)} of {data['values']} values differ between a100 and h200.\n")


def test_config_diff_takes_files_and_settings():
    assert succeeds("config", "a100", "--diff", "a100").startswith("0 of ")
    text = differs("a100", "--set", "core.rfc=off", "--diff", "a100")
    assert "rfc  false   true\n    < set\n    > sm_86: MICRO 2025 paper, section 5\n" in text, text
    assert "\n1 of " in text
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "my.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('inherits = "a100"\n[gpu]\nmemory = 4  # counted\nclock = 1000\n')
        rows = table(differs(path, "--diff", "a100", "--csv", "-"))
        assert [(r["key"], r["value_a"], r["value_b"], r["source_a"]) for r in rows] == [
            ("gpu.clock", "1000", "1410", ""), ("gpu.memory", "4", "39.5", "counted")], rows
        assert rows[0]["file_a"] == path and rows[0]["file_b"] == "a100"
        assert succeeds("config", path, "--diff", "a100", "--set", "gpu.memory=39.5", "--set",
                        "gpu.clock=1410")[0] == "0"


def test_config_lists_what_is_assumed():
    rows = table(succeeds("config", "b200", "--assumed", "--csv", "-"))
    assert all("assumed" in row["source"] and row["settled_by"] and row["gpu"] == "b200" for row in rows)
    values = table(succeeds("config", "b200", "--csv", "-"))
    assert [row["key"] for row in rows] == [row["key"] for row in values if "assumed" in row["source"]]
    data = json.loads(succeeds("config", "b200", "--assumed", "--json", "-"))
    assert [f"{v['section']}.{v['key']}" for v in data["gpus"][0]["assumed"]] == [row["key"] for row in rows]
    text = succeeds("config", "b200", "--assumed")
    assert text.count("    to settle it: ") == len(rows)
    assert f"\n{len(rows)} of the {len(values)} values of b200 are assumed: gpu " in text
    count = len(table(succeeds("config", "a100", "--csv", "-", "--assumed", "--set", "l1.ways=32")))
    assert count == len(table(succeeds("config", "a100", "--csv", "-", "--assumed"))) - 1   # one has been chosen


def test_config_lists_what_is_assumed_of_all_gpus():
    rows = table(succeeds("config", "--assumed", "--csv", "-"))
    gpus = [line.split()[0] for line in succeeds("gpus").split("\n\n")[0].splitlines()[1:]]   # the products
    assert list(dict.fromkeys(row["gpu"] for row in rows)) == gpus
    text = succeeds("config", "--assumed")
    for gpu in gpus:
        count = sum(row["gpu"] == gpu for row in rows)
        assert re.search(rf"^{gpu} +{count}/", text, re.M), gpu
    for key in {row["key"] for row in rows}:
        assert len(re.findall(rf"^{re.escape(key)}[ ;]", text, re.M)) == 1, key
    known = [line.split()[0] for line in succeeds("experiment").splitlines() if line[:1].isalpha()]
    for row in rows:
        for named in re.findall(r"experiments? ([a-z0-9-]+)(?: and ([a-z0-9-]+))?", row["settled_by"]):
            assert all(name in known for name in named if name), row


def test_config_says_what_is_wrong():
    fails(2, "config needs GPU", "config")
    fails(2, "not both", "config", "a100", "--diff", "h200", "--assumed")
    fails(2, "needs two GPUs: subcore config GPU --diff h200", "config", "--diff", "h200")
    fails(2, "no GPU named 'h2'", "config", "a100", "--diff", "h2")
    fails(2, "no GPU named 'h2'", "config", "h2", "--assumed")
    fails(2, "needs the GPU", "config", "--assumed", "--set", "l1.ways=32")
    fails(2, "[l1] has no key 'way'", "config", "a100", "--diff", "h200", "--set", "l1.way=32")
    fails(2, "/no/such.toml", "config", "a100", "--diff", "/no/such.toml")
    fails(2, "takes only [GPU], not 2 words", "config", "a100", "h200")


def test_disasm():
    text = succeeds("disasm", SAXPY)
    assert text.startswith(".arch sm_86\n") and "\n.param arg0, 4    // c[0x0][0x160]\n" in text
    assert "EXIT ;" in text and "FFMA" in text
    for line in text.splitlines():
        if "BRA" in line:
            label = line.split()[-2].strip("`()")
            assert f"\n{label}:\n" in text, line
    assert "    // saxpy.cu:6\n" in text
    plain = succeeds("disasm", SAXPY, "--plain")
    assert plain.startswith("\n\t.text.saxpy:\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n")
    data = json.loads(succeeds("disasm", SAXPY, "--json", "-"))
    kernel = data["images"][0]["kernels"][0]
    assert kernel["instructions"][1]["line"] == 6 and kernel["instructions"][1]["file"] == "saxpy.cu"
    assert kernel["name"] == "saxpy" and [p["bytes"] for p in kernel["parameters"]] == [4, 8, 8, 4]
    code = kernel["instructions"]
    assert [inst["address"] for inst in code] == list(range(0, 16 * len(code), 16))
    words = "\n".join(inst["word"] for inst in code)
    assert succeeds("disasm", "--hex", "-", "--arch", "sm_86", text=words).splitlines() == [i["text"] for i in code]
    halves = "\n".join(f"0x{inst['word'][16:]} 0x{inst['word'][:16]}" for inst in code)
    assert succeeds("disasm", "--hex", "-", "--arch", "86", text=halves).splitlines() == [i["text"] for i in code]
    assert succeeds("disasm", SGEMM, "--kernel", "sgemm_tiled").count(".registers") == 1
    assert "1 image" in succeeds("disasm", SGEMM, "--list")


def test_isa():
    lines = succeeds("isa").splitlines()
    ffma = next(line for line in lines if line.startswith("FFMA "))
    assert "fma" in ffma and "sm_70-sm_120" in ffma and "executed" in ffma
    assert not any(line.startswith("UFADD ") for line in succeeds("isa", "--arch", "sm_86").splitlines())
    text = succeeds("isa", "fadd", "--arch", "sm_86")
    assert "FADD{.FTZ}{.RM|.RP|.RZ}" in text and "79:78" in text and "writes Rd" in text
    data = json.loads(succeeds("isa", "FADD", "--json", "-"))["opcodes"]
    assert data[0]["mnemonic"] == "FADD" and data[0]["pipe"] == "fma" and data[0]["way"] == "fma"
    assert "issue way alu, either;" in succeeds("isa", "SEL")
    fields = data[0]["forms"][0]["fields"]
    assert {"value": 1, "name": "RM"} in next(f for f in fields if f["name"] == "ROUND")["values"]
    fails(2, "did you mean FFMA?", "isa", "FFMB")
    fails(2, "sm_13", "isa", "FFMA", "--arch", "sm_13")


def test_disasm_errors():
    fails(2, "needs --arch", "disasm", "--hex", "-")
    fails(2, "expected sm_XY", "disasm", "--hex", "-", "--arch", "ampere")
    fails(2, "standard input:2: expected one word", "disasm", "--hex", "-", "--arch", "sm_86",
          text="0" * 32 + "\nxyz\n")
    fails(2, "sm_13", "disasm", "--hex", "-", "--arch", "sm_13")
    fails(2, "no kernel 'nope'", "disasm", SAXPY, "--kernel", "nope")
    fails(2, "no machine code for sm_90", "disasm", SAXPY, "--arch", "sm_90")
    fails(2, "not both", "disasm", SAXPY, "--hex", "-")
    fails(2, "needs FILE", "disasm")


def test_asm():
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again.cubin")
        for cubin in (SAXPY, SGEMM, os.path.join(ROOT, "tests/cli/cubin/saxpy.sm_61.cubin"),
                      os.path.join(ROOT, "examples", "cubin", "sgemm.sm_60.cubin")):
            text = succeeds("disasm", cubin)
            assert succeeds("asm", "-", "-o", again, text=text) == ""
            assert succeeds("disasm", again) == "\n".join(
                line for line in text.split("\n") if not line.startswith("    // "))
        source_path = os.path.join(folder, "two.sass")
        with open(source_path, "w", encoding="utf-8") as file:
            file.write(".arch sm_86\n.kernel k\nFADD R0, R1\n.endd\nEXIT\n.end\n")
        result = subcore("asm", source_path)
        assert result.returncode == 2 and not os.path.exists(os.path.join(folder, "two.cubin"))
        lines = result.stderr.splitlines()
        assert lines[0].startswith(f"{source_path}:3:") and lines[1:3] == ["    FADD R0, R1", "               ^"], lines
        assert f"{source_path}:4:1: error: unknown directive '.endd'" in lines
        assert lines[-1] == f"subcore: {source_path}: 2 errors"
        with open(source_path, "w", encoding="utf-8") as file:
            file.write(".kernel k\nEXIT\n.end\n")
        assert succeeds("asm", source_path, "--arch", "sm_90") == ""
        assert succeeds("disasm", os.path.join(folder, "two.cubin")).startswith(".arch sm_90\n")
        assert "no architecture" in subcore("asm", source_path).stderr
        succeeds("run", source_path, "--grid", "1", "--block", "32", "--gpu", "a100")
    fails(2, "needs -o", "asm", SAXPY)
    fails(2, "/no/such/x.sass", "asm", "/no/such/x.sass")


def test_filled_control_bits_give_the_same_results():
    arrays = ["--grid", "2", "--block", "256", "--arg"]
    sums = arrays + ["u32[2000]=seed:1", "--arg", "u32[2]=0", "--arg", "u32:2000"]
    runs = [
        ("saxpy", arrays + ["f32:2", "--arg", "f32[500]=seed:1", "--arg", "f32[500]=seed:2", "--arg", "u32:500"]),
        ("reduce", ["--kernel", "reduce_shuffle"] + sums),
        ("reduce", ["--kernel", "reduce_shared"] + sums),
        ("histogram", ["--kernel", "histogram_shared"] + arrays +
         ["u32[999]=seed:1%256", "--arg", "u32[256]=0", "--arg", "u32:999"]),
        ("softmax", ["--grid", "4", "--block", "128", "--arg", "f32[1200]=seed:1", "--arg", "f32[1200]=0", "--arg",
                     "u32:300", "--arg", "u32:4"]),
    ]
    for (name, words), (arch, gpu) in itertools.product(runs, (("86", "rtx-a6000"), ("60", "p100"))):
        cubin = os.path.join(ROOT, f"examples/cubin/{name}.sm_{arch}.cubin")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filled.sass")
            with open(path, "w", encoding="utf-8") as file:
                file.write(re.sub(r"\[B[^]]*\]", "", succeeds("disasm", cubin)))
            compiled, filled = (document("run", code, *words, "--gpu", gpu) for code in (cubin, path))
            assert compiled["arguments"] == filled["arguments"], (name, arch)


def test_assembler_examples():
    def values(name, argument, *words):
        path = os.path.join(ROOT, "examples/sass", name)
        arguments = document("run", path, *words)["arguments"]
        return next(entry["first"] for entry in arguments if entry["index"] == argument)

    grid = ["--grid", "4", "--block", "256"]
    assert values("saxpy.sass", 2, *grid, "--arg", "f32:2", "--arg", "f32[1000]=iota", "--arg", "f32[1000]=1", "--arg",
                  "u32:1000") == ["1", "3", "5", "7"]
    assert values("reduce.sass", 1, *grid, "--arg", "u32[10000]=iota", "--arg", "u32[1]=zero", "--arg",
                  "u32:10000") == ["49995000"]
    assert values("polynomial.sass", 1, "--kernel", "evaluate", "--gpu", "a100", "--grid", "1", "--block", "64",
                  "--arg", "f32[64]=iota", "--arg", "f32[64]=0") == ["1", "1.375", "2", "3.625"]
    manual = source("docs/assembler.md")
    assert source("examples/sass/saxpy.sass").split("\n\n", 1)[1].rstrip() in manual


def test_demo_list_and_all():
    names = [line.split()[0] for line in succeeds("demo", "--list").splitlines()]
    assert "sgemm-register" in names and len(names) > 15
    text = succeeds("demo", "--all", "--functional")
    later = [name for name in names if name.startswith(("wgmma", "cluster", "umma"))]
    assert len(later) == 6 and names[-6:] == later
    assert [line.split()[0] for line in text.splitlines()[1:-1]] == names[:-6]
    assert text.splitlines()[-1].startswith("Total: ")


# ---- interruption --------------------------------------------------------------------------------------------------


# ---- traces --------------------------------------------------------------------------------------------------------


TRACE = r"Trace: {}: {} launch(?:es)?, {} warp instructions, [\d.,]+ [KM]?B \([\d.]+ bytes an instruction\)\n$"


def record(folder, *words):
    result = subprocess.run([SUBCORE, "record", *words], capture_output=True, text=True, timeout=300, check=False,
                            cwd=folder)
    assert result.returncode == 0 and result.stderr == "", (words, result)
    return result.stdout


def instructions(*words):
    kernels = document(*words, "--functional")["kernels"]
    return f"{sum(kernel['warp_instructions'] for kernel in kernels):,}"


def test_a_kernel_is_recorded():
    with tempfile.TemporaryDirectory() as folder:
        out = record(folder, *SAXPY_ARGS[1:])
        assert re.search(TRACE.format("saxpy.trace", 1, instructions(*SAXPY_ARGS)), out), out
        assert "saxpy" in out and os.listdir(folder) == ["saxpy.trace"]
        record(folder, *SAXPY_ARGS[1:], "-o", "other", "-q")
        assert sorted(os.listdir(folder)) == ["other", "saxpy.trace"]


def test_the_launches_of_a_demo_are_recorded():
    with tempfile.TemporaryDirectory() as folder:
        out = record(folder, "demo", "scan", "--gpu", "a100")
        assert re.search(TRACE.format("scan.trace", 3, instructions("demo", "scan", "--gpu", "a100")), out), out
        out = record(folder, "demo", "stencil", "--only", "stencil*:1")
        assert re.search(TRACE.format("stencil.trace", 1, "[0-9,]+"), out), out
        out = record(folder, "demo")
        assert re.search(TRACE.format("sgemm-register.trace", 1, "[0-9,]+"), out), out


def test_equal_runs_give_equal_traces():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            record(folder, "demo", "bfs", "-o", name)
        with open(os.path.join(folder, "a"), "rb") as a, open(os.path.join(folder, "b"), "rb") as b:
            assert a.read() == b.read()


def test_what_cannot_be_recorded_is_said_and_leaves_nothing():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t")
        fails(2, "record needs FILE", "record")
        fails(2, "a CUDA program with its words stands behind --: record -- ./app", "record", "./app", "1024")
        fails(2, f"needs --grid and --block; to run it as a CUDA program: record -- {SUBCORE}", "record", SUBCORE)
        fails(2, "record of a demo does not take --grid", "record", "demo", "scan", "--grid", "1", "-o", path)
        fails(2, "there is no demo 'scna'", "record", "demo", "scna", "-o", path)
        fails(2, "no launch to record that --only names", "record", "demo", "scan", "--only", "nothing", "-o", path)
        fails(2, "/no/such/folder", "record", "demo", "scan", "-o", "/no/such/folder/t")
        fails(127, "no-such-program", "record", "-o", path, "--", "./no-such-program")
        fails(2, "record has no option '--detailed'", "record", "demo", "--detailed", "x")
        assert os.listdir(folder) == []


def test_a_kernel_that_fails_leaves_an_incomplete_trace():
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--arg", "null", "--arg", "null", "--arg", "u32:2048"]
        result = subcore("record", *SAXPY_RUN[1:-2], *arguments, "-o", os.path.join(folder, "t"))
        assert result.returncode == 1 and "illegal address" in result.stderr, result
        assert "1 of them incomplete" in result.stdout and os.listdir(folder) == ["t"], result


def test_ctrl_c_ends_a_run_with_a_report():
    process = subprocess.Popen([SUBCORE, *SPIN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (process.returncode, err)
    assert "INCOMPLETE" in out and "Elapsed Cycles" in out
    assert err.startswith("subcore: ")


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


def test_hazards_are_reported_with_an_exit_status_of_their_own():
    kernel = """.arch sm_86
.kernel k
.param out, ptr
.registers 16
    [B------:R-:W-:-:S06] MOV R2, c[0x0][out]
    [B------:R-:W-:-:S06] MOV R3, c[0x0][out+4]
    [B------:R-:W-:-:S11] MOV R1, 0x3f800000
    [B------:R-:W-:-:S01] FADD R1, R1, R1
    [B------:R-:W-:-:S06] FADD R4, R1, R1
    [B------:R-:W-:-:S05] STG.E [R2.64], R4
    [B------:R-:W-:-:S05] EXIT
.end
"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.sass")
        with open(path, "w", encoding="utf-8") as file:
            file.write(kernel)
        run = ["run", path, "--grid", "1", "--block", "32", "--arg", "f32[32]=zero"]
        fails(3, "1 hazard", *run, "--check-hazards", "--quiet")
        text = subcore(*run, "--check-hazards", "--functional").stdout
        assert "RAW R1" in text and "a stall count of 4 at 0x0030" in text, text
        json_path = os.path.join(folder, "k.json")
        assert subcore(*run, "--check-hazards", "--json", json_path).returncode == 3
        with open(json_path, encoding="utf-8") as file:
            (hazard,) = json.load(file)["hazards"]
        assert (hazard["kind"], hazard["cause"], hazard["register"]) == ("RAW", "distance", "R1"), hazard
        assert (hazard["first"]["pc"], hazard["second"]["pc"], hazard["right_stall"]) == (0x30, 0x40, 4), hazard
        assert hazard["happened"] == hazard["count"] == 1, hazard
        assert " 4 0 0" in succeeds(*run) and " 2 0 0" in succeeds(*run, "--strict-hazards")
        fails(2, "--strict-hazards", *run, "--strict-hazards", "--functional")
    assert "Hazards: none" in succeeds(*SAXPY_ARGS, "--check-hazards")


def test_no_progress_in_a_pipe():
    assert subcore("demo", "sgemm-tiled").stderr == ""


if __name__ == "__main__":
    main(globals())
