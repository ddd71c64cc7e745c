#!/usr/bin/env bash
# Rebuilds every examples/cubin/*.cubin from examples/*.cu. Needs nvcc (CUDA 12 or later; the cubins in the
# repository come from nvcc 13.0); the ordinary build never runs this. Usage: examples/build.sh [module...]
#
# Cubins carry line information, and with it the folder in which they were compiled. So that no machine's own
# path gets in, the sources are compiled in a copy under $SUBCORE_NEUTRAL (/subcore unless set).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}
archs=(75 80 86 90 100 120) # sm_89 runs the code of sm_86

command -v nvcc >/dev/null || { echo "build.sh: nvcc is not on PATH" >&2; exit 1; }
mkdir -p "$here/cubin" "$neutral/examples"
cp "$here"/*.cu "$neutral/examples/"
cd "$neutral/examples"

modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
    modules=(*.cu)
    modules=("${modules[@]%.cu}")
fi
for module in "${modules[@]}"; do
    for arch in "${archs[@]}"; do
        if [ "$module" = hgemm ] && [ "$arch" = 75 ]; then
            continue # its matrix shapes and cp.async begin with sm_80
        fi
        nvcc -O3 -cubin -arch="sm_$arch" -lineinfo -o "$module.sm_$arch.cubin" "$module.cu"
        if strings -a "$module.sm_$arch.cubin" | grep -E '/(work|root|tmp|home|Users)(/|$)'; then
            echo "build.sh: $module.sm_$arch.cubin names a folder of this machine" >&2
            exit 1
        fi
        cp "$module.sm_$arch.cubin" "$here/cubin/"
        echo "cubin/$module.sm_$arch.cubin"
    done
done
