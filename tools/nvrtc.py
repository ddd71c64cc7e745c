#!/usr/bin/env python3
"""Compiles a CUDA source of device code to a cubin with NVRTC of CUDA 12, for GPUs that nvcc 13 has left behind.

    nvrtc.py [options of nvcc] -arch=sm_70 -o OUT.cubin SOURCE.cu

takes those nvcc options that the sources of this repository are built with. Library and headers are those of the
packages nvidia-cuda-nvrtc-cu12, nvidia-cuda-nvcc-cu12, nvidia-cuda-runtime-cu12, nvidia-cuda-cccl-cu12 and
nvidia-curand-cu12 in Python's path or in the environment variable NVRTC_HOME (a folder with cuda_nvrtc, cuda_runtime
and so on)."""
import ctypes
import glob
import os
import re
import sys

# Headers of the host's library, which nvcc has and NVRTC has not. It declares printf and the like by itself.
INTEGERS = "".join(f"typedef {c} int{n}_t; typedef unsigned {c} uint{n}_t;\n"
                   for c, n in (("char", 8), ("short", 16), ("int", 32), ("long long", 64)))
PRELUDE = "#pragma once\n" + INTEGERS.replace("typedef char", "typedef signed char") + """
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fffffff)
#define INT_MAX  2147483647
#define INT_MIN  (-INT_MAX - 1)
#define UINT_MAX 4294967295u
"""
HEADERS = {"prelude.h": PRELUDE} | {name: "" for name in (
    "alloca.h", "assert.h", "cassert", "cmath", "cstddef", "cstdint", "cstdio", "cstring", "math.h", "stddef.h",
    "stdint.h", "stdio.h")}
STATEMENTS = re.compile(r"\(\{(.*?)([^;{}]+);\s*\}\)", re.S)    # statements as an expression, an extension of gcc
IGNORED = re.compile(r"-O\d|-cubin|-w|-arch=.*|-x|cu|-Xcompiler.*")


def packages():
    places = [os.environ["NVRTC_HOME"]] if "NVRTC_HOME" in os.environ else [os.path.join(p, "nvidia") for p in sys.path]
    for place in places:
        library = glob.glob(os.path.join(place, "cuda_nvrtc", "lib", "libnvrtc.so.12"))
        if library:
            parts = "cuda_runtime", "cuda_nvcc", "cuda_cccl", "curand"
            headers = [os.path.join(place, part, "include") for part in parts]
            return ctypes.CDLL(library[0]), [path for path in headers if os.path.isdir(path)]
    sys.exit("nvrtc.py: no NVRTC of CUDA 12: install nvidia-cuda-nvrtc-cu12, nvidia-cuda-nvcc-cu12, "
             "nvidia-cuda-runtime-cu12, nvidia-cuda-cccl-cu12 and nvidia-curand-cu12, or set NVRTC_HOME")


def text_of(nvrtc, program, size, get):
    length = ctypes.c_size_t()
    getattr(nvrtc, size)(program, ctypes.byref(length))
    text = ctypes.create_string_buffer(length.value)
    getattr(nvrtc, get)(program, text)
    return text.raw


def compile_source(source, options):
    nvrtc, includes = packages()
    with open(source, encoding="utf-8") as file:
        text = STATEMENTS.sub(r"([&] {\1return \2; }())", file.read()).encode()
    names = (ctypes.c_char_p * len(HEADERS))(*(name.encode() for name in HEADERS))
    texts = (ctypes.c_char_p * len(HEADERS))(*(body.encode() for body in HEADERS.values()))
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, source.encode(), len(HEADERS), texts, names)
    options = options + ["-I" + (os.path.dirname(source) or ".")] + ["-I" + path for path in includes]
    flags = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    if nvrtc.nvrtcCompileProgram(program, len(options), flags):
        sys.exit(text_of(nvrtc, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").rstrip(b"\0").decode())
    return text_of(nvrtc, program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")


def main():
    out = source = None
    options, rest = [], sys.argv[1:]
    arch = next((option[6:] for option in rest if option.startswith("-arch=")), None)
    while rest:
        option = rest.pop(0)
        if option == "-o":
            out = rest.pop(0)
        elif option == "-I":
            options.append("-I" + rest.pop(0))
        elif option == "-Xptxas":
            options += ["--ptxas-options", rest.pop(0)]
        elif not option.startswith("-") and option != "cu":
            source = option
        elif not IGNORED.fullmatch(option):
            options.append({"-dc": "-dc", "-rdc=true": "-dc"}.get(option, option))
    if not out or not source or not arch:
        sys.exit(__doc__)
    fixed = ["-w", "-default-device", "-device-int128", "--pre-include=prelude.h"]
    cubin = compile_source(source, ["--gpu-architecture=" + arch] + fixed + options)
    with open(out, "wb") as file:
        file.write(cubin)


if __name__ == "__main__":
    main()
