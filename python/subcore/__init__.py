"""Subcore for Python: runs programs on simulated NVIDIA GPUs, and returns the results of their launches.

    import subcore

    result = subcore.run(["python3", "train.py"], gpu="h200")
    for kernel in result.kernels:
        print(kernel["kernel"], kernel["cycles"]["elapsed"])

A program that `subcore exec` has started times parts of itself:

    with subcore.simulate(gpu="h200") as report:
        step(model)
    print(report.frame()["cycles.elapsed"])

The wheel has the simulator and the libraries that CUDA programs load.
"""
from subcore.program import Result, executable, gpus, run
from subcore.simulation import Report, Simulation, simulate

__all__ = ["Report", "Result", "Simulation", "executable", "gpus", "run", "simulate"]
