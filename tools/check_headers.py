#!/usr/bin/env python3
"""Compiles each header alone and twice in a row: check_headers.py ROOT BUILD COMPILER..."""
import concurrent.futures
import pathlib
import subprocess
import sys

FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only",
         "-Wno-psabi"]   # some headers are for files with vector instructions


def headers(root):
    for pattern in ("src/*/**/*.h", "include/subcore/*.h", "examples/*.h", "validate/**/*.h", "tests/**/*.h"):
        for path in sorted(root.glob(pattern)):
            if "data" not in path.relative_to(root).parts:   # inputs of tests
                yield path


def compile_alone(root, build, compiler, header):
    text = f'#include "{header}"\n' * 2
    paths = [f"-I{root / part}" for part in ("src", "include", ".")] + [f"-I{build}/src"]   # of generated headers
    return subprocess.run(compiler + FLAGS + paths + ["-x", "c", "-"], input=text, text=True, capture_output=True)


def main(root, build, compiler):
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(headers(root))
        for header, result in zip(found, pool.map(lambda h: compile_alone(root, build, compiler, h), found)):
            if result.returncode != 0:
                print(f"{header.relative_to(root)} does not compile alone:\n{result.stderr}")
                bad += 1
    return 1 if bad else 0


sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]))
