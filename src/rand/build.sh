#!/usr/bin/env bash
# Rebuilds src/rand/fatbin/*.fatbin from src/rand/kernels/*.cu, with nvcc: machine code of every architecture.
# Usage: src/rand/build.sh [module...]; ARCHITECTURES="86 90" makes files for these only, for a try.
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/../fatbins.sh" "$here" "$@"
