"""Subcore for Python: runs programs on simulated NVIDIA GPUs, and returns the results of their launches.

    import subcore

    result = subcore.run(["python3", "train.py"], gpu="h200")
    for kernel in result.kernels:
        print(kernel["kernel"], kernel["cycles"]["elapsed"])

The wheel has the simulator and the libraries that CUDA programs load.
"""
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

__all__ = ["Result", "executable", "gpus", "run"]


@dataclasses.dataclass(frozen=True)
class Result:
    """Results of one run."""

    exit_status: int  #: of the program
    launches: list  #: a dict for each launch: name, stream, begin and end, error (docs/json.md)
    kernels: list  #: a dict for each launch, in the same order: cycles, counters, metrics (docs/json.md)
    output: str  #: standard output of the program, or None if it was not captured

    def frame(self):
        """Returns a pandas frame with one row for each launch: columns such as `kernel` and `cycles.elapsed`.

        Nested values have dots in their names (docs/json.md). Raises ImportError if pandas is not installed.
        """
        import pandas

        return pandas.json_normalize(self.kernels)


def executable():
    """Returns the path of the simulator: SUBCORE in the environment, or the one that came with this package."""
    return os.environ.get("SUBCORE") or str(pathlib.Path(__file__).parent / "bin" / "subcore")


def gpus():
    """Returns the names of the GPUs that can be simulated."""
    done = subprocess.run([executable(), "gpus"], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split()[0] for line in done.stdout.split("\n\n")[0].splitlines()[1:]]


def run(command, *, gpu=None, functional=False, settings=None, options=(), capture=False, env=None):
    """Runs a CUDA program, given as a list of words, under `subcore exec`.

    `gpu` is a name or a .toml file. `functional` executes without timing. `settings` is a dict of configuration keys.
    `options` are further options of `subcore exec`. `capture` keeps the program's output in the result instead of
    printing it. Raises ValueError if the simulator refuses the program or an option, with its message.
    """
    words = [executable(), "exec", "--quiet"]
    words += ["--gpu", str(gpu)] if gpu else []
    words += ["--functional"] if functional else []
    for key, value in (settings or {}).items():
        words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    with tempfile.TemporaryDirectory(prefix="subcore-") as folder:
        report, messages = pathlib.Path(folder) / "report.json", pathlib.Path(folder) / "messages"
        words += ["--json", str(report), *map(str, options), "--", *map(str, command)]
        with open(messages, "w+", encoding="utf-8") as errors:
            done = subprocess.run(words, stdout=subprocess.PIPE if capture else None,
                                  stderr=errors if capture else None, text=True, env=env, check=False)
        if not report.exists():
            told = messages.read_text(encoding="utf-8").strip() or f"exit status {done.returncode}"
            raise ValueError(f"subcore exec ran nothing: {told}")
        document = json.loads(report.read_text(encoding="utf-8"))
    return Result(document["exit_status"], document["launches"], document["kernels"], done.stdout)
