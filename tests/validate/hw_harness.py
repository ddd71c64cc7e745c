"""The part that the tests of the program for real GPUs share. VALIDATE_GPU is the program, SUBCORE the simulator."""
import csv
import os
import pathlib
import subprocess
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, SUBCORE  # pylint: disable=wrong-import-position

PROGRAM = os.environ["VALIDATE_GPU"]
FOLDER = str(ROOT / "validate")
ROWS = ["gpu", "quantity", "low", "high", "unit", "tolerance", "source", "open"]


def execute(words, env=None, cwd=None):
    return subprocess.run(words, capture_output=True, text=True, timeout=400, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})})


def on_gpu(*words, gpu="a100", timed=False, code=0):
    """Runs the program's words on a simulated GPU. Returns its output."""
    mode = [] if timed else ["-f"]
    result = execute([SUBCORE, "exec", "-q", "-g", gpu, *mode, PROGRAM, *words, "--folder", FOLDER])
    assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    return result


def table(text):
    """Rows of a CSV text behind its '#' lines, as dictionaries."""
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def table_of(path):
    return table(pathlib.Path(path).read_text(encoding="utf-8"))


def experiment(*words, code=0):
    result = execute([SUBCORE, "experiment", *words])
    assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    return result
