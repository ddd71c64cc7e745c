#!/usr/bin/env python3
"""Compares our declarations of the CUDA interfaces with the toolkit's headers: check_cuda_abi.py ROOT COMPILER...

Every enumerator's value, every struct's size and its fields' places, and every prototype in src/driver/abi and
src/runtime/abi must be the toolkit's. So must the numbers of functions and the records in src/cupti. Exit status 77
(skipped) where no toolkit is (CUDA_HOME, /usr/local/cuda)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ENUMERATOR = re.compile(r"^\s*(\w+) = -?\w+,?$", re.M)
FIELD = re.compile(r"(\w+)(?:\[\w+\])*;$|\(\*(\w+)\)\(.*\);$")
PROTOTYPE = re.compile(r"^(?:DRIVER|RUNTIME)_API\s+([^;]+);", re.M)

SIDES = {
    "driver": {"define": ["__CUDA_API_VERSION_INTERNAL"], "header": "cuda.h", "more": ["cudaProfiler.h"]},
    "runtime": {"define": [], "header": "cuda_runtime_api.h", "more": ["cuda_profiler_api.h"]},
}
# The compiler's side of the runtime is declared for C++ only. Its prototypes are read from nvcc's own sources.
UNCHECKED_FILES = {"api_compiler.h"}
PRIVATE_FILES = {"profile.h"}   # the toolkit has nothing like it


def toolkit():
    for place in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if place and (pathlib.Path(place) / "include/cuda.h").is_file():
            return pathlib.Path(place) / "include"
    return None


def aggregates(text):
    """Each struct or union of a header that has a name: how C calls it, and its outer fields."""
    for match in re.finditer(r"^(typedef )?(struct|union) (\w+) \{\n(.*?)^\}(?: (\w+))?;", text, re.M | re.S):
        name = match[5] if match[1] else f"{match[2]} {match[3]}"
        fields, depth = [], 0
        for line in match[4].splitlines():
            depth += line.count("{")
            depth -= line.count("}")
            field = FIELD.search(line.strip())
            if depth == 0 and field:
                fields.append(field[1] or field[2])
        yield name, fields


def program(includes, enumerators, types):
    lines = [f"#include {name}" for name in ("<stddef.h>", "<stdio.h>", *includes)] + ["int main(void)", "{"]
    lines += [f'    printf("{name} = %lld\\n", (long long){name});' for name in enumerators]
    for name, fields in types:
        lines.append(f'    printf("sizeof {name} %zu\\n", sizeof({name}));')
        lines += [f'    printf("{name}.{field} at %zu\\n", offsetof({name}, {field}));' for field in fields]
    return "\n".join(lines + ["    return 0;", "}", ""])


def compile_and_run(compiler, text, flags, folder, name):
    source, binary = folder / f"{name}.c", folder / name
    source.write_text(text, encoding="utf-8")
    built = subprocess.run([*compiler, "-std=c17", *flags, "-o", binary, source], text=True, capture_output=True)
    if built.returncode != 0:
        return None, built.stderr
    return subprocess.run([binary], text=True, capture_output=True, check=True).stdout.splitlines(), ""


def prototypes(files):
    for path in files:
        if path.name in UNCHECKED_FILES:
            continue
        for match in PROTOTYPE.finditer(path.read_text(encoding="utf-8")):
            yield re.sub(r"\s+", " ", match[1])


def check_prototypes(compiler, side, files, includes, flags, folder):
    """Our prototypes, read after the toolkit's: a compiler refuses two that differ."""
    lines = [f"#include <{name}>" for name in includes]
    found = list(prototypes(files))
    names = {re.search(r"(\w+)\(", text)[1] for text in found}
    for name in sorted(names):
        base = re.sub(r"_pt[sd][zs]$", "", name)
        if base != name and base in names:
            lines.append(f"extern __typeof__({base}) {name};")
    source = folder / f"{side}_prototypes.c"
    source.write_text("\n".join(lines + [text + ";" for text in found] + [""]), encoding="utf-8")
    built = subprocess.run([*compiler, "-std=c17", "-fsyntax-only", *flags, source], text=True, capture_output=True)
    return [line for line in built.stderr.splitlines() if "error" in line], len(found)


def check(compiler, root, headers, side, folder):
    row = SIDES[side]
    files = sorted(path for path in (root / "src" / side / "abi").glob("*.h") if path.name not in PRIVATE_FILES)
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    enumerators = sorted({name for text in texts.values() for name in ENUMERATOR.findall(text)})
    types = [item for text in texts.values() for item in aggregates(text)]
    ours = program([f'"{side}/abi/{path.name}"' for path in files], enumerators, types)
    real = program([f"<{row['header']}>"], enumerators, types)
    flags = [f"-I{headers}", *(f"-D{name}" for name in row["define"])]
    mine, trouble = compile_and_run(compiler, ours, [f"-I{root / 'src'}"], folder, f"{side}_ours")
    theirs, more = compile_and_run(compiler, real, flags, folder, f"{side}_theirs")
    if mine is None or theirs is None:
        return [*(trouble + more).splitlines()], 0
    complaints = [f"{side}: ours {a}, the toolkit's {b}" for a, b in zip(mine, theirs) if a != b]
    wrong, count = check_prototypes(compiler, side, files, [row["header"], *row["more"]], flags, folder)
    print(f"{side}: {len(mine)} values, sizes and places, {count} prototypes")
    return complaints + wrong, len(mine) + count


# ---- CUPTI ----------------------------------------------------------------------------------------------------------

# Our record, the toolkit's of CUDA 13.0, which is its first part, and fields with other names.
RECORDS = {
    "record_api": ("CUpti_ActivityAPI", {"number": "cbid", "process": "processId", "thread": "threadId",
                                         "correlation": "correlationId", "result": "returnValue"}),
    "record_external": ("CUpti_ActivityExternalCorrelation", {"external_kind": "externalKind", "external": "externalId",
                                                              "correlation": "correlationId"}),
    "record_wait": ("CUpti_ActivitySynchronization2", {"correlation": "correlationId", "context": "contextId",
                                                       "stream": "streamId", "event": "cudaEventId",
                                                       "event_record": "cudaEventSyncId", "result": "returnValue"}),
    "record_copy": ("CUpti_ActivityMemcpy6", {"copy_kind": "copyKind", "from": "srcKind", "to": "dstKind",
                                              "device": "deviceId", "context": "contextId", "stream": "streamId",
                                              "correlation": "correlationId", "graph_node": "graphNodeId",
                                              "runtime_correlation": "runtimeCorrelationId", "graph": "graphId",
                                              "channel": "channelID", "channel_type": "channelType",
                                              "count": "copyCount"}),
    "record_set": ("CUpti_ActivityMemset4", {"device": "deviceId", "context": "contextId", "stream": "streamId",
                                             "correlation": "correlationId", "memory": "memoryKind",
                                             "graph_node": "graphNodeId", "channel_type": "channelType"}),
    "record_kernel": ("CUpti_ActivityKernel10", {
        "cache": "cacheConfig", "shared_config": "sharedMemoryConfig", "registers": "registersPerThread",
        "device": "deviceId", "context": "contextId", "stream": "streamId", "grid": "gridX", "block": "blockX",
        "static_shared": "staticSharedMemory", "dynamic_shared": "dynamicSharedMemory",
        "local": "localMemoryPerThread", "local_total": "localMemoryTotal", "correlation": "correlationId",
        "launch": "gridId", "launch_type": "launchType", "shared_executed": "sharedMemoryExecuted",
        "graph_node": "graphNodeId", "graph": "graphId", "window": "pAccessPolicyWindow", "channel_type": "channelType",
        "cluster": "clusterX", "cluster_policy": "clusterSchedulingPolicy", "local_total_wide": "localMemoryTotal_v2",
        "device_launched": "isDeviceLaunched"}),
}
SAME = ("kind", "start", "end", "bytes", "name", "queued", "submitted", "completed", "value", "flags", "type")


def record_places(root, compiler, headers, folder):
    """Places of fields that differ. The names of the fields that both have are in RECORDS and SAME."""
    text = (root / "src/cupti/records.h").read_text(encoding="utf-8")
    lines = {"ours": ['#include "cupti/records.h"'], "theirs": ["#include <cuda.h>", "#include <cupti.h>"]}
    lines = {side: ["#include <stddef.h>", "#include <stdio.h>", *start, "int main(void)", "{"]
             for side, start in lines.items()}
    for ours, (theirs, names) in RECORDS.items():
        body = re.search(rf"^struct {ours} \{{\n(.*?)^\}};", text, re.M | re.S)[1]
        fields = set(re.findall(r"\b(\w+)(?:\[\d+\])?[,;]", body))
        assert fields >= set(names), (ours, set(names) - fields)
        for field in sorted(fields & (set(names) | set(SAME))):
            for side, kind, name in (("ours", f"struct {ours}", field), ("theirs", theirs, names.get(field, field))):
                lines[side].append(f'    printf("{ours}.{field} %zu\\n", offsetof({kind}, {name}));')
    flags = {"ours": [f"-I{root / 'src'}"], "theirs": [f"-I{headers}"]}
    found = {side: compile_and_run(compiler, "\n".join([*text, "    return 0;", "}", ""]), flags[side], folder,
                                   f"cupti_{side}") for side, text in lines.items()}
    if found["ours"][0] is None or found["theirs"][0] is None:
        return (found["ours"][1] + found["theirs"][1]).splitlines(), 0
    pairs = list(zip(found["ours"][0], found["theirs"][0]))
    return [f"cupti: ours {a}, the toolkit's {b}" for a, b in pairs if a != b], len(pairs)


def function_numbers(root, headers):
    """Numbers of functions that differ. A toolkit older than ours lacks some."""
    wrong, count = [], 0
    for side in ("driver", "runtime"):
        header = (headers / f"cupti_{side}_cbid.h").read_text(encoding="utf-8")
        theirs = {}
        for name, number in re.findall(rf"CUPTI_{side.upper()}_TRACE_CBID_(\w+)\s+= (\d+)", header):
            theirs.setdefault(re.sub(r"_v\d{4,5}$", "", name) if side == "runtime" else name, set()).add(number)
        table = (root / "src/cupti" / f"{side}_functions.def").read_text(encoding="utf-8")
        for name, number in re.findall(r"FUNCTION\((\w+), (\d+)\)", table):
            known = theirs.get(name) or theirs.get(re.sub(r"_v\d(?=_pt[sd][zs]$|$)", "", name))
            count += known is not None
            if known and number not in known:
                wrong.append(f"cupti: ours {name} {number}, the toolkit's {' or '.join(sorted(known))}")
    return wrong, count


def check_cupti(root, compiler, headers, folder):
    if not (headers / "cupti.h").is_file():
        return [], 1
    wrong, places = record_places(root, compiler, headers, folder)
    more, numbers = function_numbers(root, headers)
    print(f"cupti: {places} places, {numbers} numbers of functions")
    return wrong + more, min(places, numbers)


def main(root, compiler):
    headers = toolkit()
    if headers is None:
        print("no CUDA toolkit")
        return 77
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for side in SIDES:
            complaints, count = check(compiler, root, headers, side, pathlib.Path(folder))
            bad += complaints if count else [*complaints, f"{side}: nothing was compared"]
        complaints, count = check_cupti(root, compiler, headers, pathlib.Path(folder))
        bad += complaints if count else [*complaints, "cupti: nothing was compared"]
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
