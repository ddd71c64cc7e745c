// Sparse matrices that are built anew: rows compressed from coordinates, sums and products of sparse matrices.
#include "number.cuh"

namespace {

// The place of each row's first element, from coordinates.
__device__ inline void compress(const sparse_arguments &g)
{
    matrix<float> a = {g.a, 0};
    for (unsigned row = blockIdx.x * SPARSE_THREADS + threadIdx.x; row <= g.a.height; row += gridDim.x * SPARSE_THREADS)
        set_index(g.c.rows, g.c.wide_rows, row, a.search(row) + g.c.base);
}

// Makes places of the rows' sizes, which stand behind each row's place. One block.
__device__ inline void sum_up(const sparse_arguments &g)
{
    __shared__ long long sums[SPARSE_THREADS];
    unsigned share = (g.rows + SPARSE_THREADS - 1) / SPARSE_THREADS;
    unsigned first = min(threadIdx.x * share, g.rows), last = min(first + share, g.rows);
    long long sum = 0;
    for (unsigned row = first; row < last; row++)
        sum += g.places[row + 1];
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned i = 0; i < threadIdx.x; i++)
        sum += sums[i];
    for (unsigned row = first; row < last; row++)
        sum = g.places[row + 1] += sum;
    if (threadIdx.x == 0)
        g.places[0] = 0;
}

// Writes the places as the rows of C.
__device__ inline void write_rows(const sparse_arguments &g)
{
    for (unsigned row = blockIdx.x * SPARSE_THREADS + threadIdx.x; row <= g.rows; row += gridDim.x * SPARSE_THREADS)
        set_index(g.c.rows, g.c.wide_rows, row, g.places[row] + g.c.base);
}

template <typename T>
__device__ inline void put(const sparse_arguments &g, long long place, unsigned column, sum_type<T> x)
{
    matrix<T> c = {g.c, 0};
    set_index(g.c.columns, g.c.wide_columns, place, (long long)column + g.c.base);
    store(c.at(place), x);
}

// C = alpha A + beta B. A thread has one row; columns rise.
template <typename T> __device__ inline void add(const sparse_arguments &g)
{
    typedef sum_type<T> S;
    S alpha = alpha_of<S>(g), beta = beta_of<S>(g);
    matrix<T> a = {g.a, 0}, b = {g.b, 0};
    for (unsigned row = blockIdx.x * SPARSE_THREADS + threadIdx.x; row < g.rows; row += gridDim.x * SPARSE_THREADS) {
        long long i = a.begin(row), i_end = a.end(row), j = b.begin(row), j_end = b.end(row);
        long long place = g.fill ? index_of(g.c.rows, g.c.wide_rows, row) - g.c.base : 0;
        while (i < i_end || j < j_end) {
            unsigned left = i < i_end ? a.column(i) : ~0u, right = j < j_end ? b.column(j) : ~0u;
            if (g.fill) {
                S sum = left <= right ? alpha * a.value(i) : number<S>::of(0, 0);
                put<T>(g, place, min(left, right), right <= left ? sum + beta * b.value(j) : sum);
            }
            i += left <= right;
            j += right <= left;
            place++;
        }
        if (!g.fill)
            g.places[row + 1] = place;
    }
}

// A row of the product A B: the sum of each column, and whether it has any.
template <typename S> struct row_sums {
    S *sums;
    unsigned char *there;
};

template <typename T>
__device__ inline void sum_row(const sparse_arguments &g, unsigned row, const row_sums<sum_type<T>> &r)
{
    matrix<T> a = {g.a, 0}, b = {g.b, 0};
    for (unsigned j = threadIdx.x; j < g.columns; j += SPARSE_THREADS)
        r.there[j] = 0;
    __syncthreads();
    for (long long i = a.begin(row), end = a.end(row); i < end; i++) {
        unsigned k = a.column(i);
        for (long long e = b.begin(k) + threadIdx.x, last = b.end(k); e < last; e += SPARSE_THREADS) {
            unsigned j = b.column(e);
            sum_type<T> x = a.value(i) * b.value(e);
            r.sums[j] = r.there[j] ? r.sums[j] + x : x;
            r.there[j] = 1;
        }
        __syncthreads();
    }
}

// Writes a row, or its size. Each thread has a share of the columns.
template <typename T>
__device__ inline void write_row(const sparse_arguments &g, unsigned row, const row_sums<sum_type<T>> &r)
{
    __shared__ unsigned sizes[SPARSE_THREADS];
    typedef sum_type<T> S;
    S alpha = alpha_of<S>(g);
    unsigned share = (g.columns + SPARSE_THREADS - 1) / SPARSE_THREADS;
    unsigned first = min(threadIdx.x * share, g.columns), last = min(first + share, g.columns), size = 0;
    for (unsigned j = first; j < last; j++)
        size += r.there[j];
    sizes[threadIdx.x] = size;
    __syncthreads();
    long long place = g.fill ? g.places[row] : 0;
    for (unsigned i = 0; i < threadIdx.x; i++)
        place += sizes[i];
    if (!g.fill && threadIdx.x == SPARSE_THREADS - 1)
        g.places[row + 1] = place + size;
    for (unsigned j = first; j < last && g.fill; j++)
        if (r.there[j])
            put<T>(g, place++, j, alpha * r.sums[j]);
    __syncthreads();
}

// C = alpha A B. A block has one row, and room for its sums.
template <typename T> __device__ inline void multiply(const sparse_arguments &g)
{
    typedef sum_type<T> S;
    char *room = static_cast<char *>(g.room) + blockIdx.x * g.room_bytes;
    row_sums<S> r = {reinterpret_cast<S *>(room), reinterpret_cast<unsigned char *>(room + g.columns * sizeof(S))};
    for (unsigned row = blockIdx.x; row < g.rows; row += gridDim.x) {
        sum_row<T>(g, row, r);
        write_row<T>(g, row, r);
    }
}

} // namespace

KERNEL(compress, compress)
KERNEL(sum_up, sum_up)
KERNEL(write_rows, write_rows)
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(add_##name, add<type>)                                                                                      \
    KERNEL(multiply_##name, multiply<type>)
OF_ALL_TYPES
