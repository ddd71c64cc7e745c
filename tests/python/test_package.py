#!/usr/bin/env python3
"""Builds the wheel from a build folder, installs it in a fresh environment without a network, and uses it:
test_package.py BUILD. Prints TAP."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Runs in the environment, away from the sources; prints its findings as JSON.
PROBE = """
import json, sys
import subcore

def elapsed(result):
    return (result.kernels[0].get("cycles") or {}).get("elapsed")

program, blocks, cubin = sys.argv[1:]
found = {"file": subcore.__file__, "executable": subcore.executable(), "gpus": subcore.gpus()}
timed = subcore.run([sys.executable, program, cubin], gpu="rtx-a6000", capture=True)
slower = subcore.run([sys.executable, program, cubin], gpu="rtx-a6000", settings={"dram.latency": 2000}, capture=True)
executed = subcore.run([sys.executable, program, cubin], functional=True, capture=True)
simulated = subcore.run([sys.executable, blocks, "whole", cubin], functional=True, capture=True)
failing = subcore.run([sys.executable, program, "/missing.cubin"], capture=True)
found |= {"status": timed.exit_status, "output": timed.output, "names": [l["name"] for l in timed.launches],
          "timed": elapsed(timed), "executed": elapsed(executed),
          "slower": elapsed(slower), "shapes": json.loads(simulated.output)["shapes"],
          "failing": failing.exit_status}
try:
    subcore.run([sys.executable, program, cubin], gpu="no-such-gpu", capture=True)
except ValueError as error:
    found["refused"] = str(error)
try:
    found["frame"] = list(timed.frame()["cycles.elapsed"])
except ImportError as error:
    found["frame"] = str(error)
print(json.dumps(found))
"""


def main():
    checks = []

    def check(name, good, what=""):
        checks.append(good)
        print(f"{'ok' if good else 'not ok'} {len(checks)} - {name}{'' if good else f' # {what}'}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        wheels, place = pathlib.Path(folder) / "wheels", pathlib.Path(folder) / "environment"
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SUBCORE", "LD_", "PYTHON"))}
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
                        "--no-index", "-w", wheels, ROOT], check=True,
                       env=environment | {"SUBCORE_BUILD": os.path.abspath(sys.argv[1])})
        venv.create(place, with_pip=True)
        python = place / "bin" / "python3"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", *wheels.glob("*.whl")], check=True)
        programs = [ROOT / "tests/python" / name for name in ("driver_program.py", "simulate_program.py")]
        done = subprocess.run([python, "-c", PROBE, *programs, ROOT / "examples/cubin/vecadd.sm_86.cubin"], cwd=folder,
                              env=environment, text=True, stdout=subprocess.PIPE, check=True)
        found = json.loads(done.stdout)
        command = subprocess.run([place / "bin" / "subcore", "version"], env=environment, text=True,
                                 stdout=subprocess.PIPE, check=False)
        inside = str(place)
    check("the package and its simulator are those of the environment",
          found["file"].startswith(inside) and found["executable"].startswith(inside), found["executable"])
    check("it lists GPUs", {"a100", "h200", "rtx-a6000"} <= set(found["gpus"]), found["gpus"])
    check("a program runs, and its output is kept", found["status"] == 0 and found["output"] == "right\n", found)
    check("its launch is a result with cycles", found["names"] == ["vecadd"] and found["timed"] > 1000, found)
    check("settings change the machine", found["slower"] > found["timed"] + 500, found)
    check("functional runs have no cycles", not found["executed"], found["executed"])
    check("a block in a functional run is timed", found["shapes"] == [2, 3], found["shapes"])
    check("the exit status is the program's", found["failing"] == 1, found["failing"])
    check("an unknown GPU is a ValueError with its name", "no-such-gpu" in found.get("refused", ""), found)
    check("a frame has the launch's cycles, or pandas is named as missing",
          found["frame"] == [found["timed"]] or "pandas" in found["frame"], found["frame"])
    check("the command is there", command.returncode == 0 and "0.1.0" in command.stdout, command)
    print(f"1..{len(checks)}")
    sys.exit(not all(checks))


main()
