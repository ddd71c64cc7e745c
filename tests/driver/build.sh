#!/usr/bin/env bash
# Rebuilds the cubins of the driver's tests, with nvcc.
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
export NVCCFLAGS=-O2
../../tools/cubins.sh cubin kernels.cu kernels 80 90 && exec ../../tools/cubins.sh cubin clusters.cu clusters 90
