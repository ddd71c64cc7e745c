#!/usr/bin/env python3
"""Triton without PyTorch: the softmax of a matrix product's rows, checked against NumPy. Memory is cuda.core's."""
import sys

import numpy
import triton
import triton.language as tl
from cuda.core import Device, LegacyPinnedMemoryResource


@triton.jit
def attention_weights(a, b, c, columns, DEPTH: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    column, depth = tl.arange(0, N), tl.arange(0, DEPTH)
    left = tl.load(a + rows[:, None] * DEPTH + depth[None, :])
    right = tl.load(b + column[:, None] * DEPTH + depth[None, :], mask=column[:, None] < columns, other=0.0)
    scores = tl.where(column[None, :] < columns, tl.dot(left, tl.trans(right)), -float("inf"))
    powers = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    weights = powers / tl.sum(powers, axis=1)[:, None]
    tl.store(c + rows[:, None] * columns + column[None, :], weights, mask=column[None, :] < columns)


class Array:
    """A device array as Triton wants it, beside page-locked memory of the same contents."""

    def __init__(self, device, stream, values):
        self.dtype, self.stream = values.dtype, stream
        self.there = device.memory_resource.allocate(values.nbytes, stream=stream)
        self.here = LegacyPinnedMemoryResource().allocate(values.nbytes, stream=stream)
        self.values = numpy.from_dlpack(self.here).view(values.dtype).reshape(values.shape)
        self.values[:] = values
        self.there.copy_from(self.here, stream=stream)

    def data_ptr(self):
        return int(self.there.handle)

    def read(self):
        self.there.copy_to(self.here, stream=self.stream)
        self.stream.sync()
        return self.values


def main():
    rows, columns, depth = 128, 50, 32
    device = Device()
    device.set_current()
    stream = device.default_stream
    random = numpy.random.default_rng(7)
    a = Array(device, stream, random.standard_normal((rows, depth)).astype(numpy.float16))
    b = Array(device, stream, random.standard_normal((columns, depth)).astype(numpy.float16))
    c = Array(device, stream, numpy.zeros((rows, columns), numpy.float32))
    scores = a.values.astype(numpy.float64) @ b.values.astype(numpy.float64).T
    powers = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    attention_weights[(rows // 32,)](a, b, c, columns, DEPTH=depth, M=32, N=64)
    error = float(numpy.abs(c.read() - expected).max())
    print(f"{device.name}: {rows} x {columns} weights, largest error {error:.1e}")
    sys.exit(0 if error < 1e-5 else "wrong result")


main()
