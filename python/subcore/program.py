"""Other programs, run to their ends on a simulated GPU: subcore.run."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Iterable, Mapping, Optional, Sequence

__all__ = ["Result", "executable", "frame_of", "gpus", "run"]


def frame_of(kernels: list) -> Any:
    """Returns a pandas frame with a row for each of these dicts. Raises ImportError if pandas is not installed."""
    import pandas

    return pandas.json_normalize(kernels)


@dataclasses.dataclass(frozen=True)
class Result:
    """Results of one run."""

    exit_status: int  #: of the program
    launches: list  #: a dict for each launch: name, stream, begin and end, error (docs/json.md)
    kernels: list  #: a dict for each launch, in the same order: cycles, counters, metrics (docs/json.md)
    output: Optional[str]  #: standard output of the program, or None if it was not captured

    def frame(self) -> Any:
        """Returns a pandas frame with one row for each launch: columns such as `kernel` and `cycles.elapsed`.

        Nested values have dots in their names (docs/json.md). Raises ImportError if pandas is not installed.
        """
        return frame_of(self.kernels)


def executable() -> str:
    """Returns the path of the simulator.

    It is SUBCORE in the environment, or the one that came with this package, or else `subcore` on PATH.
    """
    own = pathlib.Path(__file__).parent / "bin" / "subcore"
    other = None if own.exists() else shutil.which("subcore")
    return os.environ.get("SUBCORE") or other or str(own)


def gpus() -> list[str]:
    """Returns the names of the GPUs that can be simulated."""
    done = subprocess.run([executable(), "gpus"], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split()[0] for line in done.stdout.split("\n\n")[0].splitlines()[1:]]


def run(command: Sequence, *, gpu: Optional[str] = None, functional: bool = False,
        settings: Optional[Mapping[str, Any]] = None, options: Iterable = (), capture: bool = False,
        env: Optional[Mapping[str, str]] = None) -> Result:
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
