#!/usr/bin/env bash
# Rebuilds src/fft/fatbin/*.fatbin from src/fft/kernels/*.cu, with nvcc: machine code of every architecture.
# Usage: src/fft/build.sh [module...]; ARCHITECTURES="86 90" makes files for these only, for a try.
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/../fatbins.sh" "$here" "$@"
