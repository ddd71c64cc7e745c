#!/usr/bin/env bash
# Rebuilds src/dnn/fatbin/*.fatbin from src/dnn/kernels/*.cu, with nvcc: machine code of every architecture.
# Usage: src/dnn/build.sh [module...]; ARCHITECTURES="86 90" makes files for these only, for a try.
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/../fatbins.sh" "$here" "$@"
