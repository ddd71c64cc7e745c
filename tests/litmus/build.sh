#!/usr/bin/env bash
# Rebuilds every tests/litmus/cubin/*.cubin, with nvcc. sm_89 runs the code of sm_86. Sources are compiled in a copy
# under $SUBCORE_NEUTRAL (/subcore unless set), so that no machine's own path gets into a cubin.
# Usage: tests/litmus/build.sh [module...]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/litmus
mkdir -p "$neutral"
cp "$here"/*.cu "$here"/ops.h "$here"/tests.def "$neutral/"
cd "$neutral"

modules=("$@")
[ ${#modules[@]} -gt 0 ] || modules=(litmus locks)
for module in "${modules[@]}"; do
    NVCCFLAGS='-std=c++17 -O3' "$here/../../tools/cubins.sh" "$here/cubin" "$module.cu" "$module" 70 75 80 86 90 100 120
done
