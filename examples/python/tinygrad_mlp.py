#!/usr/bin/env python3
"""tinygrad: a small network learns a function, on the GPU and on the CPU, and both have the same losses.

    DEV=CUDA subcore exec --gpu rtx-a6000 --functional python3 tinygrad_mlp.py [STEPS]

Needs tinygrad, numpy and libnvrtc.so, with which tinygrad compiles its kernels. The reference is NumPy's.
"""
import sys

import numpy
from tinygrad import Device, Tensor

ROWS, INPUTS, HIDDEN, RATE = 64, 16, 32, 0.05


def gradients_by_hand(x, y, first, second):
    """The loss of relu(x first) second, and its gradients, in float64."""
    z = x @ first
    hidden = numpy.maximum(z, 0)
    off = hidden @ second - y
    up = 2 * off / off.size
    return (off ** 2).mean(), x.T @ ((up @ second.T) * (z > 0)), hidden.T @ up


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    random = numpy.random.default_rng(2)
    x = random.standard_normal((ROWS, INPUTS))
    y = numpy.sin(x[:, :1])
    host = [0.3 * random.standard_normal((INPUTS, HIDDEN)), 0.3 * random.standard_normal((HIDDEN, 1))]
    device = [Tensor(w.astype(numpy.float32)) for w in host]
    inputs, targets = Tensor(x.astype(numpy.float32)), Tensor(y.astype(numpy.float32))
    print("device", Device.DEFAULT)
    worst = 0.0
    for step in range(steps):
        off = (inputs @ device[0]).relu() @ device[1] - targets
        loss = (off * off).mean()
        slopes = loss.gradient(*device)
        device = [(w - RATE * g).realize() for w, g in zip(device, slopes)]
        expected, *slopes = gradients_by_hand(x, y, *host)
        host = [w - RATE * g for w, g in zip(host, slopes)]
        found = loss.item()
        worst = max(worst, abs(found - expected) / expected)
        print(f"step {step}: loss {found:.6f}, by hand {expected:.6f}")
    print(f"largest relative difference {worst:.1e}")
    sys.exit(0 if worst < 1e-5 and Device.DEFAULT.startswith("CUDA") else "wrong losses, or not on the GPU")


main()
