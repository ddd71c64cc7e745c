#!/usr/bin/env bash
# Rebuilds examples/api/cubin/*.cubin from examples/api/*.cu. Needs nvcc; the ordinary build never runs this. Sources
# are compiled in a copy under $SUBCORE_NEUTRAL, so that no machine's own path gets into a cubin.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/examples/api
mkdir -p "$here/cubin" "$neutral"
cp "$here"/*.cu "$neutral/"
cd "$neutral"
for source in *.cu; do
    for arch in 75 80 86 90 100 120; do
        nvcc -O3 -cubin -arch="sm_$arch" -o "$here/cubin/${source%.cu}.sm_$arch.cubin" "$source"
    done
done
