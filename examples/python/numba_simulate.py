#!/usr/bin/env python3
"""Numba: the sums of a matrix's rows in two ways, timed by subcore.simulate and checked against NumPy.

    subcore exec --functional --gpu h200 python3 numba_simulate.py

Needs numba-cuda, numpy, pandas and the package subcore (pip install . in the sources, or their folder python on
PYTHONPATH).
"""
import sys

import numpy
import subcore
from numba import cuda, float32

ROWS, COLUMNS, THREADS = 2048, 256, 256


@cuda.jit
def row_of_a_thread(x, sums):
    row = cuda.grid(1)
    total = float32(0)
    for i in range(x.shape[1]):
        total += x[row, i]
    sums[row] = total


@cuda.jit
def row_of_a_warp(x, sums):
    row, lane = cuda.grid(1) // 32, cuda.threadIdx.x % 32
    total = float32(0)
    for i in range(lane, x.shape[1], 32):
        total += x[row, i]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xffffffff, total, step)
    if lane == 0:
        sums[row] = total


def main():
    host = numpy.random.default_rng(5).standard_normal((ROWS, COLUMNS), dtype=numpy.float32)
    x, sums = cuda.to_device(host), [cuda.to_device(numpy.zeros(ROWS, numpy.float32)) for _ in range(2)]
    row_of_a_thread[ROWS // THREADS, THREADS](x, sums[0])  # outside of the block: without time
    with subcore.simulate() as report:
        row_of_a_thread[ROWS // THREADS, THREADS](x, sums[0])
        row_of_a_warp[32 * ROWS // THREADS, THREADS](x, sums[1])
    frame = report.frame()
    frame["name"] = [launch["name"] for launch in report.launches]
    print(frame[["name", "launch.grid", "cycles.elapsed", "cycles.sms_used"]].to_string(index=False))
    print(frame["verdict.text"][0])
    expected = host.astype(numpy.float64).sum(axis=1)
    error = max(float(numpy.abs(found.copy_to_host() - expected).max()) for found in sums)
    sys.exit(0 if error < 1e-4 else f"wrong result: {error}")


main()
