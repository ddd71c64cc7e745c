#!/usr/bin/env python3
"""cuda.core: CUDA C++ compiled at run time, launched on arrays in device memory, checked against NumPy.

    subcore exec --gpu rtx-a6000 python3 cuda_core_saxpy.py [ELEMENTS]

Needs cuda-core with its libraries (cuda-core[cu13]) and numpy.
"""
import sys

import numpy
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
from cuda.core import LegacyPinnedMemoryResource

SOURCE = """
template <typename T> __global__ void saxpy(T a, const T *x, T *y, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
"""


def main():
    elements = int(sys.argv[1]) if len(sys.argv) > 1 else 50000
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    code = Program(SOURCE, code_type="c++", options=options).compile("cubin", name_expressions=("saxpy<float>",))
    pinned = LegacyPinnedMemoryResource()
    size = 4 * elements
    host = [pinned.allocate(size, stream=stream) for _ in range(2)]
    x, y = [numpy.from_dlpack(buffer).view(numpy.float32) for buffer in host]
    random = numpy.random.default_rng(3)
    x[:], y[:] = random.standard_normal(elements), random.standard_normal(elements)
    expected = numpy.float32(2.5) * x.astype(numpy.float64) + y
    arrays = [device.memory_resource.allocate(size, stream=stream) for _ in range(2)]
    for here, there in zip(host, arrays):
        there.copy_from(here, stream=stream)
    launch(stream, LaunchConfig(grid=(elements + 255) // 256, block=256), code.get_kernel("saxpy<float>"),
           numpy.float32(2.5), arrays[0], arrays[1], numpy.uint64(elements))
    arrays[1].copy_to(host[1], stream=stream)
    stream.sync()
    error = float(numpy.abs(y - expected).max())
    print(f"{device.name}: {elements} elements, largest error {error:.1e}")
    sys.exit(0 if error < 1e-6 else "wrong result")


main()
