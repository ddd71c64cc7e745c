#!/usr/bin/env bash
# Rebuilds bench/cubin/*.cubin from bench/kernels.cu. Needs nvcc (CUDA 12 or later; the cubins in the repository come
# from nvcc 13.0); the ordinary build never runs this. Usage: bench/build.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
archs=(80 86 90 120)

command -v nvcc >/dev/null || { echo "build.sh: nvcc is not on PATH" >&2; exit 1; }
mkdir -p "$here/cubin"
cd "$here"
for arch in "${archs[@]}"; do
    nvcc -O3 -cubin -arch="sm_$arch" -o "cubin/kernels.sm_$arch.cubin" kernels.cu
    if strings -a "cubin/kernels.sm_$arch.cubin" | grep -E '/(work|root|tmp|home|Users)(/|$)'; then
        echo "build.sh: kernels.sm_$arch.cubin names a folder of this machine" >&2
        exit 1
    fi
    echo "cubin/kernels.sm_$arch.cubin"
done
