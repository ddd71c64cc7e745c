#!/usr/bin/env bash
# Rebuilds every tests/litmus/cubin/*.cubin. Needs nvcc (the cubins in the repository come from CUDA 13.0); the ordinary
# build never runs this. Without line information, so that no machine's path gets in. Usage: build.sh [module...]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/litmus
archs=(75 80 86 90 100 120) # sm_89 runs the code of sm_86

command -v nvcc >/dev/null || { echo "build.sh: nvcc is not on PATH" >&2; exit 1; }
mkdir -p "$here/cubin" "$neutral"
cp "$here"/*.cu "$here"/ops.h "$here"/tests.def "$neutral/"
cd "$neutral"

modules=("$@")
[ ${#modules[@]} -gt 0 ] || modules=(litmus locks)
for module in "${modules[@]}"; do
    for arch in "${archs[@]}"; do
        nvcc -std=c++17 -O3 -cubin -arch="sm_$arch" -o "$here/cubin/$module.sm_$arch.cubin" "$module.cu"
        if strings -a "$here/cubin/$module.sm_$arch.cubin" | grep -E '/(work|root|tmp|home|Users)(/|$)'; then
            echo "build.sh: $module.sm_$arch.cubin names a folder of this machine" >&2
            exit 1
        fi
    done
done
