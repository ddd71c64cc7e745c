#!/usr/bin/env python3
"""Triton: a product of FP16 matrices is tuned over block sizes, by simulated time, and checked against PyTorch on the
CPU.

    for gpu in a100 rtx-a6000 h200; do subcore exec --quiet --gpu $gpu python3 triton_tune.py; done

Needs torch and triton. An argument is the size of the matrices.
"""
import os
import sys

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # what Triton 3.9 does, without its warning

import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, size, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    left = a + rows[:, None] * size + depth[None, :]
    right = b + depth[:, None] * size + columns[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, size, K):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += K
        right += K * size
    tl.store(c + rows[:, None] * size + columns[None, :], total.to(tl.float16))


# rows, columns and depth of a block, warps, pipeline stages
BLOCKS = [(32, 32, 32, 4, 3), (64, 32, 32, 4, 3), (64, 64, 32, 4, 3), (64, 64, 64, 4, 3), (128, 64, 32, 4, 3),
          (128, 64, 32, 8, 3), (128, 128, 32, 8, 3)]


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    random = torch.Generator().manual_seed(4)
    host = [torch.randn(size, size, generator=random).half() for _ in range(2)]
    expected = host[0].float() @ host[1].float()
    a, b = host[0].cuda(), host[1].cuda()
    print(f"{torch.cuda.get_device_name()}, {size} x {size} x {size}")
    times = {}
    for m, n, k, warps, stages in BLOCKS:
        c = torch.zeros_like(a)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        product[(size // m, size // n)](a, b, c, size, M=m, N=n, K=k, num_warps=warps, num_stages=stages)
        end.record()
        end.synchronize()
        # A result is rounded to FP16: half a unit in the last place, and the sum's own error in FP32.
        error = float(((c.cpu().float() - expected).abs() / (expected.abs() + 1)).max())
        if not error < 1e-3:
            sys.exit(f"wrong result: relative error {error} of block {m} x {n} x {k}")
        times[m, n, k, warps, stages] = 1000 * begin.elapsed_time(end)
    for block, time in sorted(times.items(), key=lambda item: item[1]):
        rate = 2 * size ** 3 / time / 1e6
        m, n, k, warps, stages = block
        print(f"  block {m:3} x {n:3} x {k:2}, {warps} warps, {stages} stages: {time:7.2f} us, {rate:6.2f} TFLOP/s")


main()
