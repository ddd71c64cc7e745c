#!/usr/bin/env bash
# Rebuilds src/blas/fatbin/*.fatbin from src/blas/kernels/*.cu, with nvcc: machine code of every architecture.
# Usage: src/blas/build.sh [module...]; ARCHITECTURES="86 90" makes files for these only, for a try.
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/../fatbins.sh" "$here" "$@"
