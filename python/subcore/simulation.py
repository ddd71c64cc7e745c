"""Parts of this process, timed on the simulated GPU: subcore.simulate."""
from __future__ import annotations

import ctypes
import functools
import inspect
import json
import os
import shlex
import shutil
import sys
from typing import Any, Callable, Optional

from subcore.program import executable, frame_of

__all__ = ["Report", "Simulation", "simulate"]

# Of src/driver/launch/block_api.h, and of CUDA.
_CHOICES = {None: 0, True: 1, False: 2}
_OUT_OF_MEMORY, _NOT_INITIALIZED, _NOT_PERMITTED = 2, 3, 800


class Report:
    """Results of the launches in a block. They can be read when the block has ended."""

    def __init__(self) -> None:
        self._document: Optional[dict] = None

    def _ended(self) -> dict:
        if self._document is None:
            raise RuntimeError("subcore.simulate: the block goes on, and its report can be read when it has ended")
        return self._document

    @property
    def launches(self) -> list:
        """A dict for each launch: name, stream, begin and end, error (docs/json.md)."""
        return self._ended()["launches"]

    @property
    def kernels(self) -> list:
        """A dict for each launch, in the same order: cycles, counters, metrics (docs/json.md)."""
        return self._ended()["kernels"]

    def frame(self) -> Any:
        """Returns a pandas frame with one row for each launch: columns such as `kernel` and `cycles.elapsed`.

        Nested values have dots in their names (docs/json.md). Raises ImportError if pandas is not installed.
        """
        return frame_of(self.kernels)

    def __repr__(self) -> str:
        if self._document is None:
            return "<subcore.Report of a block that goes on>"
        return f"<subcore.Report of {len(self.launches)} launch{'' if len(self.launches) == 1 else 'es'}>"


class Simulation:
    """A block that begins with `with` or with a call of the decorated function. `simulate` makes it."""

    def __init__(self, gpu: Optional[str], detailed: Optional[bool], name: Optional[str]) -> None:
        if callable(gpu):
            raise TypeError("subcore.simulate: a decorator has parentheses: @subcore.simulate()")
        if detailed not in (None, True, False):
            raise TypeError(f"subcore.simulate: detailed={detailed!r}: True, False or None is expected")
        self._gpu, self._detailed, self._name = gpu and str(gpu), detailed, name
        self._open: Optional[tuple] = None  # the number of the block that goes on, and its report

    def __enter__(self) -> Report:
        if self._open:
            raise RuntimeError("subcore.simulate: this block goes on already: call simulate() for an inner one")
        self._open = _begin(self._gpu, self._detailed, self._name or "simulate"), Report()
        return self._open[1]

    def __exit__(self, *exception: object) -> None:
        (block, report), self._open = self._open, None
        report._document = _end(block)

    def __call__(self, function: Callable) -> Callable:
        """Returns the function with a block around each call. Its attribute `report` is from the call that ended last."""
        lazy = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
        if any(is_lazy(function) for is_lazy in lazy):
            raise TypeError(f"subcore.simulate: {function.__qualname__} runs after its call has returned: use 'with'")
        name = self._name or getattr(function, "__name__", None)

        @functools.wraps(function)
        def timed(*arguments: Any, **named: Any) -> Any:
            report = None
            try:
                with Simulation(self._gpu, self._detailed, name) as report:
                    return function(*arguments, **named)
            finally:
                timed.report = report or timed.report

        timed.report = None
        return timed


def simulate(gpu: Optional[str] = None, detailed: Optional[bool] = True, *, name: Optional[str] = None) -> Simulation:
    """Returns a context manager and decorator, which gives the results of the launches inside.

        with subcore.simulate(gpu="h200") as report:
            step(model)
        for kernel in report.kernels:
            print(kernel["kernel"], kernel["cycles"]["elapsed"])

    `subcore exec` has to have started the process. The block holds the launches that this process submits meanwhile, in
    any thread. Its end waits for them, as cuCtxSynchronize does. `gpu` is a name or a .toml file: the one that the
    process has, or None. With `detailed` True the launches are timed, under `exec --functional` too. With False they
    are only executed. With None the command line decides, or the block around this one. `name` is the block's range in
    the reports of `exec`. The decorated function's name or "simulate" is the default.

    At its begin the block raises RuntimeError if the process has no simulated GPU, and ValueError if it has another
    one. Each message has the command that starts the program rightly.
    """
    return Simulation(gpu, detailed, name)


# ---- the library ----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _library() -> Optional[ctypes.CDLL]:
    """Returns our libcuda, which `subcore exec` has put into this process, or None."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
        library.subcoreBlockGpu.restype = ctypes.c_char_p
        library.subcoreBlockBegin.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64)]
        library.subcoreBlockEnd.argtypes = [ctypes.c_uint64, ctypes.POINTER(ctypes.c_void_p)]
        library.subcoreBlockFree.argtypes = [ctypes.c_void_p]
    except (OSError, AttributeError):  # there is none, or it is NVIDIA's
        return None
    return library


def _begin(gpu: Optional[str], detailed: Optional[bool], name: str) -> int:
    library = _library()
    if library is None:
        raise RuntimeError("subcore.simulate: this process has no simulated GPU. This command starts it with one:\n"
                           f"    {_command(gpu, detailed)}")
    present = library.subcoreBlockGpu().decode()
    if gpu and _identity(gpu) != _identity(present):
        raise ValueError(f"subcore.simulate: this process was started with the GPU {present}, not {gpu}. This command "
                         f"starts it with that one:\n    {_command(gpu, detailed)}")
    block = ctypes.c_uint64()
    _check(library.subcoreBlockBegin(_CHOICES[detailed], name.encode(), ctypes.byref(block)))
    return block.value


def _end(block: int) -> dict:
    library, text = _library(), ctypes.c_void_p()
    _check(library.subcoreBlockEnd(block, ctypes.byref(text)))
    try:
        return json.loads(ctypes.string_at(text.value))
    finally:
        library.subcoreBlockFree(text)


def _check(code: int) -> None:
    if code == _OUT_OF_MEMORY:
        raise MemoryError("subcore.simulate: there is no memory for the results of all launches of the block")
    if code == _NOT_INITIALIZED:
        raise RuntimeError("subcore.simulate: this process was forked from one that had used CUDA, and CUDA does not "
                           "work in it. It does after multiprocessing.set_start_method('spawn')")
    if code == _NOT_PERMITTED:
        raise RuntimeError("subcore.simulate: a block cannot end in a host function of a stream")
    if code:
        raise RuntimeError(f"subcore.simulate: the driver answered {code}")


# ---- words ----------------------------------------------------------------------------------------------------------


def _identity(gpu: str) -> str:
    """Returns the name, or the whole path of a file, as `subcore exec` tells them apart."""
    return os.path.realpath(gpu) if "/" in gpu or ".toml" in gpu else gpu


def _command(gpu: Optional[str], detailed: Optional[bool]) -> str:
    """Returns the command that starts this program as the block wants it: the rest of it executed without time."""
    words = ["subcore" if shutil.which("subcore") else executable(), "exec"]
    words += ["--functional"] if detailed else []
    words += ["--gpu", gpu] if gpu else []
    program = getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv]  # orig_argv: since Python 3.10
    return shlex.join([*words, *(["jupyter", "lab"] if "ipykernel" in sys.modules else program)])
