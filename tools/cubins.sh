#!/usr/bin/env bash
# Compiles one CUDA source for several architectures: tools/cubins.sh OUT SOURCE MODULE ARCH...
# writes OUT/MODULE.sm_ARCH.cubin from SOURCE with nvcc and $NVCCFLAGS (-O3 unless set), and stops where a cubin names a
# folder of this machine. The cubins in the repository come from nvcc 13.0, those below sm_75, which it does not know,
# from NVRTC 12.9 (tools/nvrtc.py, run by $PYTHON12); the ordinary build never runs this.
set -euo pipefail

[ $# -ge 4 ] || { echo "usage: cubins.sh OUT SOURCE MODULE ARCH..." >&2; exit 2; }
out=$1 source=$2 module=$3
shift 3

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
command -v nvcc >/dev/null || { echo "cubins.sh: nvcc is not on PATH" >&2; exit 1; }
mkdir -p "$out"
for arch in "$@"; do
    cubin=$module.sm_${arch%a}.cubin # sm_90a is the architecture with all that its chips have
    compiler=(nvcc)
    [ "${arch%a}" -ge 75 ] || compiler=("${PYTHON12:-python3}" "$tools/nvrtc.py")
    # shellcheck disable=SC2086 # flags are words
    "${compiler[@]}" ${NVCCFLAGS:--O3} -cubin -arch="sm_$arch" -o "$out/$cubin.new" "$source"
    if strings -a "$out/$cubin.new" | grep -E '/(work|root|tmp|home|Users)(/|$)'; then
        rm "$out/$cubin.new"
        echo "cubins.sh: $cubin names a folder of this machine" >&2
        exit 1
    fi
    mv "$out/$cubin.new" "$out/$cubin"
    echo "$cubin"
done
