#!/usr/bin/env bash
# Rebuilds the cubins of the driver's tests. Needs nvcc; those in the repository come from nvcc 13.0. The ordinary build
# never runs this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for arch in 80 90; do
    nvcc -O2 -cubin -arch="sm_$arch" -o "cubin/kernels.sm_$arch.cubin" kernels.cu
done
