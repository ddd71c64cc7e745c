#!/usr/bin/env bash
# Rebuilds bench/cubin/*.cubin from bench/kernels.cu, with nvcc. Usage: bench/build.sh
cd "$(dirname "${BASH_SOURCE[0]}")" && exec ../tools/cubins.sh cubin kernels.cu kernels 80 86 90 120
