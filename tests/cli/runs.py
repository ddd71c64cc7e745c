"""Runs of small kernels and readers for the sources, which tests of the command line share."""
import os

from harness import ROOT

SAXPY = os.path.join(ROOT, "examples/cubin/saxpy.sm_86.cubin")
SGEMM = os.path.join(ROOT, "examples/cubin/sgemm.sm_86.cubin")
SAXPY_RUN = ["run", SAXPY, "--grid", "8", "--block", "256", "--arg", "f32:2", "--arg", "f32[2048]=iota"]
SAXPY_ARGS = SAXPY_RUN + ["--arg", "f32[2048]=1", "--arg", "u32:2048"]
SPIN = ["run", SAXPY, "--grid", "20000000", "--block", "256", "--arg", "f32:2", "--arg", "f32[9]=zero", "--arg",
        "f32[9]=zero", "--arg", "u32:9"]


def source(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()
