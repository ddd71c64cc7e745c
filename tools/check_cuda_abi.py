#!/usr/bin/env python3
"""Compares our declarations of the CUDA interfaces with the toolkit's headers: check_cuda_abi.py ROOT COMPILER...

Every enumerator's value, every struct's size and its fields' places, and every prototype in src/driver/abi and
src/runtime/abi must be the toolkit's. Exit status 77 (skipped) where no toolkit is (CUDA_HOME, /usr/local/cuda)."""
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
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
