"""The part that the tests of `subcore exec` share. SUBCORE_FAKE is a program that writes launch records without CUDA
(fake_program.c), SUBCORE_CUDA one that uses the driver API (cuda_program.c), SUBCORE_FOREIGN a library with its own
runtime (foreign_user.c). SUBCORE_ASKER, SUBCORE_CLOSED and SUBCORE_COMPILER are libraries that ask for undocumented
functions (table_asker.c)."""
import csv
import json
import os
import re
import signal
import subprocess

from harness import SUBCORE

FAKE = os.environ["SUBCORE_FAKE"]
CUDA = os.environ.get("SUBCORE_CUDA")


def run_exec(*words, env=None, cwd=None):
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith("SUBCORE_") or key in ("SUBCORE_ROOT", "SUBCORE_PROGRESS")}
    variables.update(env or {})
    return subprocess.run([SUBCORE, "exec", *words], capture_output=True, text=True, timeout=120, check=False,
                          env=variables, cwd=cwd)


def gives(code, *words, out=None, err=None, **options):
    """Standard output is `out`, and standard error holds `err`, or is empty."""
    result = run_exec(*words, **options)
    assert result.returncode == code, (words, result.returncode, result.stderr)
    assert out is None or result.stdout == out, (words, result.stdout)
    assert (err in result.stderr) if err else result.stderr == "", (words, result.stderr)
    return result


def variables(*options, env=None):
    names = ("GPU", "SET", "MODE", "DETAILED", "THREADS", "QUIET", "TRACE", "TRACE_ONLY")
    words = [word for name in names for word in ("env:SUBCORE_" + name,)]
    out = run_exec(*options, FAKE, *words, env=env).stdout
    found = dict(re.findall(r"SUBCORE_(\w+)=(.*(?:\n(?!SUBCORE_).+)*)", out))
    assert sorted(found) == sorted(names), out
    return {key: value.strip() for key, value in found.items() if value.strip() != "(none)"}


def usual_action(number):
    """For the start of a program: nohup and & ignore some signals."""
    return lambda: signal.signal(number, signal.SIG_DFL)


def read_report(folder):
    with open(os.path.join(folder, "launches.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        document = json.load(file)
    with open(os.path.join(folder, "report.txt"), encoding="utf-8") as file:
        return rows, document, file.read()
