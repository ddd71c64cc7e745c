#!/usr/bin/env python3
"""Nsight Compute profiles become rows of measurements."""
import os
import pathlib
import sys
import tempfile

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import main  # pylint: disable=wrong-import-position
from hw_harness import PROGRAM, ROWS, execute, table  # pylint: disable=wrong-import-position

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
    """A table as Nsight Compute prints it, with its other lines."""
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


main(globals())
