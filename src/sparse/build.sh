#!/usr/bin/env bash
# Rebuilds src/sparse/fatbin/*.fatbin from src/sparse/kernels/*.cu, with nvcc: machine code of every architecture.
# Usage: src/sparse/build.sh [module...]; ARCHITECTURES="86 90" makes files for these only, for a try.
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/../fatbins.sh" "$here" "$@"
