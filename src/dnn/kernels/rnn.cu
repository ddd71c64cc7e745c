// Recurrent networks. Products of matrices have blocks of 32 x 32 results, of which a thread has 4. A cell kernel does
// one time step of one layer in one direction, and a thread has one element of the state. Sums, gates and cell states
// are in FP32, of FP64 tensors in FP64.
#include "element.cuh"
#include "rnn_arguments.h"

namespace {

template <typename T> __device__ inline typename element<T>::sum read(const void *at, long long i, unsigned wide)
{
    typedef typename element<T>::sum sum;
    return wide ? static_cast<const sum *>(at)[i] : element<T>::widened(static_cast<const T *>(at)[i]);
}

template <typename T>
__device__ inline void write(void *at, long long i, unsigned wide, unsigned add, typename element<T>::sum x)
{
    typedef typename element<T>::sum sum;
    if (add)
        x += read<T>(at, i, wide);
    if (wide)
        static_cast<sum *>(at)[i] = x;
    else
        static_cast<T *>(at)[i] = element<T>::narrowed(x);
}

// ---- products -------------------------------------------------------------------------------------------------------

// A tile of a matrix in shared memory: tile[k][i] is the element (first + i, k + from) of `at`, or 0 outside.
template <typename T, typename S>
__device__ inline void load(S (*tile)[RNN_TILE + 1], const void *at, unsigned wide, long long row, long long step,
                            unsigned first, unsigned rows, unsigned from, unsigned depth)
{
    for (unsigned n = threadIdx.x; n < RNN_TILE * RNN_TILE; n += RNN_THREADS) {
        // Neighbours in memory go to neighbouring threads.
        unsigned i = step == 1 ? n / RNN_TILE : n % RNN_TILE, k = step == 1 ? n % RNN_TILE : n / RNN_TILE;
        bool inside = first + i < rows && from + k < depth;
        tile[k][i] = inside ? read<T>(at, (first + i) * row + (from + k) * step, wide) : S(0);
    }
}

template <typename T> __device__ inline void product(const rnn_product_arguments &g)
{
    typedef typename element<T>::sum sum;
    __shared__ sum left[RNN_TILE][RNN_TILE + 1], right[RNN_TILE][RNN_TILE + 1];
    unsigned p = blockIdx.x * RNN_TILE, q = blockIdx.y * RNN_TILE;
    unsigned column = threadIdx.x % RNN_TILE, row = threadIdx.x / RNN_TILE;
    constexpr unsigned rows = RNN_THREADS / RNN_TILE, each = RNN_TILE / rows;
    sum own[each] = {};
    for (unsigned from = 0; from < g.depth; from += RNN_TILE) {
        load<T, sum>(left, g.left, g.wide_left, g.left_row, g.left_step, p, g.rows, from, g.depth);
        load<T, sum>(right, g.right, 0, g.right_column, g.right_step, q, g.columns, from, g.depth);
        __syncthreads();
        for (unsigned k = 0; k < RNN_TILE; k++)
            for (unsigned e = 0; e < each; e++)
                own[e] += left[k][row + e * rows] * right[k][column];
        __syncthreads();
    }
    for (unsigned e = 0; e < each; e++)
        if (p + row + e * rows < g.rows && q + column < g.columns)
            write<T>(g.result, (p + row + e * rows) * g.result_row + q + column, g.wide_result, g.add, own[e]);
}

// ---- cells ----------------------------------------------------------------------------------------------------------

template <typename S> __device__ inline S sigmoid(S x) { return 1 / (1 + exp(-x)); }

template <typename S> __device__ inline S clip(const rnn_cell_arguments &g, S c)
{
    return g.clipped ? min(max(c, S(g.low)), S(g.high)) : c;
}

// A thread's element: sequence b, element j of the state.
template <typename T> struct place {
    typedef typename element<T>::sum sum;
    unsigned b, j;
    const rnn_cell_arguments &g;
    __device__ inline place(const rnn_cell_arguments &arguments, unsigned i)
        : b(i / arguments.hidden), j(i % arguments.hidden), g(arguments)
    {
    }
    __device__ inline unsigned gates() const { return g.mode == RNN_LSTM ? 4 : g.mode == RNN_GRU ? 3 : 1; }
    __device__ inline sum &of_gate(void *at, unsigned gate) const
    {
        return static_cast<sum *>(at)[((long long)b * gates() + gate) * g.hidden + j];
    }
    __device__ inline sum &gate(unsigned n) const { return of_gate(g.gates, n); }
    __device__ inline sum &recurrent(unsigned n) const { return of_gate(g.recurrent, n); }
    __device__ inline sum bias(const void *at, unsigned n) const
    {
        return at != nullptr ? read<T>(at, (long long)n * g.hidden + j, 0) : sum(0);
    }
    __device__ inline sum biases(unsigned n) const { return bias(g.input_bias, n) + bias(g.recurrent_bias, n); }
    __device__ inline long long in_state() const { return (long long)b * g.width + j; }
    __device__ inline long long in_cell() const { return (long long)b * g.hidden + j; }
};

// Returns the new hidden state, or the projection's input.
template <typename T> __device__ inline typename element<T>::sum lstm(const place<T> &at)
{
    typedef typename element<T>::sum sum;
    const rnn_cell_arguments &g = at.g;
    sum i = sigmoid(at.gate(0) + at.biases(0)), f = sigmoid(at.gate(1) + at.biases(1));
    sum n = tanh(at.gate(2) + at.biases(2)), o = sigmoid(at.gate(3) + at.biases(3));
    sum &cell = static_cast<sum *>(g.cell)[at.in_cell()];
    if (g.old_cell != nullptr)
        static_cast<sum *>(g.old_cell)[at.in_cell()] = cell;
    cell = clip(g, f * cell + i * n);
    at.gate(0) = i;
    at.gate(1) = f;
    at.gate(2) = n;
    at.gate(3) = o;
    return o * tanh(cell);
}

template <typename T>
__device__ inline typename element<T>::sum gru(const place<T> &at, typename element<T>::sum state)
{
    typedef typename element<T>::sum sum;
    sum r = sigmoid(at.gate(0) + at.recurrent(0) + at.biases(0));
    sum z = sigmoid(at.gate(1) + at.recurrent(1) + at.biases(1));
    sum inner = at.recurrent(2) + at.bias(at.g.recurrent_bias, 2);
    sum n = tanh(at.gate(2) + at.bias(at.g.input_bias, 2) + r * inner);
    at.gate(0) = r;
    at.gate(1) = z;
    at.gate(2) = n;
    at.recurrent(2) = inner;
    return (1 - z) * n + z * state;
}

template <typename T>
__device__ inline typename element<T>::sum cell(const place<T> &at, typename element<T>::sum state)
{
    typedef typename element<T>::sum sum;
    if (at.g.mode == RNN_LSTM)
        return lstm<T>(at);
    if (at.g.mode == RNN_GRU)
        return gru<T>(at, state);
    sum x = at.gate(0) + at.biases(0);
    return at.gate(0) = at.g.mode == RNN_TANH ? sum(tanh(x)) : x > 0 ? x : x != x ? x : sum(0);
}

template <typename T> __device__ inline void forward(const rnn_cell_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned long long i = (unsigned long long)blockIdx.x * RNN_THREADS + threadIdx.x;
    if (i >= (unsigned long long)g.rows * g.hidden)
        return;
    place<T> at(g, unsigned(i));
    bool there = at.j < g.width;
    sum state = there ? read<T>(g.state, at.in_state(), 0) : sum(0);
    sum result = cell<T>(at, state);
    if (there && g.old_state != nullptr)
        write<T>(g.old_state, at.in_state(), 0, 0, state);
    write<T>(g.output, at.b * g.output_row + at.j, 0, 0, result);
    if (!g.projected)
        write<T>(g.state, at.in_state(), 0, 0, result);
}

// ---- gradients of cells ---------------------------------------------------------------------------------------------

template <typename S> __device__ inline S of_sigmoid(S y) { return y * (1 - y); }
template <typename S> __device__ inline S of_tanh(S y) { return 1 - y * y; }

template <typename T> __device__ inline void lstm_back(const place<T> &at, typename element<T>::sum dh)
{
    typedef typename element<T>::sum sum;
    const rnn_cell_arguments &g = at.g;
    sum i = at.gate(0), f = at.gate(1), n = at.gate(2), o = at.gate(3);
    sum old = static_cast<const sum *>(g.old_cell)[at.in_cell()], whole = f * old + i * n;
    sum bent = tanh(clip(g, whole));
    sum &dc = static_cast<sum *>(g.cell)[at.in_cell()];
    sum d = dc + dh * o * of_tanh(bent);
    if (clip(g, whole) != whole)
        d = 0; // a clipped state does not depend on the gates
    at.gate(0) = d * n * of_sigmoid(i);
    at.gate(1) = d * old * of_sigmoid(f);
    at.gate(2) = d * i * of_tanh(n);
    at.gate(3) = dh * bent * of_sigmoid(o);
    dc = d * f;
}

// Leaves the part of the state's gradient that goes around the products.
template <typename T> __device__ inline void gru_back(const place<T> &at, typename element<T>::sum dh)
{
    typedef typename element<T>::sum sum;
    const rnn_cell_arguments &g = at.g;
    sum r = at.gate(0), z = at.gate(1), n = at.gate(2), inner = at.recurrent(2);
    sum old = read<T>(g.old_state, at.in_state(), 0);
    sum dn = dh * (1 - z) * of_tanh(n);
    at.gate(0) = at.recurrent(0) = dn * inner * of_sigmoid(r);
    at.gate(1) = at.recurrent(1) = dh * (old - n) * of_sigmoid(z);
    at.gate(2) = dn;
    at.recurrent(2) = dn * r;
    static_cast<sum *>(g.state_gradient)[at.in_state()] = dh * z;
}

template <typename T> __device__ inline void backward(const rnn_cell_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned long long i = (unsigned long long)blockIdx.x * RNN_THREADS + threadIdx.x;
    if (i >= (unsigned long long)g.rows * g.hidden)
        return;
    place<T> at(g, unsigned(i));
    sum dh = static_cast<const sum *>(g.gradient)[at.b * g.gradient_row + at.j];
    if (!g.projected)
        dh += static_cast<const sum *>(g.state_gradient)[at.in_state()];
    if (g.mode == RNN_LSTM)
        return lstm_back<T>(at, dh);
    if (g.mode == RNN_GRU)
        return gru_back<T>(at, dh);
    sum y = at.gate(0);
    at.gate(0) = g.mode == RNN_TANH ? dh * of_tanh(y) : y > 0 ? dh : sum(0);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

template <typename T> __device__ inline void move(const rnn_move_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned long long i = (unsigned long long)blockIdx.x * RNN_THREADS + threadIdx.x;
    if (i >= (unsigned long long)g.rows * g.width)
        return;
    unsigned row = unsigned(i / g.width), column = unsigned(i % g.width);
    long long from = g.from_rows != nullptr ? g.from_rows[row] : row, to = g.to_rows != nullptr ? g.to_rows[row] : row;
    sum x = g.from != nullptr ? read<T>(g.from, from * g.from_row + column, g.wide_from) : sum(0);
    write<T>(g.to, to * g.to_row + column, g.wide_to, g.add, x);
}

// A block sums 32 columns, each with 8 threads.
template <typename T> __device__ inline void bias(const rnn_bias_arguments &g)
{
    typedef typename element<T>::sum sum;
    constexpr unsigned lanes = RNN_THREADS / RNN_BIAS_COLUMNS;
    __shared__ sum parts[lanes][RNN_BIAS_COLUMNS];
    unsigned lane = threadIdx.x / RNN_BIAS_COLUMNS, column = threadIdx.x % RNN_BIAS_COLUMNS;
    unsigned q = blockIdx.x * RNN_BIAS_COLUMNS + column;
    sum own = 0;
    for (unsigned row = lane; row < g.rows && q < g.columns; row += lanes)
        own += static_cast<const sum *>(g.gates)[(long long)row * g.columns + q];
    parts[lane][column] = own;
    __syncthreads();
    if (lane > 0 || q >= g.columns)
        return;
    for (unsigned other = 1; other < lanes; other++)
        own += parts[other][column];
    write<T>(g.bias, q, 0, g.add, own);
}

template <typename T> __device__ inline void fill(const rnn_fill_arguments &g)
{
    unsigned long long i = (unsigned long long)blockIdx.x * RNN_THREADS + threadIdx.x;
    if (i < g.count)
        write<T>(g.to, (long long)i, 0, 0, typename element<T>::sum(g.value));
}

} // namespace

#define KERNEL(name, arguments, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(RNN_THREADS) subcore_rnn_##name(const __grid_constant__ arguments g)  \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(product_##name, rnn_product_arguments, product<type>)                                                       \
    KERNEL(forward_##name, rnn_cell_arguments, forward<type>)                                                          \
    KERNEL(backward_##name, rnn_cell_arguments, backward<type>)                                                        \
    KERNEL(move_##name, rnn_move_arguments, move<type>)                                                                \
    KERNEL(bias_##name, rnn_bias_arguments, bias<type>)                                                                \
    KERNEL(fill_##name, rnn_fill_arguments, fill<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(f16, __half)
OF_TYPE(bf16, __nv_bfloat16)
