#!/usr/bin/env python3
"""`subcore record`: native traces of kernels and demos."""
import os
import re
import subprocess
import tempfile

from harness import SUBCORE, document, fails, main, subcore
from runs import SAXPY_ARGS, SAXPY_RUN

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


main(globals())
