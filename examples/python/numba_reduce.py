#!/usr/bin/env python3
"""Numba: a sum of squares in shared memory, blocks joined by an atomic addition, checked against NumPy.

    subcore exec --gpu rtx-a6000 python3 numba_reduce.py [ELEMENTS]

Needs numba-cuda and numpy.
"""
import sys

import numpy
from numba import cuda, float32

THREADS = 256


@cuda.jit
def sum_of_squares(x, total):
    part = cuda.shared.array(THREADS, float32)
    thread = cuda.threadIdx.x
    own = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        own += x[i] * x[i]
    part[thread] = own
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if thread < step:
            part[thread] += part[thread + step]
        cuda.syncthreads()
        step //= 2
    if thread == 0:
        cuda.atomic.add(total, 0, part[0])


def main():
    elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 18
    x = numpy.random.default_rng(1).standard_normal(elements, dtype=numpy.float32)
    total = cuda.to_device(numpy.zeros(1, numpy.float32))
    device = cuda.get_current_device()
    begin, end = cuda.event(), cuda.event()
    begin.record()
    sum_of_squares[2 * device.MULTIPROCESSOR_COUNT, THREADS](cuda.to_device(x), total)
    end.record()
    end.synchronize()
    found, right = float(total.copy_to_host()[0]), float((x.astype(numpy.float64) ** 2).sum())
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    error = abs(found - right) / right
    print(f"{name}: sum of {elements} squares {found:.2f}, relative error {error:.1e}, "
          f"{1000 * cuda.event_elapsed_time(begin, end):.2f} us")
    sys.exit(0 if error < 1e-5 else "wrong result")


main()
