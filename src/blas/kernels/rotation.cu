// Plane rotations: applied to two vectors, and made from two numbers, plain (Givens) and modified (Gentleman).
#include "block.cuh"
#include "rotation.h"

namespace
{

enum { THREADS = ROTATION_THREADS };

template <typename T> __device__ inline T &element(void *x, long long step, long long i)
{
    return static_cast<T *>(x)[i * step];
}

#define EACH(i)                                                                                                        \
    for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < g.count; i += gridDim.x * (long long)THREADS)

template <typename T> __device__ inline void rotate(const rotation_arguments &g)
{
    typedef real_type<T> R;
    R c = g.c_at != nullptr ? *static_cast<const R *>(g.c_at) : R(g.c);
    T s = number<T>::of(g.s[0], g.s[1]);
    if (g.s_at != nullptr)
        s = g.real_s ? number<T>::of(*static_cast<const R *>(g.s_at), 0) : *static_cast<const T *>(g.s_at);
    EACH(i)
    {
        T x = element<T>(g.x, g.x_step, i), y = element<T>(g.y, g.y_step, i);
        element<T>(g.x, g.x_step, i) = scaled(x, c) + s * y;
        element<T>(g.y, g.y_step, i) = scaled(y, c) - conjugated(s) * x;
    }
}

// Narrow vectors and numbers, with products in FP32.
template <typename In> __device__ inline void rotate_narrow(const rotation_arguments &g)
{
    float c = g.c_at != nullptr ? widened<float>(*static_cast<const In *>(g.c_at)) : float(g.c);
    float s = g.s_at != nullptr ? widened<float>(*static_cast<const In *>(g.s_at)) : float(g.s[0]);
    EACH(i)
    {
        In &x = element<In>(g.x, g.x_step, i), &y = element<In>(g.y, g.y_step, i);
        float u = widened<float>(x), v = widened<float>(y);
        x = In(c * u + s * v);
        y = In(c * v - s * u);
    }
}

template <typename R> __device__ inline void rotate_modified(const rotation_arguments &g)
{
    R h[5];
    for (int i = 0; i < 5; i++)
        h[i] = g.parameters_at != nullptr ? static_cast<const R *>(g.parameters_at)[i] : R(g.parameters[i]);
    R flag = h[0], h11 = flag == 0 ? R(1) : h[1], h22 = flag == 0 ? R(1) : h[4];
    R h21 = flag == 1 ? R(-1) : h[2], h12 = flag == 1 ? R(1) : h[3];
    if (flag == -2)
        return;
    EACH(i)
    {
        R x = element<R>(g.x, g.x_step, i), y = element<R>(g.y, g.y_step, i);
        element<R>(g.x, g.x_step, i) = x * h11 + y * h12;
        element<R>(g.y, g.y_step, i) = x * h21 + y * h22;
    }
}

// ---- making one: a thread does it -----------------------------------------------------------------------------------

template <typename R> __device__ inline void make(R *a, R *b, R *c, R *s)
{
    R x = *a, y = *b, size = fmax(fabs(x), fabs(y));
    if (size == 0) {
        *c = 1;
        *s = *a = *b = 0;
        return;
    }
    R r = size * sqrt(x / size * (x / size) + y / size * (y / size));
    r = (fabs(x) > fabs(y) ? x : y) < 0 ? -r : r;
    *c = x / r;
    *s = y / r;
    R z = fabs(x) > fabs(y) ? *s : *c != 0 ? 1 / *c : R(1);
    *a = r;
    *b = z;
}

template <typename R> __device__ inline void make(complex_of<R> *a, complex_of<R> *b, R *c, complex_of<R> *s)
{
    R size_a = hypot(a->re, a->im), size_b = hypot(b->re, b->im);
    if (size_a == 0) {
        *c = 0;
        *s = {1, 0};
        *a = *b;
        return;
    }
    R scale = fmax(size_a, size_b);
    R r = scale * sqrt(size_a / scale * (size_a / scale) + size_b / scale * (size_b / scale));
    complex_of<R> phase = {a->re / size_a, a->im / size_a};
    *c = size_a / r;
    *s = scaled(phase * conjugated(*b), 1 / r);
    *a = scaled(phase, r);
}

template <typename T> __device__ inline void make_rotation(const rotation_arguments &g)
{
    make(static_cast<T *>(g.scalars[0]), static_cast<T *>(g.scalars[1]), static_cast<real_type<T> *>(g.scalars[2]),
         static_cast<T *>(g.scalars[3]));
}

// The numbers of a modified rotation during its computation: H removes y1, and d1 and d2 stay near one.
template <typename R> struct modified {
    R d1, d2, x1, flag, h11, h21, h12, h22;
};

// H with all four elements, times a power of the scale in one row.
template <typename R> __device__ inline void write_out(modified<R> &m)
{
    if (m.flag == 0)
        m.h11 = m.h22 = 1;
    else if (m.flag == 1) {
        m.h21 = -1;
        m.h12 = 1;
    }
    m.flag = -1;
}

template <typename R> __device__ inline void rescale(modified<R> &m)
{
    const R scale = 4096, square = scale * scale;
    while (m.d1 != 0 && m.d1 < R(INFINITY) && (m.d1 <= 1 / square || m.d1 >= square)) {
        bool small = m.d1 <= 1 / square;
        write_out(m);
        m.d1 *= small ? square : 1 / square;
        m.x1 *= small ? 1 / scale : scale;
        m.h11 *= small ? 1 / scale : scale;
        m.h12 *= small ? 1 / scale : scale;
    }
    while (m.d2 != 0 && fabs(m.d2) < R(INFINITY) && (fabs(m.d2) <= 1 / square || fabs(m.d2) >= square)) {
        bool small = fabs(m.d2) <= 1 / square;
        write_out(m);
        m.d2 *= small ? square : 1 / square;
        m.h21 *= small ? 1 / scale : scale;
        m.h22 *= small ? 1 / scale : scale;
    }
}

template <typename R> __device__ inline modified<R> modified_of(R d1, R d2, R x1, R y1)
{
    modified<R> none = {0, 0, 0, -1, 0, 0, 0, 0}, m = {d1, d2, x1, 0, 0, 0, 0, 0};
    R p2 = d2 * y1, p1 = d1 * x1, q2 = p2 * y1, q1 = p1 * x1;
    if (d1 < 0)
        return none;
    if (p2 == 0) {
        m.flag = -2;
        return m;
    }
    if (fabs(q1) > fabs(q2)) {
        m.h21 = -y1 / x1;
        m.h12 = p2 / p1;
        R u = 1 - m.h12 * m.h21;
        if (!(u > 0))
            return none;
        m.d1 /= u;
        m.d2 /= u;
        m.x1 *= u;
    } else {
        if (q2 < 0)
            return none;
        m.flag = 1;
        m.h11 = p1 / p2;
        m.h22 = x1 / y1;
        R u = 1 + m.h11 * m.h22;
        m.d1 = d2 / u;
        m.d2 = d1 / u;
        m.x1 = y1 * u;
    }
    rescale(m);
    return m;
}

template <typename R> __device__ inline void make_modified(const rotation_arguments &g)
{
    R *d1 = static_cast<R *>(g.scalars[0]), *d2 = static_cast<R *>(g.scalars[1]), *x1 = static_cast<R *>(g.scalars[2]);
    R *parameters = static_cast<R *>(g.scalars[4]);
    modified<R> m = modified_of(*d1, *d2, *x1, *static_cast<const R *>(g.scalars[3]));
    *d1 = m.d1;
    *d2 = m.d2;
    *x1 = m.x1;
    parameters[0] = m.flag;
    if (m.flag == -1 || m.flag == 1) {
        parameters[1] = m.h11;
        parameters[4] = m.h22;
    }
    if (m.flag == -1 || m.flag == 0) {
        parameters[2] = m.h21;
        parameters[3] = m.h12;
    }
}

}   // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(ROTATION_THREADS)                                                     \
        subcore_##name(const __grid_constant__ rotation_arguments g)                                                   \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(rot_##name, rotate<type>)                                                                                   \
    KERNEL(rotg_##name, make_rotation<type>)
#define OF_REAL_TYPE(name, type)                                                                                       \
    KERNEL(rotm_##name, rotate_modified<type>)                                                                         \
    KERNEL(rotmg_##name, make_modified<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
KERNEL(rot_f16, rotate_narrow<__half>)
KERNEL(rot_bf16, rotate_narrow<__nv_bfloat16>)
OF_REAL_TYPE(f32, float)
OF_REAL_TYPE(f64, double)
