#!/usr/bin/env bash
# Rebuilds every validate/kernels/cubin/*.cubin from validate/kernels/*.cu. Needs nvcc (CUDA 12 or later; the cubins in the
# repository come from nvcc 13.0); the ordinary build never runs this. Usage: validate/kernels/build.sh [module...]
# A source that begins with `// Needs sm_80:` has no code for architectures before that.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
archs=(75 80 86 90 100 120) # sm_89 runs the code of sm_86

command -v nvcc >/dev/null || { echo "build.sh: nvcc is not on PATH" >&2; exit 1; }
mkdir -p "$here/cubin"
cd "$here"

modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
    modules=(*.cu)
    modules=("${modules[@]%.cu}")
fi
for module in "${modules[@]}"; do
    first=$(sed -n 's,^// Needs sm_\([0-9]*\):.*,\1,p' "$module.cu")
    for arch in "${archs[@]}"; do
        [ "$arch" -ge "${first:-75}" ] || continue
        nvcc -O3 -cubin -arch="sm_$arch" -o "cubin/$module.sm_$arch.cubin" "$module.cu"
        if strings -a "cubin/$module.sm_$arch.cubin" | grep -E '/(work|root|tmp|home|Users)(/|$)'; then
            echo "build.sh: $module.sm_$arch.cubin names a folder of this machine" >&2
            exit 1
        fi
        echo "cubin/$module.sm_$arch.cubin"
    done
done
