/* Kernels from expressions. Each applies its expression to values that differ between threads, to parameters of the
 * kernel, to a mix of both and to a literal, so that every operand form of an instruction has an occasion. */
#pragma once

#define UNARY(name, R, A, expr)                                                                                        \
    __device__ __forceinline__ R name##_of(A a) { return (R)(expr); }                                                  \
    __global__ void name(R *out, const A *x, A p)                                                                      \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        out[2 * i] = name##_of(x[i]);                                                                                  \
        out[2 * i + 1] = name##_of(p);                                                                                 \
    }

#define BINARY(name, R, A, B, literal, expr)                                                                           \
    __device__ __forceinline__ R name##_of(A a, B b) { return (R)(expr); }                                             \
    __global__ void name(R *out, const A *x, const B *y, A p, B q)                                                     \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        A a = x[i];                                                                                                    \
        B b = y[i];                                                                                                    \
        R *to = out + 5 * i;                                                                                           \
        to[0] = name##_of(a, b);                                                                                       \
        to[1] = name##_of(a, q);                                                                                       \
        to[2] = name##_of(p, b);                                                                                       \
        to[3] = name##_of(p, q);                                                                                       \
        to[4] = name##_of(a, (B)(literal));                                                                            \
    }

#define TERNARY(name, R, A, B, C, literal, expr)                                                                       \
    __device__ __forceinline__ R name##_of(A a, B b, C c) { return (R)(expr); }                                        \
    __global__ void name(R *out, const A *x, const B *y, const C *z, A p, B q, C r)                                    \
    {                                                                                                                  \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                            \
        A a = x[i];                                                                                                    \
        B b = y[i];                                                                                                    \
        C c = z[i];                                                                                                    \
        R *to = out + 7 * i;                                                                                           \
        to[0] = name##_of(a, b, c);                                                                                    \
        to[1] = name##_of(a, q, c);                                                                                    \
        to[2] = name##_of(a, b, r);                                                                                    \
        to[3] = name##_of(p, b, c);                                                                                    \
        to[4] = name##_of(p, q, r);                                                                                    \
        to[5] = name##_of(a, (B)(literal), c);                                                                         \
        to[6] = name##_of(a, b, (C)(literal));                                                                         \
    }

/* One PTX instruction with a destination and one, two or three sources. */
#define PTX1(name, ptx, R, r, A, a_)                                                                                   \
    __device__ __forceinline__ R name##_ptx(A u)                                                                       \
    {                                                                                                                  \
        R d;                                                                                                           \
        asm volatile(ptx " %0, %1;" : "=" r(d) : a_(u));                                                               \
        return d;                                                                                                      \
    }                                                                                                                  \
    UNARY(name, R, A, name##_ptx(a))

#define PTX2(name, ptx, R, r, A, a_, B, b_, literal)                                                                   \
    __device__ __forceinline__ R name##_ptx(A u, B v)                                                                  \
    {                                                                                                                  \
        R d;                                                                                                           \
        asm volatile(ptx " %0, %1, %2;" : "=" r(d) : a_(u), b_(v));                                                    \
        return d;                                                                                                      \
    }                                                                                                                  \
    BINARY(name, R, A, B, literal, name##_ptx(a, b))

#define PTX3(name, ptx, R, r, A, a_, B, b_, C, c_, literal)                                                            \
    __device__ __forceinline__ R name##_ptx(A u, B v, C w)                                                             \
    {                                                                                                                  \
        R d;                                                                                                           \
        asm volatile(ptx " %0, %1, %2, %3;" : "=" r(d) : a_(u), b_(v), c_(w));                                         \
        return d;                                                                                                      \
    }                                                                                                                  \
    TERNARY(name, R, A, B, C, literal, name##_ptx(a, b, c))
