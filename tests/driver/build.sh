#!/usr/bin/env bash
# Rebuilds the cubins of the driver's tests, with nvcc, and with ptxas of CUDA 12 ($PTXAS12) for sm_60.
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
export NVCCFLAGS=-O2
for arch in 60 80 90; do
    compiler=ptxas
    [ $arch -ge 75 ] || compiler=${PTXAS12:?}
    sed "s/^\\.target.*/.target sm_$arch/" references.ptx >references.tmp
    "$compiler" -arch=sm_$arch -o cubin/references.sm_$arch.cubin references.tmp || exit
done
rm references.tmp
../../tools/cubins.sh cubin kernels.cu kernels 80 90 && exec ../../tools/cubins.sh cubin clusters.cu clusters 90
