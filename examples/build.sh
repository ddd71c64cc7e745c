#!/usr/bin/env bash
# Rebuilds every examples/cubin/*.cubin from examples/*.cu, with nvcc. sm_89 runs the code of sm_86, sm_61 that of sm_60.
# Usage: examples/build.sh [module...]
#
# Cubins carry line information, and with it the folder in which they were compiled. So that no machine's own
# path gets in, the sources are compiled in a copy under $SUBCORE_NEUTRAL (/subcore unless set).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/examples
mkdir -p "$neutral"
cp "$here"/*.cu "$neutral/"
cd "$neutral"

modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
    modules=(*.cu)
    modules=("${modules[@]%.cu}")
fi
for module in "${modules[@]}"; do
    archs=(60 70 75 80 86 90 100 120)
    [ "$module" != hgemm ] || archs=(80 86 90 100 120) # its matrix shapes and cp.async begin with sm_80
    [ "$module" != cluster ] || archs=(90 100 120)
    [ "$module" != umma ] || archs=(100a)
    [ "$module" != wgmma ] || archs=(90a) # its products of warpgroups exist on Hopper only
    NVCCFLAGS='-O3 -lineinfo' "$here/../tools/cubins.sh" "$here/cubin" "$module.cu" "$module" "${archs[@]}"
    [ "$module" != wgmma ] || mv "$here/cubin/wgmma.sm_90a.cubin" "$here/cubin/wgmma.sm_90.cubin"
done
