#!/usr/bin/env python3
"""Refuses mutable state at file scope or static in functions: check_globals.py LIBRARY...

Reads the symbol tables of static libraries and reports every object in a writable section. Constant tables that hold
addresses lie in .data.rel.ro, which is read-only at run time."""
import pathlib
import re
import subprocess
import sys

# (library, symbol): why it has to be a global variable.
ALLOWED = {
    # A signal handler can reach nothing else.
    ("cli", "stop_requested"),
    # Functions of the driver API have no argument that could name the driver, or the thread's current context.
    ("driver", "driver_state"),
    ("driver", "thread_state"),
    # The runtime asks it in each function whether a profiler listens.
    ("driver", "subcore_profile"),
    # The compiler's host code registers images without naming a runtime. Errors and launches belong to a thread.
    ("runtime", "images"),
    ("runtime", "thread_state"),
    # Functions of CUPTI have no argument that could name the profiler.
    ("cupti", "cupti_self"),
    ("cupti", "thread_state"),
    # Which functions have been refused in words.
    ("runtime", "told"),
    ("cupti_stubs", "told"),
    ("blas_stubs", "told"),
    ("solver_stubs", "told"),
    ("dnn_stubs", "told"),
    ("fft_stubs", "told"),
    ("nccl_stubs", "told"),
    ("sparse_stubs", "told"),
    ("rand_stubs", "told"),
    # Handles of plans are numbers, and plans share the code of their kernels.
    ("fft", "plans"),
    ("fft", "image"),
}

SYMBOL = re.compile(r"^[0-9a-f]+ (?P<flags>.{7}) (?P<section>\S+)\s+[0-9a-f]+\s+(?:\.hidden )?(?P<name>\S+)$")
WRITABLE = re.compile(r"^(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)")


def mutable_objects(library):
    listing = subprocess.run(["objdump", "-t", str(library)], text=True, capture_output=True, check=True).stdout
    for line in listing.splitlines():
        match = SYMBOL.match(line)
        if not match or not WRITABLE.match(match["section"]):
            continue
        if "d" in match["flags"]:   # the section's own symbol
            continue
        yield re.sub(r"\.\d+$", "", match["name"]), match["section"]


def main(libraries):
    bad = 0
    for library in map(pathlib.Path, libraries):
        folder = re.sub(r"^libsubcore_|\.a$", "", library.name)
        for name, section in mutable_objects(library):
            if (folder, name) not in ALLOWED:
                print(f"{library.name}: {name} is mutable global state ({section})")
                bad += 1
    return 1 if bad else 0


sys.exit(main(sys.argv[1:]))
