#!/usr/bin/env python3
"""PyTorch's profiler: kernels, copies and sets of the simulated GPU, tied to the operations that submitted them."""
import json
import pathlib
import sys
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile

KINDS = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}
CALLS = ("cuda_runtime", "cuda_driver")


def run():
    """Returns the profile of a sum, a product, a set and two copies."""
    x = torch.ones(256, 256, device="cuda")
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        y = torch.ones(256, 256).to("cuda")
        z = (x + y) @ x
        y.zero_()
        result = z.cpu()
        torch.cuda.synchronize()
    assert (result == 512).all(), "wrong product"
    return found


def events_of(found):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "trace.json")
        found.export_chrome_trace(str(path))
        return [e for e in json.loads(path.read_text(encoding="utf-8"))["traceEvents"] if e.get("ph") == "X"]


def check(events):
    """Each record of the device has the call that submitted it, and both have the operation around the call."""
    calls = {e["args"]["correlation"]: e for e in events if e.get("cat") in CALLS}
    operations = {e["args"]["External id"]: e for e in events if e.get("cat") == "cpu_op"}
    lines = []
    for event in sorted((e for e in events if e.get("cat") in KINDS), key=lambda e: e["ts"]):
        call = calls[event["args"]["correlation"]]
        operation = operations[event["args"]["External id"]]
        assert call["args"]["External id"] == event["args"]["External id"], (call, event)
        assert call["name"] in (KINDS[event["cat"]], "cuLaunchKernel"), call
        assert event["ts"] >= call["ts"] - 1, (call, event)   # microseconds: the clocks of PyTorch are that far apart
        assert operation["ts"] <= call["ts"] + 1, (operation, call)
        assert event["dur"] > 0, event
        lines.append((operation["name"], call["name"], event["name"], event["dur"]))
    return lines


def main():
    found = run()
    lines = check(events_of(found))
    for operation, call, name, microseconds in lines:
        print(f"{operation:12} {call:16} {name[:44]:44} {microseconds:7.2f} us")
    kinds = [call for _, call, _, _ in lines]
    # PyTorch 2.6 clears with a kernel.
    cleared = kinds[3:4] in (["cudaMemsetAsync"], ["cudaLaunchKernel"])
    if len(lines) != 5 or kinds.count("cudaMemcpyAsync") != 2 or not cleared:
        sys.exit(f"wrong records: {lines}")
    averages = [average for average in found.key_averages() if average.device_type.name == "CUDA"]
    total = sum(average.self_device_time_total for average in averages)
    if abs(total - sum(line[3] for line in lines)) > 0.01:
        sys.exit(f"the table adds up to {total} us")


if __name__ == "__main__":
    main()
