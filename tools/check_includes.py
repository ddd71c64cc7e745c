#!/usr/bin/env python3
"""Checks who includes whom: check_includes.py ROOT.

The folders of src/ form layers, and the table below is the whole list of allowed edges. The timing model (sm, mem)
never sees the functional one (exec); both meet in gpu."""
import pathlib
import re
import sys

MODEL = ["base", "config", "probe", "isa", "port", "cubin", "exec", "sm", "mem", "trace", "hazard", "plan", "gpu"]

EDGES = {
    "base": [],
    "isa": ["base"],
    "config": ["base", "isa"],
    "probe": ["base", "isa"],
    "port": [],
    "cubin": ["base", "isa"],
    "asm": ["base", "isa", "cubin"],
    "exec": ["base", "isa", "cubin"],
    "hazard": ["base", "isa"],
    "plan": ["base", "probe", "cubin"],
    "sm": ["base", "config", "probe", "isa", "port"],
    "mem": ["base", "config", "probe", "isa", "port"],
    "trace": ["base", "isa"],
    "accelsim": ["base", "isa", "cubin", "asm", "trace"],
    "gpu": MODEL,
    "experiment": ["base", "config", "isa", "asm", "sm", "gpu"],
    "report": ["base", "probe", "isa", "cubin", "config"],
    "driver": MODEL + ["report"],
    "runtime": [],   # but for the public declarations in driver/abi/
    "cupti": [],
    "cli": MODEL + ["accelsim", "asm", "report", "subcore", "examples", "validate", "experiment"],
    "api": MODEL + ["report", "subcore"],
    "subcore": [],
    "examples": [],
    "validate": ["examples"],
}

# Libraries outside the C library, and the folders that may use them.
EXTERNAL = {"ini.h": ["config"], "zstd.h": ["base", "cubin", "trace"], "lzma.h": ["accelsim"],
            "zlib.h": ["accelsim"], "pthread.h": ["api", "base", "driver", "runtime", "trace"],
            "cmocka.h": []}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def sources(root):
    """Each C file with the name of its folder in the table."""
    for path in sorted(root.glob("src/*/**/*.[chd]*")):
        yield path, path.relative_to(root / "src").parts[0]
    for path in sorted(root.glob("include/subcore/*.h")):
        yield path, "subcore"
    for folder in ("examples", "validate", "validate/micro", "validate/kernels", "validate/hw"):
        for path in sorted(root.glob(f"{folder}/*.[ch]")):
            yield path, folder.split("/")[0]


def complaint(folder, kind, name, path):
    if folder not in EDGES:
        return f"the folder {folder} is not in the table of {pathlib.Path(__file__).name}"
    if kind == "<":
        allowed = EXTERNAL.get(name)
        return f"<{name}> is for {allowed or 'tests'} only" if allowed is not None and folder not in allowed else None
    if "/" not in name:
        if folder in ("examples", "validate") and (path.parent / name).exists():
            return None
        return f'"{name}" does not name its folder'
    target = name.split("/")[0]
    if folder == "runtime" and name.startswith("driver/abi/"):
        return None
    if target != folder and target not in EDGES[folder]:
        return f"{folder} may not include {target}"
    return None


def main(root):
    bad = 0
    for path, folder in sources(root):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            reason = match and complaint(folder, match.group(1), match.group(2), path)
            if reason:
                print(f"{path.relative_to(root)}:{number}: {reason}")
                bad += 1
    return 1 if bad else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
