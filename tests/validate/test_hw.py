#!/usr/bin/env python3
"""The program for real GPUs (validate/hw) on the simulated one, and its script with an nvidia-smi and an ncu of ours.
VALIDATE_GPU is the program, SUBCORE the simulator; `test_hw.py WORD...` runs only the tests whose names hold a word."""
import csv
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, SUBCORE, main  # pylint: disable=wrong-import-position

PROGRAM = os.environ["VALIDATE_GPU"]
FOLDER = str(ROOT / "validate")
ROWS = ["gpu", "quantity", "low", "high", "unit", "tolerance", "source", "open"]


def execute(words, env=None, cwd=None):
    return subprocess.run(words, capture_output=True, text=True, timeout=400, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})})


def on_gpu(*words, gpu="a100", timed=False, code=0):
    """The program's words on a simulated GPU: what it prints."""
    mode = [] if timed else ["-f"]
    result = execute([SUBCORE, "exec", "-q", "-g", gpu, *mode, PROGRAM, *words, "--folder", FOLDER])
    assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    return result


def table(text):
    """Rows of a CSV text behind its '#' lines, as dictionaries."""
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def table_of(path):
    return table(pathlib.Path(path).read_text(encoding="utf-8"))


# ---- info -----------------------------------------------------------------------------------------------------------


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


# ---- micro ----------------------------------------------------------------------------------------------------------


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


# ---- kernels --------------------------------------------------------------------------------------------------------


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


# ---- mistakes -------------------------------------------------------------------------------------------------------


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


# ---- collect --------------------------------------------------------------------------------------------------------

MANIFEST = """# validate-gpu, 2026-11-22 (UTC)
# GPU: NVIDIA A100-SXM4-40GB, compute capability 8.0, 108 SMs, ECC on
workload,size,launch,kernel,grid,block,check
scan,small,0,scan_tiles,8x1x1,256x1x1,ok
scan,small,1,scan_sums,1x1x1,256x1x1,ok
scan,small,2,add,8x1x1,256x1x1,ok
bfs,small,0,level,4x1x1,128x1x1,ok
bfs,small,1,level,4x1x1,128x1x1,ok
gemm,small,0,gemm,2x4x1,16x16x1,FAILED
needle,small,0,needle,8x1x1,32x1x1,ok
"""
FIXED = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
         "Grid Size", "Device", "CC"]
METRICS = {"device__attribute_clock_rate": "Khz", "dram__bytes_op_read.sum": "Kbyte",
           "gpc__cycles_elapsed.max": "cycle", "gpu__time_duration.sum": "usecond",
           "launch__grid_size": "", "lts__t_sector_hit_rate.pct": "%", "smsp__inst_executed.sum": "inst"}


def quoted(cells):
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


def profile(*launches):
    """A table as Nsight Compute prints it, with what it says besides."""
    text = "==PROF== Connected to process 4711 (/tmp/validate-gpu)\n"
    for kernel, _, _ in launches:
        text += f'==PROF== Profiling "{kernel}" - 0: 0%....50%....100% - 3 passes\n'
    text += "==PROF== Disconnected from process 4711\n"
    text += quoted(FIXED + list(METRICS)) + quoted([""] * len(FIXED) + list(METRICS.values()))
    for number, (kernel, grid, block) in enumerate(launches):
        cells = [str(number), "4711", "validate-gpu", "127.0.0.1", kernel, "1", "7", block, grid, "0", "8.0"]
        text += quoted(cells + ["1410000", "1,024.5", f"{1000 + number:,}", "2.5", "8", "n/a", "1,234,567"])
    return text


def collect(manifest, text, code):
    with tempfile.TemporaryDirectory() as folder:
        one, two = os.path.join(folder, "manifest.csv"), os.path.join(folder, "ncu.csv")
        pathlib.Path(one).write_text(manifest, encoding="utf-8")
        pathlib.Path(two).write_text(text, encoding="utf-8")
        result = execute([PROGRAM, "collect", one, two, "--gpu", "a100", "--note", "by a test"])
        assert result.returncode == code, (result.returncode, result.stderr)
        return result


SMALL = "(8, 1, 1)", "(256, 1, 1)"
WHOLE = [("scan_tiles(const int *, int *)", *SMALL), ("void scan_sums<int>(int *)", "(1, 1, 1)", "(256, 1, 1)"),
         ("add(int *)", *SMALL), ("level", "(4, 1, 1)", "(128, 1, 1)"), ("level", "(4, 1, 1)", "(128, 1, 1)"),
         ("gemm", "(2, 4, 1)", "(16, 16, 1)"), ("needle", "(8, 1, 1)", "(32, 1, 1)")]


def cycles(result):
    return {row["quantity"].rsplit(".gpc__", 1)[0]: int(row["low"]) for row in table(result.stdout)
            if row["quantity"].endswith("gpc__cycles_elapsed.max")}


def test_a_profile_becomes_rows():
    result = collect(MANIFEST, profile(*WHOLE), 1)   # one result was wrong
    rows = {row["quantity"]: row for row in table(result.stdout)}
    base = "kernel.scan.small.0."
    assert [(name, float(row["low"]), row["unit"]) for name, row in rows.items() if name.startswith(base)] == [
        (base + "dram__bytes_read.sum", 1024500, "byte"), (base + "gpc__cycles_elapsed.max", 1000, "cycle"),
        (base + "gpu__time_duration.sum", 2500, "ns"), (base + "smsp__inst_executed.sum", 1234567, "inst")], rows
    assert all(row["low"] == row["high"] and row["tolerance"] == "" for row in rows.values())
    assert rows[base + "gpc__cycles_elapsed.max"]["source"] == "Nsight Compute on NVIDIA A100-SXM4-40GB"
    assert "# by a test\n" in result.stdout and "# GPU: NVIDIA A100" in result.stdout
    assert cycles(result) == {"kernel.scan.small.0": 1000, "kernel.scan.small.1": 1001, "kernel.scan.small.2": 1002,
                              "kernel.bfs.small.0": 1003, "kernel.bfs.small.1": 1004, "kernel.needle.small.0": 1006}
    assert "gemm, small, launch 0: its result was wrong" in result.stderr, result.stderr


def test_rows_can_be_read_again():
    with tempfile.TemporaryDirectory() as folder:
        good = MANIFEST.replace("FAILED", "ok")
        path = os.path.join(folder, "rows.csv")
        pathlib.Path(path).write_text(collect(good, profile(*WHOLE), 0).stdout, encoding="utf-8")
        with open(path, encoding="utf-8") as file:
            rows = [line for line in file if not line.startswith("#")]
        assert rows[0].strip() == ",".join(ROWS) and len(rows) == 1 + 4 * 7


def test_a_launch_that_is_missing_is_left_out_and_no_other():
    good = MANIFEST.replace("FAILED", "ok")
    result = collect(good, profile(*WHOLE[:1], *WHOLE[2:]), 1)
    assert cycles(result) == {"kernel.scan.small.0": 1000, "kernel.scan.small.2": 1001, "kernel.bfs.small.0": 1002,
                              "kernel.bfs.small.1": 1003, "kernel.gemm.small.0": 1004, "kernel.needle.small.0": 1005}
    assert "scan, small, launch 1: not in the profile" in result.stderr


def test_launches_that_are_alike_are_left_out_when_one_is_missing():
    good = MANIFEST.replace("FAILED", "ok")
    result = collect(good, profile(*WHOLE[:4], *WHOLE[5:]), 1)
    assert "kernel.bfs.small.0" not in cycles(result) and "kernel.bfs.small.1" not in cycles(result)
    assert cycles(result)["kernel.gemm.small.0"] == 1004 and cycles(result)["kernel.needle.small.0"] == 1005


def test_kernels_of_others_are_passed_over():
    good = MANIFEST.replace("FAILED", "ok")
    foreign = ("memset_kernel", *SMALL)
    result = collect(good, profile(foreign, *WHOLE[:3], foreign, *WHOLE[3:]), 0)
    assert len(cycles(result)) == 7 and cycles(result)["kernel.needle.small.0"] == 1008
    assert "2 of the profile's 9 unknown" in result.stderr, result.stderr


def test_a_profile_without_a_table_is_refused():
    refused = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access GPU performance counters\n"
    assert "it has no table" in collect(MANIFEST, refused, 1).stderr
    assert "line 4 is not one of 'validate-gpu kernels --once" in collect(
        MANIFEST.replace("8x1x1", "8x1", 1), profile(*WHOLE), 1).stderr
    cut = profile(*WHOLE)
    assert "is not of 'ncu --csv --page raw'" in collect(MANIFEST, cut[:cut.rindex('","')] + '"\n', 1).stderr


# ---- experiments ----------------------------------------------------------------------------------------------------


def experiment(*words, code=0):
    result = execute([SUBCORE, "experiment", *words])
    assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    return result


def written(folder, *names, gpu="a100"):
    """A folder with the code of all experiments, and the words that these gave."""
    code, words = os.path.join(folder, "code"), os.path.join(folder, "words.csv")
    experiment("--write", code, "--gpu", gpu)
    on_gpu("experiments", code, *names, "--repeat", "3", "--csv", words, gpu=gpu, timed=True)
    return code, words


def changed(path, experiment_row, change):
    """The words of a row's runs, each put through `change(run, words)`."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        fields = line.split(",")
        if ",".join(fields[:2]) == experiment_row:
            values = [int(word) for word in fields[3].split()]
            lines[number] = ",".join(fields[:3] + [" ".join(map(str, change(int(fields[2]), values)))])
    pathlib.Path(path).write_text("\n".join(lines), encoding="utf-8")


def test_experiments_as_files_give_what_they_give_here():
    names = ["listing-1", "bank-conflicts", "chase", "lds-queue", "barrier", "scheduler-a100"]
    for gpu in ("a100", "h200", "rtx-5080"):
        with tempfile.TemporaryDirectory() as folder:
            code, words = written(folder, *names, gpu=gpu)
            manifest = table_of(os.path.join(code, "manifest.csv"))
            found = table_of(words)
            assert len(found) == 3 * len([row for row in manifest if row["experiment"] in names]) > 60, gpu
            out = experiment("--words", words, "--gpu", gpu, "--all").stdout
            assert re.search(rf"\n\d+ runs, {len(found) // 3} rows within tolerance, 0 missed, 0 open\n", out), out


def test_words_of_hardware_are_what_is_expected():
    with tempfile.TemporaryDirectory() as folder:
        words = written(folder, "listing-1")[1]
        lines = experiment("listing-1", "--words", words, "--gpu", "a100").stdout.splitlines()
        heading = next(line for line in lines if "verdict" in line)
        assert heading.split() == ["first", "second", "window", "hardware", "verdict"], heading
        # Two of three runs of row 2 take a cycle more: these count.
        changed(words, "listing-1,2", lambda run, values: [values[0], values[1] + (run > 0)])
        lines = experiment("listing-1", "--words", words, "--gpu", "a100", code=1).stdout.splitlines()
        rows = lines[lines.index(heading) + 1:]
        assert rows[0].split()[-3:] == ["6", "6", "ok"] and rows[1].split()[-3:] == ["6", "7", "MISS"], rows
        # One of three: it does not.
        words = written(folder, "listing-1")[1]
        changed(words, "listing-1,2", lambda run, values: [values[0], values[1] + (run == 1)])
        experiment("listing-1", "--words", words, "--gpu", "a100")


FAULT = """.arch sm_80
.kernel row_1
.param out, ptr
.param data, ptr
    ULDC.64 UR4, c[0x0][0x118]
    LDG.E R0, [RZ.64]
    MOV R2, c[0x0][out]
    MOV R3, c[0x0][out+4]
    STG.E [R2.64], R0
    EXIT
.end
"""


def test_a_kernel_that_faults_does_not_end_the_rest():
    with tempfile.TemporaryDirectory() as folder:
        code = pathlib.Path(folder, "code")
        experiment("chase", "--write", str(code), "--gpu", "a100")
        source = pathlib.Path(folder, "fault.sass")
        source.write_text(FAULT, encoding="utf-8")
        assembled = execute([SUBCORE, "asm", str(source), "-o", str(code / "fault.cubin")])
        assert assembled.returncode == 0, assembled.stderr
        (code / "broken.cubin").write_bytes(b"no code")
        heading, *rows = [line for line in (code / "manifest.csv").read_text(encoding="utf-8").splitlines()
                          if not line.startswith("#")]
        bad = ["broken,1,broken.cubin,row_1,1,1", "fault,1,fault.cubin,row_1,1,1", "gone,1,gone.cubin,row_1,1,1"]
        (code / "manifest.csv").write_text("\n".join([heading, rows[0], *bad, rows[1]]) + "\n", encoding="utf-8")
        result = on_gpu("experiments", str(code), "--repeat", "1", code=1)
        assert [row["experiment"] + row["row"] for row in table(result.stdout)] == ["chase1", "chase2"], result.stdout
        for text in ("experiment broken, row 1: ", "experiment fault, row 1: row_1: error 700, an illegal memory",
                     "experiment gone, row 1: ", "gone.cubin: cannot be read"):
            assert text in result.stderr, (text, result.stderr)


def test_what_words_cannot_tell_has_no_verdict():
    with tempfile.TemporaryDirectory() as folder:
        words = written(folder, "listing-4", gpu="rtx-a6000")[1]
        out = experiment("--words", words, "--gpu", "rtx-a6000").stdout   # hits in the register-file cache
        assert "8 without words recorded on this GPU" in out and "hardware" not in out, out


def test_experiments_without_code_for_a_gpu_are_left_out():
    with tempfile.TemporaryDirectory() as folder:
        out = experiment("--write", folder, "--gpu", "h200").stdout
        manifest = pathlib.Path(folder, "manifest.csv").read_text(encoding="utf-8")
        assert "# left out: experiment figure-2 has no code for sm_90, only for sm_80 sm_86 sm_89\n" in manifest
        assert f"{manifest.count('# left out')} left out" in out
        files = {row["file"] for row in table_of(os.path.join(folder, "manifest.csv"))}
        assert files == {name for name in os.listdir(folder) if name.endswith(".sm_90.cubin")}


def test_mistakes_with_words_are_named():
    def refused(code, message, *words):
        assert message in experiment(*words, code=code).stderr, words

    refused(2, "--write needs --gpu", "--write", "x")
    refused(2, "x: No such file", "--words", "x")
    refused(2, "--words needs --gpu", "--words", __file__)
    refused(2, "do not go together", "--words", __file__, "--write", "y", "--gpu", "a100")
    refused(2, "--write /no/such/folder: No such file", "--write", "/no/such/folder", "--gpu", "a100")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words.csv")
        heading = "experiment,row,run,words\n"
        for text, message in ((heading, "it holds no words"), ("a,b\n", "line 1 is not one of"),
                              (heading + "listing-1,0,0,1 2\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1 -2\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1 4294967296\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1  2\n", "line 2 is not one of"),
                              (heading + "listing-1,1,0,1 2 3\n", "stores 2 words, but 3 were recorded")):
            pathlib.Path(path).write_text(text, encoding="utf-8")
            refused(2, message, "--words", path, "--gpu", "a100")


# ---- the script -----------------------------------------------------------------------------------------------------

NVIDIA_SMI = """#!/bin/sh
case "$*" in
*-q\\ *|*-q) echo "GPU 0: a fake" ;;
*) echo "535.1, 1410 MHz, 1215 MHz, 1410 MHz, P0" ;;
esac
"""
# Runs what it is to profile, and writes a line for each launch of the manifest.
NCU = """#!/usr/bin/env python3
import csv, subprocess, sys
words = sys.argv[1:]
if "--version" in words:
    print("Version 2026.1 (fake)")
    sys.exit(0)
assert words[words.index("--clock-control") + 1] == "none" and words[words.index("--cache-control") + 1] == "all"
log = open(words[words.index("--log-file") + 1], "w")
metrics = words[words.index("--metrics") + 1].split(",") if "--metrics" in words else ["gpc__cycles_elapsed.max"]
if "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed" in metrics:
    log.write("==ERROR== Failed to find metric gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed\\n")
    sys.exit(1)
start = words.index("--log-file") + (4 if "--metrics" in words or "--set" in words else 2)
size = words[words.index("--size") + 1]
if size == "@FAILING@":
    sys.exit(9)
status = subprocess.run(words[start:], check=False).returncode
manifest = words[words.index("--csv", start) + 1]
rows = list(csv.DictReader(line for line in open(manifest) if line[0] != "#"))
table = csv.writer(log, quoting=csv.QUOTE_ALL, lineterminator="\\n")
log.write("==PROF== Connected\\n")
table.writerow(["ID", "Kernel Name", "Block Size", "Grid Size"] + metrics)
table.writerow(["", "", "", ""] + ["" for _ in metrics])
for number, row in enumerate(rows):
    dims = ["(" + row[key].replace("x", ", ") + ")" for key in ("block", "grid")]
    table.writerow([number, row["kernel"], *dims] + ["17" for _ in metrics])
sys.exit(status)
"""


def script(folder, *parts, failing="none", code=0, **variables):
    tools = pathlib.Path(folder, "tools")
    tools.mkdir(exist_ok=True)
    for name, text in (("nvidia-smi", NVIDIA_SMI), ("ncu", NCU.replace("@FAILING@", failing))):
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(stat.S_IRWXU)
    out = pathlib.Path(folder, "out")
    out.mkdir(exist_ok=True)
    if not (out / "validate-gpu").exists():
        shutil.copy(PROGRAM, out / "validate-gpu")
    env = {"PATH": f"{tools}:{os.environ['PATH']}", "OUT": str(out), "RUN": f"{SUBCORE} exec -q -f -g a100",
           "MICRO_OPTIONS": "--quick --repeat 1", "KERNELS_OPTIONS": "--repeat 1 --warm needle",
           "SIZES": "small medium", "MEASURES": "banks fences", "PROFILED": "needle", **variables}
    result = execute([str(ROOT / "validate/hw/run.sh"), *parts], env=env)
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return out, result.stderr


def test_the_script_runs_all_parts():
    with tempfile.TemporaryDirectory() as folder:
        out, text = script(folder, "info", "kernels", "ncu", "micro", "ncu-full")
        for name in ("info.txt", "gpu.toml", "clocks.csv", "kernels.csv", "kernels-rows.csv", "ncu-rows.csv",
                     "micro.txt", "micro.csv", "micro-rows.csv", "ncu-full-rows.csv", "ncu-small.csv", "log.txt",
                     "nvidia-smi.txt"):
            assert (out / name).stat().st_size > 0, (name, text)
        for path in out.glob("*.csv"):
            head = path.read_text(encoding="utf-8")
            assert re.search(r"^# commit [0-9a-f]{12}$|^# commit unknown$", head, re.M), (path, head[:500])
            assert "1410 MHz, 1215 MHz, 1410 MHz, P0" in head, (path, head[:500])
        assert [row["quantity"] for row in table_of(out / "ncu-full-rows.csv")] == [
            f"kernel.needle.{size}.0.gpc__cycles_elapsed.max" for size in ("small", "medium")]
        assert {row["part"] for row in table_of(out / "clocks.csv")} == {"info", "kernels", "ncu", "micro", "ncu-full"}
        # What ncu does not know is left out, and all else is there.
        names = (ROOT / "validate/hw/metrics.txt").read_text(encoding="utf-8").split()
        assert len(table_of(out / "ncu-rows.csv")) == 2 * (len(names) - 1)
        assert "again: ncu, small: without metrics that are unknown here" in text


def test_the_script_runs_the_experiments_that_were_written():
    with tempfile.TemporaryDirectory() as folder:
        assert "'subcore experiment --write FOLDER --gpu NAME' makes it" in script(folder, "experiments")[1]
        experiment("chase", "--write", os.path.join(folder, "code"), "--gpu", "a100")
        out = script(folder, "experiments", EXPERIMENTS=os.path.join(folder, "code"))[0]
        found = table_of(out / "experiments.csv")
        assert [row["experiment"] for row in found] == 10 * ["chase"], found


def test_a_step_that_fails_does_not_end_the_rest():
    with tempfile.TemporaryDirectory() as folder:
        out, text = script(folder, "info", "ncu", "kernels", failing="small", code=1)
        assert "FAILED: ncu, small: exit status 9" in text and "something failed" in text, text
        assert {row["quantity"].split(".")[2] for row in table_of(out / "ncu-rows.csv")} == {"medium"}
        assert len(table_of(out / "kernels.csv")) == 2
        text = script(folder, "micro", code=1, MICRO_SECONDS="0")[1]
        assert "skipped: micro, banks: the part's time is used up" in text


def test_a_part_that_is_not_known_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        assert "there is no part 'clock'" in script(folder, "info", "clock", code=2)[1]


def test_a_step_that_takes_too_long_is_ended():
    with tempfile.TemporaryDirectory() as folder:
        slow = pathlib.Path(folder, "slow")
        slow.write_text("#!/bin/sh\nsleep 300\n", encoding="utf-8")
        slow.chmod(stat.S_IRWXU)
        text = script(folder, "info", code=1, RUN=str(slow), INFO_SECONDS="5")[1]
        assert re.search(r"^ENDED: info, info: longer than [1-5] s$", text, re.M), text
        assert "info, toml" in text and "results in" in text, text


# ---- the program ----------------------------------------------------------------------------------------------------


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
