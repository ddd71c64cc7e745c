#!/usr/bin/env bash
# Rebuilds tests/check/cubin/*.cubin from tests/check/*.cu, with nvcc. Cubins carry the folder in which they were
# compiled: the sources are compiled in a copy under $SUBCORE_NEUTRAL (/subcore unless set).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/tests/check
mkdir -p "$neutral" "$here/cubin"
cp "$here"/*.cu "$neutral/"
cd "$neutral"
for module in *.cu; do
    nvcc -cubin -arch=sm_90a -O3 -lineinfo "$module" -o "$here/cubin/${module%.cu}.sm_90a.cubin"
done
