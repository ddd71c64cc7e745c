#!/usr/bin/env bash
# Rebuilds FOLDER/fatbin/*.fatbin from FOLDER/kernels/*.cu, with nvcc: machine code of every architecture. The build.sh of
# each library calls it with its own folder.
# Usage: src/fatbins.sh FOLDER [module...]; ARCHITECTURES="86 90" makes files for these only, for a try.
set -euo pipefail

here=$(cd "$1" && pwd -P)
shift
neutral=${SUBCORE_NEUTRAL:-/subcore}/$(basename "$here")
mkdir -p "$neutral" "$here/fatbin"
cp "$here"/kernels/* "$here"/../kernels/* "$neutral/"
cd "$neutral"

modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
    modules=(*.cu)
    modules=("${modules[@]%.cu}")
fi
every=()
for arch in ${ARCHITECTURES:-75 80 86 90 100 120}; do # sm_89 runs the code of sm_86
    every+=(-gencode "arch=compute_$arch,code=sm_$arch")
done
for module in "${modules[@]}"; do
    codes=("${every[@]}")
    # wgmma and tcgen05 exist on one architecture each.
    [ "$module" != gemm_async ] || codes=(-gencode arch=compute_90a,code=sm_90a -gencode arch=compute_100a,code=sm_100a)
    nvcc -O3 -std=c++17 -I "$here/.." --fatbin --compress-mode=size "${codes[@]}" -o "$here/fatbin/$module.fatbin" "$module.cu"
done
