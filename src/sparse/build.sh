#!/usr/bin/env bash
# Rebuilds src/sparse/fatbin/*.fatbin from src/sparse/kernels/*.cu, with nvcc: machine code of every architecture.
# Usage: src/sparse/build.sh [module...]; ARCHITECTURES="86 90" makes files for these only, for a try.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/sparse
mkdir -p "$neutral" "$here/fatbin"
cp "$here"/kernels/* "$neutral/"
cd "$neutral"

modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
    modules=(*.cu)
    modules=("${modules[@]%.cu}")
fi
codes=()
for arch in ${ARCHITECTURES:-75 80 86 90 100 120}; do # sm_89 runs the code of sm_86
    codes+=(-gencode "arch=compute_$arch,code=sm_$arch")
done
for module in "${modules[@]}"; do
    nvcc -O3 -std=c++17 --fatbin --compress-mode=size "${codes[@]}" -o "$here/fatbin/$module.fatbin" "$module.cu"
done
