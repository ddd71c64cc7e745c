#!/usr/bin/env bash
# Rebuilds the fixtures of tests/cubin from the sources beside it. Needs nvcc 13 and strip; the ordinary build never
# runs this. PTXAS_12 may name a ptxas of CUDA 12, for the one fixture with the older header.
#
# Sources are compiled in a copy under $SUBCORE_NEUTRAL (/subcore unless set), so that no machine's own path gets
# into line tables.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
neutral=${SUBCORE_NEUTRAL:-/subcore}/tests/cubin
two=(-gencode arch=compute_80,code=sm_80 -gencode 'arch=compute_90,code=[sm_90,compute_90]')

mkdir -p "$neutral"
cp "$here"/*.cu "$here"/*.h "$neutral/"
cd "$neutral"
rm -f ./*.cubin ./*.fatbin ./*.elf

for arch in 75 89 100 120; do
    nvcc -cubin -arch="sm_$arch" -o "probe.sm_$arch.cubin" probe.cu
    nvcc -cubin -arch="sm_$arch" -lineinfo -o "lines.sm_$arch.cubin" lines.cu
done
# The header style of CUDA 12, when a ptxas of that age is at hand; without one the committed file stays.
if [ -n "${PTXAS_12:-}" ]; then
    nvcc -ptx -arch=compute_75 -o probe.ptx probe.cu
    sed -i 's/^\.version.*/.version 8.0/' probe.ptx
    "$PTXAS_12" -arch=sm_80 -o probe.sm_80.cuda12.cubin probe.ptx
fi
for arch in 80 90; do
    nvcc -cubin -arch="sm_$arch" -Xptxas -suppress-stack-size-warning -o "deep.sm_$arch.cubin" deep.cu
    nvcc -cubin -arch="sm_$arch" -rdc=true -o "deep.sm_$arch.object.cubin" deep.cu
    nvlink -arch="sm_$arch" --suppress-stack-size-warning -o "deep.sm_$arch.linked.cubin" "deep.sm_$arch.object.cubin"
done
nvcc "${two[@]}" -fatbin --compress-mode=none -o plain.fatbin host.cu
nvcc "${two[@]}" -fatbin --compress-mode=size -o zstd.fatbin host.cu
nvcc "${two[@]}" -fatbin --compress-mode=speed -Xfatbin -compress-all -o lz4.fatbin host.cu
nvcc "${two[@]}" -c -o object.elf host.cu
nvcc "${two[@]}" -rdc=true -c -o relocatable.elf host.cu
nvcc "${two[@]}" -cudart=shared -Xlinker -z,noseparate-code -o program.elf host.cu
strip --strip-unneeded object.elf relocatable.elf
strip program.elf
printf 'int main(void) { return 0; }\n' > empty.c
gcc -c -o without.elf empty.c
strip --strip-unneeded without.elf
if strings -a ./*.cubin ./*.fatbin ./*.elf | grep -E '/(work|root|tmp|home|Users)(/|$)'; then
    echo "build.sh: a fixture names a folder of this machine" >&2
    exit 1
fi
cp ./*.cubin ./*.fatbin ./*.elf "$here/"
