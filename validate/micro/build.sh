#!/usr/bin/env bash
# Rebuilds validate/micro/cubin/*.cubin from kernels.cu, with nvcc. sm_89 runs the code of sm_86, sm_61 that of sm_60.
# Usage: validate/micro/build.sh
cd "$(dirname "${BASH_SOURCE[0]}")" && exec ../../tools/cubins.sh cubin kernels.cu measure 60 70 75 80 86 90a 100 120a
