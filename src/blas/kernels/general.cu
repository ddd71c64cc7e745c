// Eigenvalues and eigenvectors of general matrices: Hessenberg's form, Francis's QR algorithm with two shifts (one for
// complex matrices), and back substitution in Schur's form. A block has one matrix, and a warp one eigenvector.
#include "block.cuh"
#include "general.h"

namespace {

enum { THREADS = GENERAL_THREADS, WARPS = THREADS / 32 };

template <typename T> using complex_type = complex_of<real_type<T>>;

template <typename T> struct is_complex {
    static constexpr bool value = false;
};
template <typename T> struct is_complex<complex_of<T>> {
    static constexpr bool value = true;
};

template <typename T> struct matrix {
    T *at;
    long long pitch;
    __device__ inline T &operator()(unsigned i, unsigned j) const { return at[j * pitch + i]; }
};

// A number that vanishes beside 1, and whose square and inverse are finite.
template <typename R> __device__ inline R least_of();
template <> __device__ inline float least_of<float>() { return 0x1p-60f; }
template <> __device__ inline double least_of<double>() { return 0x1p-480; }

__device__ inline float divided(float x, float by) { return x / by; }
__device__ inline double divided(double x, double by) { return x / by; }
template <typename T> __device__ inline complex_of<T> divided(complex_of<T> x, T by) { return {x.re / by, x.im / by}; }

__device__ inline float with_exponent(float x, int by) { return ldexpf(x, by); }
__device__ inline double with_exponent(double x, int by) { return ldexp(x, by); }
template <typename T> __device__ inline complex_of<T> with_exponent(complex_of<T> x, int by)
{
    return {with_exponent(x.re, by), with_exponent(x.im, by)};
}

// ---- reflectors of two or three rows --------------------------------------------------------------------------------

// 1 - tau v v', whose adjoint maps x to beta times the first unit vector. v[0] is 1.
template <typename T> struct reflector {
    T v[3], tau, beta;
};

template <typename T> __device__ inline reflector<T> reflector_of(T first, T second, T third)
{
    typedef real_type<T> R;
    T zero = number<T>::of(0, 0), one = number<T>::of(1, 0);
    R rest = fmax(extent_of(second), extent_of(third)), scale = fmax(rest, extent_of(first));
    if (rest == 0 && imaginary_of(first) == 0)
        return {{one, zero, zero}, zero, first};
    T x = divided(first, scale), y = divided(second, scale), z = divided(third, scale);
    R size = sqrt(square_of(x) + square_of(y) + square_of(z)), beta = real_of(x) >= 0 ? -size : size;
    T factor = one / (x - number<T>::of(beta, 0));
    return {{one, y * factor, z * factor},
            number<T>::of((beta - real_of(x)) / beta, -imaginary_of(x) / beta),
            number<T>::of(beta * scale, 0)};
}

// Rows from `row` on, in columns from `first` on, are multiplied by the reflector's adjoint. A thread has a column.
template <typename T>
__device__ inline void from_left(const reflector<T> &h, matrix<T> a, unsigned row, unsigned count, unsigned first,
                                 unsigned end)
{
    T tau = conjugated(h.tau);
    for (unsigned j = first + threadIdx.x; j < end; j += THREADS) {
        T *x = &a(row, j), sum = x[0];
        add_product(sum, conjugated(h.v[1]), x[1]);
        if (count == 3)
            add_product(sum, conjugated(h.v[2]), x[2]);
        sum = tau * sum;
        x[0] = x[0] - sum;
        x[1] = x[1] - h.v[1] * sum;
        if (count == 3)
            x[2] = x[2] - h.v[2] * sum;
    }
}

// Columns from `column` on are multiplied by the reflector, in the first `rows` rows. A thread has a row.
template <typename T>
__device__ inline void from_right(const reflector<T> &h, matrix<T> a, unsigned column, unsigned count, unsigned rows)
{
    for (unsigned i = threadIdx.x; i < rows; i += THREADS) {
        T sum = a(i, column);
        add_product(sum, a(i, column + 1), h.v[1]);
        if (count == 3)
            add_product(sum, a(i, column + 2), h.v[2]);
        sum = sum * h.tau;
        a(i, column) = a(i, column) - sum;
        a(i, column + 1) = a(i, column + 1) - sum * conjugated(h.v[1]);
        if (count == 3)
            a(i, column + 2) = a(i, column + 2) - sum * conjugated(h.v[2]);
    }
}

// A = Q S Q', where S is on its way to Schur's form. `q` is null if no vectors are wanted.
template <typename T> struct schur {
    matrix<T> a, q;
    unsigned n;
};

// A similarity by a reflector of the rows from `row` on. Columns before `first` are zero there, and rows from `rows` on
// are zero in its columns.
template <typename T>
__device__ __noinline__ void turn(const schur<T> &s, const reflector<T> &h, unsigned row, unsigned count,
                                  unsigned first, unsigned rows)
{
    __syncthreads(); // all threads have read the numbers that the reflector is made of
    from_left(h, s.a, row, count, first, s.n);
    __syncthreads();
    from_right(h, s.a, row, count, rows);
    if (s.q.at != nullptr)
        from_right(h, s.q, row, count, s.n);
    __syncthreads();
}

// The same, so that `column` is zero below `row`.
template <typename T>
__device__ inline void eliminate(const schur<T> &s, unsigned column, unsigned row, unsigned count, unsigned rows)
{
    T zero = number<T>::of(0, 0);
    reflector<T> h = reflector_of(s.a(row, column), s.a(row + 1, column), count == 3 ? s.a(row + 2, column) : zero);
    turn(s, h, row, count, column + 1, rows);
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < count; i++)
            s.a(row + i, column) = i == 0 ? h.beta : zero;
    __syncthreads();
}

template <typename T> __device__ inline void to_hessenberg(const schur<T> &s)
{
    for (unsigned k = 0; k + 2 < s.n; k++)
        for (unsigned last = s.n - 1; last > k + 1;) {
            unsigned count = last > k + 2 ? 3 : 2;
            eliminate(s, k, last + 1 - count, count, s.n);
            last -= count - 1;
        }
}

// ---- the QR algorithm -----------------------------------------------------------------------------------------------

// A block of two rows: half the difference of its diagonal, and that number's square plus the product of the others,
// by its root and sign. Eigenvalues are d + p +- root, or d + p +- i root.
template <typename R> struct two_rows {
    R p, root;
    bool is_real;
};

template <typename R> __device__ inline two_rows<R> two_rows_of(R a, R b, R c, R d)
{
    R p = (a - d) / 2, scale = fmax(fmax(fabs(p), fabs(b)), fabs(c));
    if (!(scale > 0))
        return {p, 0, true};
    R x = p / scale, square = x * x + b / scale * (c / scale);
    return {p, scale * sqrt(fabs(square)), square >= 0};
}

template <typename R> __device__ inline complex_of<R> root_of(complex_of<R> x)
{
    R size = hypot(x.re, x.im), large = sqrt((size + fabs(x.re)) / 2);
    if (!(large > 0))
        return {0, 0};
    R small = x.im / (2 * large);
    return x.re >= 0 ? complex_of<R>{large, small} : complex_of<R>{fabs(small), x.im >= 0 ? large : -large};
}

// The reflector that begins a sweep over rows `lo` to `hi` - 1.
template <typename R>
__device__ inline reflector<R> beginning(const matrix<R> &a, unsigned lo, unsigned hi, bool exceptional)
{
    R x = a(hi - 2, hi - 2), y = a(hi - 2, hi - 1), z = a(hi - 1, hi - 2), w = a(hi - 1, hi - 1);
    if (exceptional) { // as LAPACK has it
        z = fabs(z) + fabs(a(hi - 2, hi - 3));
        x = w = R(0.75) * z + w;
        y = R(-0.4375) * z;
    }
    R trace = x + w, product = x * w - y * z, first = a(lo, lo), below = a(lo + 1, lo);
    return reflector_of(first * first + a(lo, lo + 1) * below - trace * first + product,
                        below * (first + a(lo + 1, lo + 1) - trace), below * a(lo + 2, lo + 1));
}

template <typename R>
__device__ inline reflector<complex_of<R>> beginning(const matrix<complex_of<R>> &a, unsigned lo, unsigned hi,
                                                     bool exceptional)
{
    typedef complex_of<R> C;
    C shift = a(hi - 1, hi - 1), below = a(hi - 1, hi - 2);
    if (exceptional) {
        shift.re += R(0.75) * (fabs(below.re) + fabs(below.im));
    } else { // the eigenvalue of the last two rows that is next to the last element
        C p = scaled(a(hi - 2, hi - 2) - shift, R(0.5)), product = a(hi - 2, hi - 1) * below;
        C root = root_of(p * p + product), plus = p + root, minus = p - root;
        C q = square_of(plus) > square_of(minus) ? plus : minus;
        if (extent_of(q) > least_of<R>())
            shift = shift - product / q;
    }
    return reflector_of(a(lo, lo) - shift, a(lo + 1, lo), C{0, 0});
}

template <typename T> __device__ inline void sweep(const schur<T> &s, unsigned lo, unsigned hi, bool exceptional)
{
    const unsigned most = is_complex<T>::value ? 2 : 3;
    unsigned count = min(most, hi - lo);
    turn(s, beginning(s.a, lo, hi, exceptional), lo, count, lo, min(lo + count + 1, hi));
    for (unsigned row = lo + 1; row + 1 < hi; row++) {
        count = min(most, hi - row);
        eliminate(s, row - 1, row, count, min(row + count + 1, hi));
    }
}

// The first row of the last block that is apart from the rows before it. The element between is set to zero.
template <typename T> __device__ inline unsigned split(const schur<T> &s, unsigned hi)
{
    typedef real_type<T> R;
    unsigned lo = hi - 1;
    for (; lo > 0; lo--) {
        R beside = extent_of(s.a(lo - 1, lo - 1)) + extent_of(s.a(lo, lo));
        if (extent_of(s.a(lo, lo - 1)) <= fmax(step_of<R>() * beside, least_of<R>()))
            break;
    }
    __syncthreads();
    if (lo > 0 && threadIdx.x == 0)
        s.a(lo, lo - 1) = number<T>::of(0, 0);
    __syncthreads();
    return lo;
}

// Makes a block of two rows with real eigenvalues triangular.
template <typename R> __device__ inline void separate(const schur<R> &s, unsigned k)
{
    R below = s.a(k + 1, k);
    two_rows<R> two = two_rows_of(s.a(k, k), s.a(k, k + 1), below, s.a(k + 1, k + 1));
    if (!two.is_real)
        return;
    R first = two.p >= 0 ? two.p + two.root : two.p - two.root;
    turn(s, reflector_of(first, below, R(0)), k, 2, k, k + 2);
    if (threadIdx.x == 0)
        s.a(k + 1, k) = 0;
    __syncthreads();
}
template <typename R> __device__ inline void separate(const schur<complex_of<R>> &, unsigned) {}

// Returns the number of rows that are not in Schur's form when the sweeps are used up.
template <typename T> __device__ inline int to_schur(const schur<T> &s)
{
    const unsigned whole = is_complex<T>::value ? 1 : 2;
    unsigned sweeps = 30 * max(s.n, 10u), tries = 0;
    for (unsigned hi = s.n; hi > 0;) {
        unsigned lo = split(s, hi);
        if (hi - lo <= whole) {
            if (hi - lo == 2)
                separate(s, lo);
            hi = lo;
            tries = 0;
        } else if (sweeps-- == 0) {
            return int(hi);
        } else {
            sweep(s, lo, hi, ++tries % 10 == 0);
        }
    }
    return 0;
}

// ---- eigenvalues ----------------------------------------------------------------------------------------------------

// Returns true if rows k and k + 1 have two complex eigenvalues.
template <typename R> __device__ inline bool is_pair(const schur<R> &s, unsigned k)
{
    return k + 1 < s.n && s.a(k + 1, k) != 0;
}
template <typename R> __device__ inline bool is_pair(const schur<complex_of<R>> &, unsigned) { return false; }

template <typename R> __device__ inline complex_of<R> value_of(const schur<R> &s, unsigned k)
{
    bool second = k > 0 && is_pair(s, k - 1);
    if (!second && !is_pair(s, k))
        return {s.a(k, k), 0};
    unsigned j = second ? k - 1 : k;
    two_rows<R> two = two_rows_of(s.a(j, j), s.a(j, j + 1), s.a(j + 1, j), s.a(j + 1, j + 1));
    return {s.a(j + 1, j + 1) + two.p, second ? -two.root : two.root};
}
template <typename R> __device__ inline complex_of<R> value_of(const schur<complex_of<R>> &s, unsigned k)
{
    return s.a(k, k);
}

template <typename T>
__device__ inline void store_values(const general_arguments &g, const schur<T> &s, int exponent)
{
    typedef real_type<T> R;
    for (unsigned k = threadIdx.x; k < s.n; k += THREADS) {
        complex_of<R> value = with_exponent(value_of(s, k), exponent);
        if (is_complex<T>::value || g.complex_values) {
            static_cast<complex_of<R> *>(g.values)[k] = value;
        } else {
            static_cast<R *>(g.values)[k] = value.re;
            static_cast<R *>(g.values)[s.n + k] = value.im;
        }
    }
}

// ---- eigenvectors ---------------------------------------------------------------------------------------------------

// Schur's form as a complex triangle, and the turns of two rows that make a real one complex.
template <typename R> struct triangle {
    matrix<complex_of<R>> t;
    complex_of<R> *turns; // of rows k and k + 1: (turns[2 k], turns[2 k + 1]) is the first column
};

template <typename R>
__device__ inline triangle<R> triangle_of(const schur<complex_of<R>> &s, complex_of<R> *, complex_of<R> *)
{
    return {s.a, nullptr};
}

// (x, y) times the matrix whose first column is (p, q), or times its adjoint.
template <typename C> __device__ inline void turn_two(C p, C q, C &x, C &y)
{
    C kept = x;
    x = p * kept - conjugated(q) * y;
    y = q * kept + conjugated(p) * y;
}
template <typename C> __device__ inline void turn_two_back(C p, C q, C &x, C &y)
{
    C kept = x;
    x = conjugated(p) * kept + conjugated(q) * y;
    y = p * y - q * kept;
}

template <typename R>
__device__ inline triangle<R> triangle_of(const schur<R> &s, complex_of<R> *room, complex_of<R> *turns)
{
    typedef complex_of<R> C;
    matrix<C> t = {room, s.n};
    for (unsigned j = threadIdx.x / 32; j < s.n; j += WARPS)
        for (unsigned i = threadIdx.x % 32; i < s.n; i += 32)
            t(i, j) = i <= j + 1 ? C{s.a(i, j), 0} : C{0, 0};
    __syncthreads();
    for (unsigned k = 0; k + 1 < s.n; k++) {
        if (!is_pair(s, k))
            continue;
        C value = value_of(s, k), p = value - C{s.a(k + 1, k + 1), 0}, q = {s.a(k + 1, k), 0};
        R scale = fmax(extent_of(p), extent_of(q));
        p = divided(p, scale), q = divided(q, scale);
        R size = sqrt(square_of(p) + square_of(q));
        p = divided(p, size), q = divided(q, size);
        for (unsigned i = threadIdx.x; i < k + 2; i += THREADS) { // rows times the matrix: as its transpose on columns
            C x = t(i, k), y = t(i, k + 1);
            t(i, k) = x * p + y * q;
            t(i, k + 1) = y * conjugated(p) - x * conjugated(q);
        }
        __syncthreads();
        for (unsigned j = k + threadIdx.x; j < s.n; j += THREADS)
            turn_two_back(p, q, t(k, j), t(k + 1, j));
        __syncthreads();
        if (threadIdx.x == 0) {
            t(k, k) = value;
            t(k + 1, k + 1) = conjugated(value);
            t(k + 1, k) = {0, 0};
            turns[2 * k] = p;
            turns[2 * k + 1] = q;
        }
        __syncthreads();
    }
    return {t, turns};
}

// Fills y with the triangle's eigenvector j, or its left one. Numbers that grow large make the others smaller.
template <typename R>
__device__ inline void solve(const matrix<complex_of<R>> &t, unsigned n, unsigned j, bool left, complex_of<R> *y)
{
    typedef complex_of<R> C;
    unsigned lane = threadIdx.x % 32;
    C value = t(j, j);
    R least = fmax(step_of<R>() * extent_of(value), least_of<R>());
    for (unsigned k = lane; k < n; k += 32) {
        C other = left ? conjugated(t(j, k)) : t(k, j);
        y[k] = k == j ? C{1, 0} : (left ? k > j : k < j) ? C{-other.re, -other.im} : C{0, 0};
    }
    __syncwarp();
    for (unsigned step = 1; step <= (left ? n - 1 - j : j); step++) {
        unsigned i = left ? j + step : j - step;
        C apart = t(i, i) - value;
        if (!(extent_of(apart) >= least))
            apart = {least, 0};
        C x = y[i] / (left ? conjugated(apart) : apart);
        R size = extent_of(x);
        __syncwarp();
        if (size > R(0x1p40)) {
            x = divided(x, size);
            for (unsigned k = lane; k < n; k += 32)
                y[k] = divided(y[k], size);
        }
        for (unsigned k = lane; k < n; k += 32) {
            if (k == i)
                y[k] = x;
            else if (left ? k > i : k < i)
                y[k] = y[k] - (left ? conjugated(t(i, k)) : t(k, i)) * x;
        }
        __syncwarp();
    }
}

// v = Q y, in the basis of A.
template <typename T>
__device__ inline void back(const schur<T> &s, const triangle<real_type<T>> &r, complex_type<T> *y, complex_type<T> *v)
{
    typedef complex_type<T> C;
    unsigned lane = threadIdx.x % 32;
    for (unsigned k = lane; k < s.n; k += 32)
        if (is_pair(s, k))
            turn_two(r.turns[2 * k], r.turns[2 * k + 1], y[k], y[k + 1]);
    __syncwarp();
    for (unsigned i = lane; i < s.n; i += 32) {
        C sum = {0, 0};
        for (unsigned k = 0; k < s.n; k++)
            add_product(sum, C{real_of(s.q(i, k)), imaginary_of(s.q(i, k))}, y[k]);
        v[i] = sum;
    }
    __syncwarp();
}

// The factor that makes the vector's largest element real.
template <typename C> __device__ inline C phase_of(const C *v, unsigned n, unsigned &place)
{
    typedef real_type<C> R;
    R best = -1;
    place = 0;
    for (unsigned i = threadIdx.x % 32; i < n; i += 32)
        if (square_of(v[i]) > best) {
            best = square_of(v[i]);
            place = i;
        }
    for (unsigned mask = 16; mask > 0; mask /= 2) {
        R other = __shfl_xor_sync(~0u, best, mask);
        unsigned at = __shfl_xor_sync(~0u, place, mask);
        if (other > best || (other == best && at < place)) {
            best = other;
            place = at;
        }
    }
    C x = v[place];
    R size = sqrt(square_of(x));
    return size > 0 ? divided(conjugated(x), size) : C{1, 0};
}

template <typename R>
__device__ inline void store(const matrix<R> &out, unsigned i, unsigned j, complex_of<R> x, bool pair)
{
    out(i, j) = x.re;
    if (pair)
        out(i, j + 1) = x.im;
}
template <typename R>
__device__ inline void store(const matrix<complex_of<R>> &out, unsigned i, unsigned j, complex_of<R> x, bool)
{
    out(i, j) = x;
}

// Stores the vector with length 1. A real matrix has real vectors for real eigenvalues.
template <typename T>
__device__ inline void normalize(const schur<T> &s, unsigned j, complex_type<T> *v, const matrix<T> &out)
{
    typedef complex_type<T> C;
    real_type<T> sum = 0;
    unsigned place, lane = threadIdx.x % 32;
    bool pair = is_pair(s, j);
    C phase = phase_of(v, s.n, place);
    __syncwarp();
    for (unsigned i = lane; i < s.n; i += 32) {
        C x = v[i] * phase;
        if (i == place || (!is_complex<T>::value && !pair))
            x.im = 0;
        v[i] = x;
        sum += square_of(x);
    }
    sum = sqrt(warp_sum(sum));
    for (unsigned i = lane; i < s.n; i += 32)
        store(out, i, j, divided(v[i], sum), pair);
    __syncwarp();
}

template <typename T>
__device__ inline void vectors(const schur<T> &s, const triangle<real_type<T>> &r, complex_type<T> *room, bool left,
                               const matrix<T> &out)
{
    unsigned warp = threadIdx.x / 32;
    complex_type<T> *y = room + warp * 2ll * s.n, *v = y + s.n;
    for (unsigned j = warp; j < s.n; j += WARPS) {
        if (j > 0 && is_pair(s, j - 1))
            continue; // the conjugate of the one before
        solve(r.t, s.n, j, left, y);
        back(s, r, y, v);
        normalize(s, j, v, out);
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

// Multiplies A by a power of two so that its largest element is about 1. Returns the exponent that was taken away.
template <typename T> __device__ inline int rescale(const matrix<T> &a, unsigned n)
{
    typedef real_type<T> R;
    R largest = 0;
    for (unsigned j = threadIdx.x / 32; j < n; j += WARPS)
        for (unsigned i = threadIdx.x % 32; i < n; i += 32)
            largest = fmax(largest, extent_of(a(i, j)));
    largest = block_largest<THREADS>(largest);
    int exponent = largest > 0 && largest < R(INFINITY) ? ilogb(largest) : 0;
    for (unsigned j = threadIdx.x / 32; j < n; j += WARPS)
        for (unsigned i = threadIdx.x % 32; i < n; i += 32)
            a(i, j) = with_exponent(a(i, j), -exponent);
    __syncthreads();
    return exponent;
}

template <typename T> __device__ inline void general(const general_arguments &g)
{
    typedef complex_type<T> C;
    long long n = g.n;
    C *work = static_cast<C *>(g.work);
    bool wanted = g.left != nullptr || g.right != nullptr;
    schur<T> s = {{static_cast<T *>(g.a), g.a_pitch}, {wanted ? reinterpret_cast<T *>(work) : nullptr, n}, g.n};
    int exponent = rescale(s.a, s.n);
    for (long long i = threadIdx.x; wanted && i < n * n; i += THREADS)
        s.q.at[i] = number<T>::of(i % (n + 1) == 0 ? 1 : 0, 0);
    __syncthreads();
    to_hessenberg(s);
    int info = to_schur(s);
    store_values(g, s, exponent);
    if (threadIdx.x == 0)
        *g.info = info;
    if (!wanted || info != 0)
        return;
    triangle<real_type<T>> r = triangle_of(s, work + n * n, work + 2 * n * n);
    C *room = work + 2 * n * n + 2 * n;
    if (g.right != nullptr)
        vectors(s, r, room, false, matrix<T>{static_cast<T *>(g.right), g.right_pitch});
    if (g.left != nullptr)
        vectors(s, r, room, true, matrix<T>{static_cast<T *>(g.left), g.left_pitch});
}

} // namespace

#define KERNEL(name, type)                                                                                             \
    extern "C" __global__ void __launch_bounds__(GENERAL_THREADS)                                                      \
        subcore_geev_##name(const __grid_constant__ general_arguments g)                                               \
    {                                                                                                                  \
        general<type>(g);                                                                                              \
    }
KERNEL(f32, float)
KERNEL(f64, double)
KERNEL(c32, c32)
KERNEL(c64, c64)
