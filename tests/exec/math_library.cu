// The math library's functions on the whole machine: tests/exec/math_library.c compares them with the host's. Every
// thread takes a pair of operands from `in` and writes its results, COUNT threads apart, to `out`. The cubins in
// tests/exec/cubin are made by
//   nvcc -O3 -cubin -DDIVISION -arch=sm_90 -o cubin/division.sm_90.cubin math_library.cu
//   for a in 75 90; do nvcc -O3 -cubin -arch=sm_$a -o cubin/functions.sm_$a.cubin math_library.cu; done
//   ../../tools/nvrtc.py -O3 -cubin -arch=sm_70 -o cubin/functions.sm_70.cubin math_library.cu
//   for a in 100 120; do nvcc -O3 -cubin -DFLOATS -arch=sm_$a -o cubin/functions.sm_$a.cubin math_library.cu; done

enum { COUNT = 1024 };

#define KERNEL(name, type, ...)                                                                                        \
    extern "C" __global__ void name(type *out, const type *in)                                                        \
    {                                                                                                                  \
        unsigned t = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        type x = in[2 * t], y = in[2 * t + 1];                                                                         \
        type r[] = {__VA_ARGS__};                                                                                      \
        for (unsigned k = 0; k < sizeof r / sizeof *r; k++)                                                            \
            out[k * COUNT + t] = r[k];                                                                                 \
    }

#ifdef DIVISION
KERNEL(divide_float, float, __fdiv_rn(x, y), __fdiv_rd(x, y), __fdiv_ru(x, y), __fdiv_rz(x, y))
KERNEL(root_float, float, __fsqrt_rn(x), __fsqrt_rd(x), __fsqrt_ru(x), __fsqrt_rz(x), __frcp_rn(x), __frcp_rz(x))
KERNEL(divide_double, double, __ddiv_rn(x, y), __ddiv_rd(x, y), __ddiv_ru(x, y), __ddiv_rz(x, y))
KERNEL(root_double, double, __dsqrt_rn(x), __dsqrt_rd(x), __dsqrt_ru(x), __dsqrt_rz(x), __drcp_rn(x), __drcp_rz(x))
#else
KERNEL(functions_float, float, expf(x), exp2f(x), logf(x), log2f(x), erff(x), tanhf(x), cbrtf(x), atanf(x), rsqrtf(x),
       fminf(x, y), fmaxf(x, y), floorf(x), rintf(x))
#ifndef FLOATS
KERNEL(functions_double, double, exp(x), log(x), cbrt(x), atan(x), fmin(x, y), fmax(x, y), floor(x), rint(x))
#endif
#endif
