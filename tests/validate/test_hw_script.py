#!/usr/bin/env python3
"""validate/hw/run.sh on the simulated GPU, with an nvidia-smi and an ncu of the tests."""
import os
import pathlib
import re
import shutil
import stat
import sys
import tempfile

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, SUBCORE, main  # pylint: disable=wrong-import-position
from hw_harness import PROGRAM, execute, experiment, table_of  # pylint: disable=wrong-import-position

NVIDIA_SMI = """#!/bin/sh
case "$*" in
*-q\\ *|*-q) echo "GPU 0: a fake" ;;
*) echo "535.1, 1410 MHz, 1215 MHz, 1410 MHz, P0" ;;
esac
"""
# Runs its program, and writes a line for each launch of the manifest.
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
        # Metrics that ncu does not know are left out, and all else is there.
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


main(globals())
