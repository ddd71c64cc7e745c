#!/usr/bin/env bash
# Rebuilds every validate/kernels/cubin/*.cubin from validate/kernels/*.cu, with nvcc. sm_89 runs the code of sm_86, sm_61 that of sm_60.
# A source that begins with `// Needs sm_80:` has no code for architectures before that.
# Usage: validate/kernels/build.sh [module...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
    modules=(*.cu)
    modules=("${modules[@]%.cu}")
fi
for module in "${modules[@]}"; do
    first=$(sed -n 's,^// Needs sm_\([0-9]*\):.*,\1,p' "$module.cu")
    archs=()
    for arch in 60 70 75 80 86 90 100 120; do
        [ "$arch" -lt "${first:-60}" ] || archs+=("$arch")
    done
    grep -q '^// Needs sm_90a:' "$module.cu" && archs=(90a) # of Hopper only
    ../../tools/cubins.sh cubin "$module.cu" "$module" "${archs[@]}"
    [ "${archs[0]}" != 90a ] || mv "cubin/$module.sm_90a.cubin" "cubin/$module.sm_90.cubin"
done
