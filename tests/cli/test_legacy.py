"""The legacy core: beside Accel-Sim, in each command, and its configurations."""
import csv
import re
import subprocess
import sys

from harness import ROOT, SUBCORE, document, main, succeeds


def test_micro_benchmarks_take_as_long_as_in_accel_sim():
    tool = [sys.executable, str(ROOT / "tools/legacy_accuracy.py"), "--subcore", SUBCORE, "--micro", "--within", "2"]
    result = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("\n| ") > 20
    strict = subprocess.run(tool[:-1] + ["1"], capture_output=True, text=True, check=False)
    assert strict.returncode == 1, strict.stdout


def test_the_study_compares_both_cores():
    rows = list(csv.DictReader(succeeds("study", "core-models", "vecadd", "--csv", "-", "--quiet").splitlines()))
    cycles = {row["variant"]: int(row["cycles"]) for row in rows}
    assert list(cycles) == ["modern", "legacy", "legacy GTO", "legacy dual"]
    assert cycles["legacy"] != cycles["modern"]
    assert all(row["warp_instructions"] == rows[0]["warp_instructions"] for row in rows)


def test_every_baseline_is_listed_runs_and_has_the_legacy_core():
    names = sorted(path.stem for path in (ROOT / "configs/legacy").glob("*.toml"))
    assert names == ["legacy-rtx-2060", "legacy-rtx-3070", "legacy-v100"]
    listed = succeeds("gpus")
    for name in names:
        assert f"\n{name} " in listed
        assert 'model = "legacy"' in succeeds("config", name)
        kernel = document("demo", "vecadd", "-g", name)["kernels"][0]
        assert kernel["cycles"]["elapsed"] > 5000


def test_values_of_baselines_name_the_option_that_they_come_from():
    for path in (ROOT / "configs/legacy").glob("*.toml"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "=" in line.split("#")[0] and not line.startswith("inherits"):
                said = line.split("#", 1)[1]
                assert re.search(r"-gpgpu_|-network_mode|-dram_|GPGPU-Sim|Accel-Sim|product", said), (path.name, line)


def test_stalls_of_the_legacy_core_add_up():
    for more in ([], ["--set", "core.scheduler=gto"]):
        kernel = document("demo", "sgemm-tiled", "-g", "rtx-a6000", "--set", "core.model=legacy", *more)["kernels"][0]
        share = sum(reason["percent"] for reason in kernel["stalls"].values())
        assert abs(share - 100) < 0.01
        for reason in ("wait", "long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle"):
            assert kernel["stalls"][reason]["warp_cycles"] > 0, reason


main(globals())
