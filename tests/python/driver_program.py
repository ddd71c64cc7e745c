"""A CUDA program of ctypes alone: driver_program.py CUBIN. Adds two vectors with examples/vecadd.cu."""
import ctypes
import sys

COUNT = 1000
cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        sys.exit(f"{name} returned {code}")


def allocate(values):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(ctypes.sizeof(values)))
    call("cuMemcpyHtoD_v2", address, values, ctypes.c_size_t(ctypes.sizeof(values)))
    return address


def main():
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
    call("cuModuleGetFunction", ctypes.byref(function), module, b"vecadd")
    numbers = ctypes.c_float * COUNT
    a, b, c = numbers(*range(COUNT)), numbers(*[2 * i for i in range(COUNT)]), numbers()
    held = [allocate(values) for values in (a, b, c)] + [ctypes.c_int(COUNT)]
    parameters = (ctypes.c_void_p * len(held))(*[ctypes.addressof(value) for value in held])
    call("cuLaunchKernel", function, (COUNT + 255) // 256, 1, 1, 256, 1, 1, 0, None, parameters, None)
    call("cuMemcpyDtoH_v2", c, held[2], ctypes.c_size_t(ctypes.sizeof(c)))
    right = all(c[i] == 3 * i for i in range(COUNT))
    print("right" if right else "wrong")
    sys.exit(not right)


main()
