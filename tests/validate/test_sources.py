#!/usr/bin/env python3
"""Tests tools/check_sources.py: test_sources.py ROOT."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
HEAD = '[l2]\nlatency = 200                   # '


def check(source):
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name)
        (copy / "validate").mkdir()
        (copy / "validate" / "kernels").symlink_to(ROOT / "validate" / "kernels")
        (copy / "configs" / "arch").mkdir(parents=True)
        (copy / "configs" / "arch" / "sm_80.toml").write_text(HEAD + source + "\n", encoding="utf-8")
        command = [sys.executable, ROOT / "tools" / "check_sources.py", copy]
        run = subprocess.run(command, capture_output=True, text=True)
        return run.returncode, run.stdout


def a_value_from_a_measurement_passes():
    assert check("measured: chase.l2 of an A100, with kernels of ours") == (0, "")


def a_value_from_a_kernel_is_refused():
    for source in ("fitted on validate/kernels", "so that needle.full takes as long",
                   "from kernel.needle.full.0.gpc__cycles_elapsed.max"):
        status, text = check(source)
        assert status == 1 and text.startswith("configs/arch/sm_80.toml:2: its source is "), (source, text)


TESTS = [a_value_from_a_measurement_passes, a_value_from_a_kernel_is_refused]
print(f"1..{len(TESTS)}")
for number, test in enumerate(TESTS, 1):
    test()
    print(f"ok {number} {test.__name__}")
