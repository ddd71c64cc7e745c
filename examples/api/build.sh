#!/usr/bin/env bash
# Rebuilds examples/api/cubin/*.cubin from examples/api/*.cu, with nvcc. Sources are compiled in a copy under
# $SUBCORE_NEUTRAL (/subcore unless set), so that no machine's own path gets into a cubin.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/examples/api
mkdir -p "$neutral"
cp "$here"/*.cu "$neutral/"
cd "$neutral"
for source in *.cu; do
    "$here/../../tools/cubins.sh" "$here/cubin" "$source" "${source%.cu}" 60 70 75 80 86 90 100 120
done
