#!/usr/bin/env python3
"""The program for real GPUs (validate/hw) on the simulated one: information, measurements, kernels, mistakes.
`test_hw.py WORD...` runs only the tests whose names hold a word."""
import csv
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, SUBCORE, main  # pylint: disable=wrong-import-position
from hw_harness import FOLDER, PROGRAM, ROWS, execute, on_gpu, table, table_of  # pylint: disable=wrong-import-position


def configured(gpu, key):
    return value_of(execute([SUBCORE, "config", gpu]).stdout, key)


def value_of(text, key):
    """Of a configuration file."""
    section, name = key.split(".")
    block = text.split(f"[{section}]")[1].split("\n[")[0]
    return re.search(rf"^{name} = (\S+)", block, re.M)[1]


def test_info_says_what_the_driver_knows():
    for gpu, capability in (("a100", "8.0"), ("h200", "9.0"), ("rtx-a6000", "8.6"), ("rtx-5080", "12.0")):
        out = on_gpu("info", gpu=gpu).stdout
        keys = dict(line.split("=", 1) for line in out.splitlines() if not line.startswith("#"))
        assert keys["gpu"] == gpu and keys["compute_capability"] == capability, keys
        assert keys["sms"] == configured(gpu, "gpu.sms") and keys["l2_bytes"] == configured(gpu, "l2.size"), keys
        # Measured by a kernel: cycles over simulated time.
        assert keys["clock_is"] == "measured"
        assert abs(float(keys["clock_mhz"]) - float(configured(gpu, "gpu.clock"))) < 1, keys
        assert re.search(r"^# driver: CUDA 13\.\d$", out, re.M), out


def test_every_gpu_gets_the_name_that_the_simulator_lists():
    products = execute([SUBCORE, "gpus"]).stdout.split("\n\n")[0]   # behind them are those of other simulators
    listed = [line.split()[0] for line in products.splitlines()[1:]]
    assert len(listed) > 10
    for gpu in listed:
        out = on_gpu("info", "--clock", "1", gpu=gpu).stdout
        assert f"gpu={gpu}\n" in out, (gpu, out)


def test_info_begins_a_configuration():
    text = on_gpu("info", "--toml").stdout
    assert text.split("\n")[1] == 'inherits = "sm_80"'
    for key in ("gpu.sms", "gpu.clock", "sm.warps", "sm.threads", "sm.registers", "sm.shared", "sm.shared_per_cta",
                "l2.size"):
        assert value_of(text, key) == configured("a100", key), key


def test_measurements_are_what_the_simulator_measures_itself():
    with tempfile.TemporaryDirectory() as folder:
        rows, runs, own = (os.path.join(folder, name) for name in ("rows.csv", "runs.csv", "own.json"))
        text = on_gpu("micro", "banks", "--quick", "--repeat", "2", "--clock", "1410", "--rows", rows, "--csv", runs,
                      timed=True).stdout
        execute([SUBCORE, "measure", "banks", "--quick", "--quiet", "--gpu", "a100", "--json", own])
        with open(own, encoding="utf-8") as file:
            values = {v["quantity"]: v["measured"] for v in json.load(file)["measures"][0]["values"]}
        assert len(values) > 20
        found = table_of(rows)
        assert list(found[0]) == ROWS and len(found) == len(values), found
        for row in found:
            assert row["gpu"] == "a100" and row["low"] == row["high"] and row["unit"] == "cycles", row
            assert row["tolerance"] == "" and row["open"] == "" and "NVIDIA A100" in row["source"], row
            assert abs(float(row["low"]) - values[row["quantity"]]) < 1e-6, (row, values[row["quantity"]])
            assert row["quantity"] in text
        both = table_of(runs)
        assert [row["run"] for row in both if row["quantity"] == "banks.latency.32.1"] == ["0", "1"], both


def test_a_second_measurement_is_added_to_the_same_files():
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        words = ["--quick", "--repeat", "1", "--clock", "1410", "--rows", rows, "--append", "--note", "commit 123"]
        on_gpu("micro", "banks", *words)
        first = pathlib.Path(rows).read_text(encoding="utf-8")
        on_gpu("micro", "banks", *words)
        second = pathlib.Path(rows).read_text(encoding="utf-8")
        assert first.startswith("# validate-gpu, ") and "\n# commit 123\n" in first
        heading = ",".join(ROWS) + "\n"
        assert second == first + first.split(heading)[1] and second.count(heading) == 1


def test_values_are_proposed_from_what_a_card_gave():
    with tempfile.TemporaryDirectory() as folder:
        text, rows, own = (os.path.join(folder, name) for name in ("micro.txt", "rows.csv", "own.json"))
        # The card is the simulator with a slower L1, and with an L2 that a chase soon fills.
        program = [PROGRAM, "micro", "chase", "--quick", "--repeat", "1", "--clock", "1410", "--folder", FOLDER]
        mode = execute([SUBCORE, "exec", "-q", "-g", "t4", "-s", f"l1.latency={latency('l1') + 5}", *program,
                        "--rows", rows])
        pathlib.Path(text).write_text(mode.stdout, encoding="utf-8")
        execute([SUBCORE, "measure", "chase", "--quick", "--quiet", "--gpu", "t4", "--json", own])
        for card in (text, rows):
            out = execute([sys.executable, str(ROOT / "tools/calibrate.py"), SUBCORE, "t4", own, "--card", card])
            assert out.returncode == 0, out.stderr
            first = out.stdout.splitlines()[0]
            assert first.startswith(f"l1.latency = {latency('l1') + 5}  # now {latency('l1')}; chase.l1: "), out.stdout


def latency(level):
    return int(configured("t4", level + ".latency"))


def test_kernels_have_right_results_and_times():
    with tempfile.TemporaryDirectory() as folder:
        rows, launches = os.path.join(folder, "rows.csv"), os.path.join(folder, "launches.csv")
        on_gpu("kernels", "needle", "--size", "small", "--repeat", "3", "--warm", "--clock", "1410", "--csv", launches,
               "--rows", rows, timed=True)
        (launch,) = table_of(launches)
        assert launch["kernel"] == "needle" and launch["grid"] == "8x1x1" and launch["block"] == "32x1x1", launch
        assert launch["check"] == "ok" and launch["repeats"] == "3", launch
        # Each launch begins with cold caches here, so all take the same: the cycles that the simulator counts.
        assert launch["min_ns"] == launch["median_ns"] == launch["max_ns"], launch
        (row,) = table_of(rows)
        assert row["quantity"] == "kernel.needle.small.0.event_ns" and row["unit"] == "ns", row
        assert abs(float(row["low"]) - float(launch["median_ns"])) <= 0.5


def test_a_manifest_has_each_launch_once():
    with tempfile.TemporaryDirectory() as folder:
        report, manifest = os.path.join(folder, "report"), os.path.join(folder, "manifest.csv")
        result = execute([SUBCORE, "exec", "-q", "-f", "-g", "a100", "--report", report, PROGRAM, "kernels", "needle",
                          "--once", "--csv", manifest, "--folder", FOLDER])
        assert result.returncode == 0, result.stderr
        found = table_of(manifest)
        assert [(row["workload"], row["size"], row["launch"], row["check"]) for row in found] == [
            ("needle", size, "0", "ok") for size in ("small", "medium", "full")], found
        # Nothing else runs, so that a profiler sees these launches and no others.
        with open(os.path.join(report, "launches.csv"), encoding="utf-8") as file:
            assert len(list(csv.DictReader(file))) == len(found)


def test_all_kernels_of_the_list_are_right_when_small():
    names = execute([PROGRAM, "kernels", "--list"]).stdout.split()
    assert "needle" in names
    out = on_gpu("kernels", "--once", "--size", "small", "--csv", "-", gpu="h200").stdout
    found = table(out)
    assert {row["workload"] for row in found} == set(names), (found, names)
    assert all(row["check"] == "ok" for row in found)


def test_memory_of_a_workload_is_released():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        result = execute([SUBCORE, "exec", "-q", "-f", "-g", "a100", PROGRAM, "kernels", "needle", "--repeat", "2",
                          "--warm", "--clock", "1", "--folder", FOLDER], env={"SUBCORE_API_LOG": log})
        assert result.returncode == 0, result.stderr
        calls = pathlib.Path(log).read_text(encoding="utf-8")
        taken, given = (len(re.findall(rf"\bcuMem{word}", calls)) for word in ("Alloc", "Free"))
        assert taken == given > 10, (taken, given)


def says(words, code, err):
    result = execute([PROGRAM, *words])
    assert result.returncode == code and err in result.stderr, (words, result)


def test_mistakes_are_named():
    says([], 2, "usage: validate-gpu COMMAND")
    says(["run"], 2, "there is no command 'run'")
    says(["micro", "chases"], 2, "there is no measurement 'chases'")
    says(["kernels", "needles"], 2, "there is no workload 'needles'")
    says(["kernels", "--size", "big"], 2, "sizes are small, medium and full")
    says(["kernels", "--repeat", "x"], 2, "not a number: x")
    says(["kernels", "--repeat", "101"], 2, "--repeat 101: at most 100")
    says(["kernels", "--twice"], 2, "no such option: --twice")
    says(["micro", "--rows"], 2, "a value is missing behind --rows")
    says(["collect", "x"], 2, "collect MANIFEST.csv NCU.csv --gpu NAME")
    says(["collect", "/no/x", "/no/y", "--gpu", "a100"], 1, "/no/x: cannot be read")
    says(["experiments", "/no/x"], 1, "/no/x/manifest.csv: cannot be read")


def test_what_is_missing_is_named():
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder, "validate")
        for name in ("micro/cubin", "kernels/cubin"):
            (empty / name).mkdir(parents=True)
        words = [SUBCORE, "exec", "-q", "-f", "-g", "a100", PROGRAM, "kernels", "--clock", "1", "--size", "small"]
        result = execute([*words, "--folder", str(empty)])
        assert result.returncode == 1, result
        assert "needle, small: it cannot be loaded: " in result.stderr, result
        assert "has no needle for compute capability 8.0: build.sh beside it makes one with nvcc" in result.stderr
        result = execute([*words, "--folder", folder + "/nothing"])
        assert result.returncode == 1 and "name it by --folder" in result.stderr, result


def test_a_compiler_alone_builds_it_and_it_needs_the_c_library_only():
    with tempfile.TemporaryDirectory() as folder:
        result = execute([str(ROOT / "validate/hw/run.sh"), "build"],
                         env={"OUT": folder, "CC": os.environ["CC"], "CFLAGS": ""})
        assert result.returncode == 0, (result.stderr, pathlib.Path(folder, "log.txt").read_text(encoding="utf-8"))
        program = os.path.join(folder, "validate-gpu")
        assert "needle" in execute([program, "kernels", "--list"]).stdout
        names = [line.split() for line in execute(["nm", "-D", program]).stdout.splitlines()]
        assert any(words[-1].startswith("dlopen@GLIBC") for words in names), names
        foreign = [words[-1] for words in names if words[-2] == "U" and "@GLIBC" not in words[-1]]
        assert not foreign, foreign
        assert not [words for words in names if words[-1].startswith("cu")], names


def test_metrics_are_those_of_the_simulator():
    known = set()

    def walk(value):
        if isinstance(value, dict):
            known.update(value)
        for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            walk(child)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.json")
        execute([SUBCORE, "demo", "vecadd", "--gpu", "a100", "-q", "--json", path])
        with open(path, encoding="utf-8") as file:
            walk(json.load(file))
    names = (ROOT / "validate/hw/metrics.txt").read_text(encoding="utf-8").split()
    assert len(names) == len(set(names)) > 30
    foreign = [name for name in names if name not in known and "inst_executed_pipe" not in name]
    assert not foreign, foreign


main(globals())
