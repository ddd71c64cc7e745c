#!/usr/bin/env python3
"""Runs programs of examples/python and of this folder in fresh virtual environments: run.py SUBCORE [PACKAGE...].

Each program checks its own results. A package that pip cannot install is skipped, and the line says why. From the
environment:

    PYTHON_GPUS    GPUs to run on, with blanks between: rtx-a6000 h200 unless said
    PYTHON_FOLDER  a folder that keeps the environments for the next time; else they are removed
    PYTHON_LOG     a file for the output of all commands
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
INSTALL_SECONDS, RUN_SECONDS = 900, 600
TORCH = ["torch", "numpy"]
GPUS = os.environ.get("PYTHON_GPUS", "rtx-a6000 h200").split()

# package -> (requirements, program and arguments, options of subcore, environment)
PACKAGES = {
    "numba-cuda": (["numba-cuda[cu13]", "numpy"], ["numba_reduce.py", "20000"], [], {}),
    "simulate": (["numba-cuda[cu13]", "numpy", "pandas"], ["numba_simulate.py"], ["--functional"],
                 {"PYTHONPATH": str(ROOT / "python")}),
    "cuda.core": (["cuda-core[cu13]", "numpy"], ["cuda_core_saxpy.py"], [], {}),
    "triton": (["triton", "cuda-core[cu13]", "numpy"], ["triton_alone.py"], [], {}),
    "tinygrad": (["tinygrad", "numpy", "nvidia-cuda-nvrtc==13.0.*", "nvidia-nvjitlink==13.0.*"],
                 ["tinygrad_mlp.py", "3"], ["--functional"], {"DEV": "CUDA"}),
    "triton-torch": (TORCH, ["triton_tune.py", "128"], [], {}),
    "torch-profiler": (TORCH, ["torch_profiler.py"], [], {}),
    "torch-operations": (TORCH, ["torch_operations.py"], ["--functional"], {}),
    "torch": (TORCH, ["torch_gpt.py", "--steps", "3", "--layers", "2", "--width", "64", "--heads", "2"],
              ["--functional"], {}),
}


class Log:
    """Where the output of all commands goes."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8") if path else None

    def run(self, command, seconds, environment=None):
        """(whether it succeeded, its last line)."""
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=seconds, env=environment, check=False)
            output, good = done.stdout, done.returncode == 0
        except subprocess.TimeoutExpired as error:
            output, good = f"{error.stdout or ''}\nstopped after {seconds} seconds", False
        if self.file:
            self.file.write(f"$ {' '.join(map(str, command))}\n{output}\n")
            self.file.flush()
        lines = output.strip().splitlines()
        return good, output, lines[-1] if lines else "no output"


def environment_of(folder, requirements, log):
    """The interpreter of an environment with these packages, or None and the reason."""
    place = folder / re.sub(r"[^\w.-]", "_", "-".join(requirements))
    python = place / "bin" / "python3"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        try:
            venv.create(place, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            return None, f"no virtual environment: {error}"
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
        good, _, last = log.run(install, INSTALL_SECONDS)
        if not good:
            return None, f"pip cannot install {' '.join(requirements)}: {last}"
        (place / "complete").touch()
    return python, None


def versions(python, requirements):
    names = [re.match(r"[\w-]+", name)[0] for name in requirements]
    code = "import importlib.metadata as m; print(', '.join(n + ' ' + m.version(n) for n in %r))" % names
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


def test(subcore, folder, package, log):
    """Prints a line for each GPU, and returns how many passed, failed and were skipped."""
    requirements, program, options, more = PACKAGES[package]
    python, reason = environment_of(folder, requirements, log)
    if python is None:
        print(f"skipped  {package}: {reason}", flush=True)
        return 0, 0, 1
    print(f"         {package}: {versions(python, requirements)}", flush=True)
    passed = failed = 0
    scripts = [ROOT / "examples/python" / program[0], ROOT / "tests/python" / program[0]]
    script = next(path for path in scripts if path.exists())
    # Without LD_PRELOAD and LD_LIBRARY_PATH: `subcore exec` is enough.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")} | more
    environment |= {"TRITON_CACHE_DIR": str(folder / "triton-cache"), "XDG_CACHE_HOME": str(folder / "cache")}
    for toolkit in python.parents[1].glob("lib/python3*/site-packages/nvidia/cu13"):
        environment |= {"CUDA_HOME": str(toolkit), "NVRTC_PATH": str(toolkit / "lib")}  # for tinygrad
    for gpu in GPUS:
        good, output, last = log.run([subcore, "exec", "--quiet", "--gpu", gpu, *options, python, script, *program[1:]],
                                     RUN_SECONDS, environment)
        passed += good
        failed += not good
        print(f"{'passed' if good else 'FAILED'}   {package} on {gpu}: {last.strip()}", flush=True)
        if not good:
            print("\n".join("    " + line for line in output.strip().splitlines()[-15:]), flush=True)
    return passed, failed, 0


def main():
    if len(sys.argv) < 2 or any(name not in PACKAGES for name in sys.argv[2:]):
        sys.exit(f"usage: run.py SUBCORE [PACKAGE...], where packages are {', '.join(PACKAGES)}")
    subcore = os.path.abspath(sys.argv[1])
    kept = os.environ.get("PYTHON_FOLDER")
    folder = pathlib.Path(kept or tempfile.mkdtemp(prefix="subcore-python-"))
    folder.mkdir(parents=True, exist_ok=True)
    log = Log(os.environ.get("PYTHON_LOG"))
    try:
        results = [test(subcore, folder, package, log) for package in sys.argv[2:] or PACKAGES]
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)
    passed, failed, skipped = map(sum, zip(*results))
    print(f"python: {passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
