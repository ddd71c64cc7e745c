#!/usr/bin/env bash
# Rebuilds measure/cubin/*.cubin from measure/kernels.cu. Needs nvcc (CUDA 12 or later; the cubins in the repository come from
# nvcc 13.0); the ordinary build never runs this. Usage: measure/build.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
archs=(75 80 86 90 100 120) # sm_89 runs the code of sm_86

command -v nvcc >/dev/null || { echo "build.sh: nvcc is not on PATH" >&2; exit 1; }
mkdir -p "$here/cubin"
cd "$here"
for arch in "${archs[@]}"; do
    nvcc -O3 -cubin -arch="sm_$arch" -o "cubin/measure.sm_$arch.cubin" kernels.cu
    if strings -a "cubin/measure.sm_$arch.cubin" | grep -E '/(work|root|tmp|home|Users)(/|$)'; then
        echo "build.sh: measure.sm_$arch.cubin names a folder of this machine" >&2
        exit 1
    fi
    echo "cubin/measure.sm_$arch.cubin"
done
