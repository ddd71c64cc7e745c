// Singular values by one-sided rotations of columns, and eigenvalues of Hermitian matrices by two-sided ones. A block
// has one matrix.
#include "jacobi.cuh"

namespace {

// ---- singular values ------------------------------------------------------------------------------------------------

// A matrix with at least as many rows as columns: A, or its adjoint. Its columns become U S, the rotations' product V.
template <typename T> struct svd {
    unsigned rows, columns;
    T *w, *z, *products; // the columns, rotations, room for `rows` products
    real_type<T> *norms;
    unsigned *order; // of the columns, by falling norm
    real_type<T> scale, total;
};

template <typename T> __device__ inline T *at(const jacobi_matrix &m)
{
    return static_cast<T *>(m.data) + blockIdx.x * m.stride;
}

template <typename T> __device__ inline svd<T> begin(const jacobi_arguments &g)
{
    svd<T> s;
    bool tall = g.rows >= g.columns;
    s.rows = tall ? g.rows : g.columns;
    s.columns = tall ? g.columns : g.rows;
    s.w = static_cast<T *>(g.work) + blockIdx.x * g.work_stride;
    s.z = s.w + (size_t)s.rows * s.columns;
    s.products = s.z + (size_t)s.columns * s.columns;
    s.norms = reinterpret_cast<real_type<T> *>(s.products + s.rows);
    s.order = reinterpret_cast<unsigned *>(s.products + s.rows + s.columns);
    const T *a = at<T>(g.a);
    real_type<T> largest = 0, sum = 0;
    for (unsigned c = 0; c < s.columns; c++)
        for (unsigned r = threadIdx.x; r < s.rows; r += THREADS) {
            T x = tall ? a[c * g.a.pitch + r] : conjugated(a[r * g.a.pitch + c]);
            s.w[(size_t)c * s.rows + r] = x;
            largest = fmax(largest, extent_of(x));
        }
    s.scale = block_largest<THREADS>(largest);
    s.scale = s.scale > 0 && s.scale < INFINITY ? s.scale : 1;
    for (unsigned c = 0; c < s.columns; c++) {
        for (unsigned r = threadIdx.x; r < s.rows; r += THREADS) {
            T &x = s.w[(size_t)c * s.rows + r];
            x = scaled(x, 1 / s.scale);
            sum += square_of(x);
        }
        for (unsigned r = threadIdx.x; r < s.columns; r += THREADS)
            s.z[(size_t)c * s.columns + r] = number<T>::of(r == c ? 1 : 0, 0);
    }
    s.total = block_sum<THREADS>(sum);
    return s;
}

// The square of a column below which it is only rounding error.
template <typename T> __device__ inline real_type<T> floor_of(const svd<T> &s)
{
    real_type<T> step = step_of<real_type<T>>();
    return s.total * step * step;
}

// Makes two columns orthogonal, in a warp. Returns true if they were not.
template <typename T> __device__ __noinline__ bool turn(const svd<T> &s, pair i, real_type<T> tolerance)
{
    typedef real_type<T> R;
    unsigned lane = threadIdx.x % 32;
    T *p = s.w + (size_t)i.p * s.rows, *q = s.w + (size_t)i.q * s.rows, cross = number<T>::of(0, 0);
    R pp = 0, qq = 0;
    for (unsigned r = lane; r < s.rows; r += 32) {
        pp += square_of(p[r]);
        qq += square_of(q[r]);
        add_product(cross, conjugated(p[r]), q[r]);
    }
    pp = warp_sum(pp);
    qq = warp_sum(qq);
    cross = warp_sum(cross);
    R size = sqrt(square_of(cross));
    if (!(size > tolerance * sqrt(pp) * sqrt(qq)) || fmin(pp, qq) <= floor_of(s))
        return false;
    rotation<T> by = rotation_of<T>(pp, qq, cross, size);
    for (unsigned r = lane; r < s.rows; r += 32)
        rotate(p[r], q[r], by);
    for (unsigned r = lane; r < s.columns; r += 32)
        rotate(s.z[(size_t)i.p * s.columns + r], s.z[(size_t)i.q * s.columns + r], by);
    return true;
}

// Rotates all pairs until none rotates. Returns true if that succeeded.
template <typename T> __device__ inline bool turn_all(const svd<T> &s, const jacobi_arguments &g)
{
    typedef real_type<T> R;
    R tolerance = fmax(R(g.tolerance), step_of<R>() * sqrt(R(s.rows)));
    bool turned = true;
    for (unsigned sweep = 0; sweep < g.sweeps && turned; sweep++) {
        turned = false;
        for (unsigned step = 0; step < steps_of(s.columns); step++) {
            for (unsigned i = threadIdx.x / 32; i < pairs_of(s.columns); i += WARPS) {
                pair of = pair_of(s.columns, step, i);
                if (of.q < s.columns)
                    turned |= turn(s, of, tolerance);
            }
            __syncthreads();
        }
        turned = __syncthreads_or(turned);
    }
    return !turned;
}

template <typename T> __device__ inline void sort(const svd<T> &s, const jacobi_arguments &g)
{
    typedef real_type<T> R;
    for (unsigned c = threadIdx.x / 32; c < s.columns; c += WARPS) {
        R sum = 0;
        for (unsigned r = threadIdx.x % 32; r < s.rows; r += 32)
            sum += square_of(s.w[(size_t)c * s.rows + r]);
        s.norms[c] = sqrt(warp_sum(sum));
    }
    __syncthreads();
    R *values = static_cast<R *>(g.values) + blockIdx.x * g.values_stride;
    for (unsigned c = threadIdx.x; c < s.columns; c += THREADS) {
        bool finite = s.total < INFINITY;
        unsigned place = finite ? place_of(s.norms, s.columns, c, true) : c;
        s.order[place] = c;
        values[place] = finite ? s.norms[c] * s.scale : R(NAN);
    }
    __syncthreads();
}

// The row whose unit vector is farthest from the span of the first columns.
template <typename T>
__device__ __noinline__ unsigned farthest(const jacobi_matrix &to, unsigned rows, unsigned columns)
{
    typedef real_type<T> R;
    __shared__ R rests[THREADS];
    __shared__ unsigned places[THREADS];
    const T *u = at<T>(to);
    R best = -1;
    unsigned place = 0;
    for (unsigned r = threadIdx.x; r < rows; r += THREADS) {
        R rest = 1;
        for (unsigned k = 0; k < columns; k++)
            rest -= square_of(u[k * to.pitch + r]);
        place = rest > best ? r : place;
        best = fmax(best, rest);
    }
    rests[threadIdx.x] = best;
    places[threadIdx.x] = place;
    __syncthreads();
    for (unsigned i = 0; i < THREADS; i++)
        if (rests[i] > best || (rests[i] == best && places[i] < place)) {
            best = rests[i];
            place = places[i];
        }
    __syncthreads();
    return place;
}

// Takes the part along the first columns from column c, and gives it the length 1.
template <typename T> __device__ __noinline__ void straighten(const svd<T> &s, const jacobi_matrix &to, unsigned c)
{
    typedef real_type<T> R;
    T *u = at<T>(to), *column = u + c * to.pitch;
    for (unsigned k = threadIdx.x / 32; k < c; k += WARPS) {
        T sum = number<T>::of(0, 0);
        for (unsigned r = threadIdx.x % 32; r < s.rows; r += 32)
            add_product(sum, conjugated(u[k * to.pitch + r]), column[r]);
        s.products[k] = warp_sum(sum);
    }
    __syncthreads();
    R sum = 0;
    for (unsigned r = threadIdx.x; r < s.rows; r += THREADS) {
        T x = column[r];
        for (unsigned k = 0; k < c; k++)
            x = x - u[k * to.pitch + r] * s.products[k];
        column[r] = x;
        sum += square_of(x);
    }
    R size = sqrt(block_sum<THREADS>(sum));
    for (unsigned r = threadIdx.x; r < s.rows; r += THREADS)
        column[r] = scaled(column[r], 1 / size);
    __syncthreads();
}

// The normalized columns. Columns of length zero, and those after them, complete the base.
template <typename T> __device__ __noinline__ void write_left(const svd<T> &s, const jacobi_matrix &to, unsigned wanted)
{
    T *u = at<T>(to);
    unsigned present = 0;
    while (present < s.columns && present < wanted &&
           !(s.norms[s.order[present]] * s.norms[s.order[present]] <= floor_of(s)))
        present++;
    for (unsigned c = 0; c < present; c++)
        for (unsigned r = threadIdx.x; r < s.rows; r += THREADS)
            u[c * to.pitch + r] = scaled(s.w[(size_t)s.order[c] * s.rows + r], 1 / s.norms[s.order[c]]);
    __syncthreads();
    for (unsigned c = present; c < wanted; c++) {
        unsigned row = farthest<T>(to, s.rows, c);
        for (unsigned r = threadIdx.x; r < s.rows; r += THREADS)
            u[c * to.pitch + r] = number<T>::of(r == row ? 1 : 0, 0);
        __syncthreads();
        straighten(s, to, c);
        straighten(s, to, c);
    }
}

template <typename T>
__device__ __noinline__ void write_right(const svd<T> &s, const jacobi_matrix &to, unsigned wanted, bool adjoint)
{
    T *v = at<T>(to);
    for (unsigned c = 0; c < wanted && c < s.columns; c++)
        for (unsigned r = threadIdx.x; r < s.columns; r += THREADS) {
            T x = s.z[(size_t)s.order[c] * s.columns + r];
            v[adjoint ? r * to.pitch + c : c * to.pitch + r] = adjoint ? conjugated(x) : x;
        }
}

template <typename T> __device__ inline void singular_values(const jacobi_arguments &g)
{
    svd<T> s = begin<T>(g);
    bool good = turn_all(s, g), tall = g.rows >= g.columns;
    sort(s, g);
    if (tall) {
        write_left(s, g.u, g.u_columns);
        write_right(s, g.v, g.v_columns, g.adjoint);
    } else {
        write_left(s, g.v, g.v_columns);
        write_right(s, g.u, g.u_columns, false);
    }
    if (threadIdx.x == 0)
        g.info[blockIdx.x] = good ? 0 : int(s.columns + 1);
}

// ---- eigenvalues ----------------------------------------------------------------------------------------------------

template <typename T> struct eigen {
    unsigned n;
    T *h, *z; // the matrix, of which the diagonal is left; rotations
    T *sines;
    real_type<T> *less; // negative where a pair does not turn
    real_type<T> *values;
    unsigned *order;
    real_type<T> scale, total;
};

template <typename T> __device__ inline T given(const jacobi_arguments &g, unsigned r, unsigned c)
{
    bool mirrored = g.lower ? r < c : r > c;
    const T *a = at<T>(g.a);
    T x = mirrored ? conjugated(a[r * g.a.pitch + c]) : a[c * g.a.pitch + r];
    return r == c ? number<T>::of(real_of(x), 0) : x;
}

template <typename T> __device__ inline eigen<T> begin_eigen(const jacobi_arguments &g)
{
    eigen<T> e;
    unsigned n = g.rows;
    e.n = n;
    e.h = static_cast<T *>(g.work) + blockIdx.x * g.work_stride;
    e.z = e.h + (size_t)n * n;
    e.sines = e.z + (size_t)n * n;
    e.less = reinterpret_cast<real_type<T> *>(e.sines + n);
    e.values = reinterpret_cast<real_type<T> *>(e.sines + 2 * n);
    e.order = reinterpret_cast<unsigned *>(e.sines + 3 * n);
    real_type<T> largest = 0, sum = 0;
    for (unsigned c = 0; c < n; c++)
        for (unsigned r = threadIdx.x; r < n; r += THREADS) {
            e.h[(size_t)c * n + r] = given<T>(g, r, c);
            e.z[(size_t)c * n + r] = number<T>::of(r == c ? 1 : 0, 0);
            largest = fmax(largest, extent_of(e.h[(size_t)c * n + r]));
        }
    e.scale = block_largest<THREADS>(largest);
    e.scale = e.scale > 0 && e.scale < INFINITY ? e.scale : 1;
    for (unsigned c = 0; c < n; c++)
        for (unsigned r = threadIdx.x; r < n; r += THREADS) {
            T &x = e.h[(size_t)c * n + r];
            x = scaled(x, 1 / e.scale);
            sum += square_of(x);
        }
    e.total = block_sum<THREADS>(sum);
    return e;
}

// Chooses the rotations of a step. Returns true if this thread's pair rotates.
template <typename T> __device__ inline bool choose(const eigen<T> &e, unsigned step, real_type<T> least)
{
    typedef real_type<T> R;
    bool turns = false;
    for (unsigned i = threadIdx.x; i < pairs_of(e.n); i += THREADS) {
        pair of = pair_of(e.n, step, i);
        e.less[i] = -1;
        if (of.q >= e.n)
            continue;
        T cross = e.h[(size_t)of.q * e.n + of.p];
        R size = sqrt(square_of(cross));
        if (!(size > least))
            continue;
        R pp = real_of(e.h[(size_t)of.p * e.n + of.p]), qq = real_of(e.h[(size_t)of.q * e.n + of.q]);
        rotation<T> by = rotation_of<T>(pp, qq, cross, size);
        e.less[i] = by.less;
        e.sines[i] = by.s;
        turns = true;
    }
    return turns;
}

// Turns columns, the matrix's and those of all rotations, or the matrix's rows.
template <typename T> __device__ inline void apply(const eigen<T> &e, unsigned step, bool rows)
{
    for (unsigned i = threadIdx.x / 32; i < pairs_of(e.n); i += WARPS) {
        if (e.less[i] < 0)
            continue;
        pair of = pair_of(e.n, step, i);
        rotation<T> by = {e.less[i], rows ? conjugated(e.sines[i]) : e.sines[i]};
        for (unsigned k = threadIdx.x % 32; k < e.n; k += 32)
            if (rows) {
                rotate(e.h[(size_t)k * e.n + of.p], e.h[(size_t)k * e.n + of.q], by);
            } else {
                rotate(e.h[(size_t)of.p * e.n + k], e.h[(size_t)of.q * e.n + k], by);
                rotate(e.z[(size_t)of.p * e.n + k], e.z[(size_t)of.q * e.n + k], by);
            }
    }
}

// The rest of a rotation's own pair is rounding error.
template <typename T> __device__ inline void clear(const eigen<T> &e, unsigned step)
{
    for (unsigned i = threadIdx.x; i < pairs_of(e.n); i += THREADS) {
        if (e.less[i] < 0)
            continue;
        pair of = pair_of(e.n, step, i);
        T &p = e.h[(size_t)of.p * e.n + of.p], &q = e.h[(size_t)of.q * e.n + of.q], zero = number<T>::of(0, 0);
        e.h[(size_t)of.q * e.n + of.p] = zero;
        e.h[(size_t)of.p * e.n + of.q] = zero;
        p = number<T>::of(real_of(p), 0);
        q = number<T>::of(real_of(q), 0);
    }
}

template <typename T> __device__ inline bool turn_all(const eigen<T> &e, const jacobi_arguments &g)
{
    typedef real_type<T> R;
    R least = sqrt(e.total) * fmax(R(g.tolerance), step_of<R>()) / R(e.n);
    bool turned = true;
    for (unsigned sweep = 0; sweep < g.sweeps && turned; sweep++) {
        turned = false;
        for (unsigned step = 0; step < steps_of(e.n); step++) {
            if (!__syncthreads_or(choose(e, step, least)))
                continue;
            turned = true;
            apply(e, step, false);
            __syncthreads();
            apply(e, step, true);
            __syncthreads();
            clear(e, step);
            __syncthreads();
        }
    }
    return !turned;
}

template <typename T> __device__ inline void eigenvalues(const jacobi_arguments &g)
{
    typedef real_type<T> R;
    eigen<T> e = begin_eigen<T>(g);
    bool good = turn_all(e, g);
    R *values = static_cast<R *>(g.values) + blockIdx.x * g.values_stride;
    for (unsigned i = threadIdx.x; i < e.n; i += THREADS)
        e.values[i] = real_of(e.h[(size_t)i * e.n + i]);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < e.n; i += THREADS) {
        bool finite = e.total < INFINITY;
        unsigned place = finite ? place_of(e.values, e.n, i, false) : i;
        e.order[place] = i;
        values[place] = finite ? e.values[i] * e.scale : R(NAN);
    }
    __syncthreads();
    T *a = at<T>(g.a);
    for (unsigned c = 0; c < e.n && g.vectors; c++)
        for (unsigned r = threadIdx.x; r < e.n; r += THREADS)
            a[c * g.a.pitch + r] = e.z[(size_t)e.order[c] * e.n + r];
    if (threadIdx.x == 0)
        g.info[blockIdx.x] = good ? 0 : int(e.n + 1);
}

} // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(JACOBI_THREADS)                                                       \
        subcore_##name(const __grid_constant__ jacobi_arguments g)                                                     \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(gesvd_##name, singular_values<type>)                                                                        \
    KERNEL(syev_##name, eigenvalues<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
