// Spatial transformers: grids of affine maps, and bilinear samples at the places of a grid. The corners of an image lie
// at -1 and 1, and zeros lie around it. Sums are in FP32, of FP64 tensors in FP64.
#include "arguments.h"
#include "element.cuh"
#include "spatial_arguments.h"

namespace {

template <typename T> __device__ inline typename element<T>::sum read(const void *at, long long i)
{
    return element<T>::widened(static_cast<const T *>(at)[i]);
}

template <typename T>
__device__ inline void blend(void *at, long long i, typename element<T>::sum x, double alpha, double beta)
{
    typedef typename element<T>::sum sum;
    sum scaled = sum(alpha) * x;
    static_cast<T *>(at)[i] = element<T>::narrowed(beta == 0 ? scaled : scaled + sum(beta) * read<T>(at, i));
}

__device__ inline unsigned long long thread() { return (unsigned long long)blockIdx.x * DNN_THREADS + threadIdx.x; }

// ---- affine grids ---------------------------------------------------------------------------------------------------

// Position i of n, from -1 to 1.
template <typename S> __device__ inline S coordinate(unsigned i, unsigned n)
{
    return n > 1 ? S(2) * i / (n - 1) - 1 : S(0);
}

template <typename T> __device__ inline void affine(const affine_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned long long i = thread();
    if (i >= (unsigned long long)g.images * g.height * g.width)
        return;
    sum x = coordinate<sum>(unsigned(i % g.width), g.width);
    sum y = coordinate<sum>(unsigned(i / g.width % g.height), g.height);
    long long image = (long long)(i / g.width / g.height);
    for (int axis = 0; axis < 2; axis++) {
        long long row = image * 6 + axis * 3;
        static_cast<T *>(g.grid)[2 * i + axis] =
            element<T>::narrowed(read<T>(g.theta, row) * x + read<T>(g.theta, row + 1) * y + read<T>(g.theta, row + 2));
    }
}

// A block sums one of the six gradients of an image.
template <typename T> __device__ inline void affine_gradient(const affine_arguments &g)
{
    typedef typename element<T>::sum sum;
    __shared__ sum parts[DNN_THREADS];
    unsigned image = blockIdx.x / 6, axis = blockIdx.x % 6 / 3, factor = blockIdx.x % 3;
    sum own = 0;
    for (unsigned i = threadIdx.x; i < g.height * g.width; i += DNN_THREADS) {
        sum d = read<T>(g.grid, ((long long)image * g.height * g.width + i) * 2 + axis);
        own += factor == 0   ? d * coordinate<sum>(i % g.width, g.width)
               : factor == 1 ? d * coordinate<sum>(i / g.width, g.height)
                             : d;
    }
    parts[threadIdx.x] = own;
    for (unsigned step = DNN_THREADS / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        static_cast<T *>(g.theta)[blockIdx.x] = element<T>::narrowed(parts[0]);
}

// ---- samples --------------------------------------------------------------------------------------------------------

// A place of the grid, as distances from the first element of the input.
template <typename S> struct spot {
    S x, y;
};

template <typename T>
__device__ inline spot<typename element<T>::sum> spot_of(const sampler_arguments &g, unsigned image, unsigned position)
{
    typedef typename element<T>::sum sum;
    long long at = 2 * ((long long)image * g.y.sizes[3] * g.y.sizes[4] + position);
    return {(read<T>(g.grid, at) + 1) / 2 * sum(g.x.sizes[4] - 1),
            (read<T>(g.grid, at + 1) + 1) / 2 * sum(g.x.sizes[3] - 1)};
}

__device__ inline long long offset(const dnn_tensor &t, unsigned image, unsigned channel, unsigned y, unsigned x)
{
    return image * t.steps[0] + channel * t.steps[1] + y * t.steps[3] + x * t.steps[4];
}

// Element (x, y) of the input, or zero around it.
template <typename T>
__device__ inline typename element<T>::sum input(const dnn_tensor &t, unsigned image, unsigned channel, long long y,
                                                 long long x)
{
    typedef typename element<T>::sum sum;
    bool inside = y >= 0 && y < t.sizes[3] && x >= 0 && x < t.sizes[4];
    return inside ? read<T>(t.data, offset(t, image, channel, unsigned(y), unsigned(x))) : sum(0);
}

// Whether a place has neighbours in the input. A place that is no number has none.
template <typename S> __device__ inline bool near(const dnn_tensor &t, const spot<S> &s)
{
    return s.x >= -1 && s.y >= -1 && s.x < S(t.sizes[4]) && s.y < S(t.sizes[3]);
}

template <typename T> __device__ inline void sample(const sampler_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned long long i = thread();
    unsigned positions = g.y.sizes[3] * g.y.sizes[4];
    if (i >= (unsigned long long)g.y.sizes[0] * g.y.sizes[1] * positions)
        return;
    unsigned position = unsigned(i % positions), channel = unsigned(i / positions % g.y.sizes[1]);
    unsigned image = unsigned(i / positions / g.y.sizes[1]);
    spot<sum> s = spot_of<T>(g, image, position);
    sum result = 0;
    if (near(g.x, s)) {
        long long x = (long long)floor(s.x), y = (long long)floor(s.y);
        sum right = s.x - sum(x), below = s.y - sum(y);
        result = (input<T>(g.x, image, channel, y, x) * (1 - right) + input<T>(g.x, image, channel, y, x + 1) * right) *
                     (1 - below) +
                 (input<T>(g.x, image, channel, y + 1, x) * (1 - right) +
                  input<T>(g.x, image, channel, y + 1, x + 1) * right) *
                     below;
    }
    blend<T>(g.y.data, offset(g.y, image, channel, position / g.y.sizes[4], position % g.y.sizes[4]), result, g.alpha,
             g.beta);
}

// The gradient of a grid's place: a thread sums all channels.
template <typename T> __device__ inline void grid_gradient(const sampler_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned long long i = thread();
    unsigned positions = g.y.sizes[3] * g.y.sizes[4];
    if (i >= (unsigned long long)g.y.sizes[0] * positions)
        return;
    unsigned position = unsigned(i % positions), image = unsigned(i / positions);
    spot<sum> s = spot_of<T>(g, image, position);
    sum along = 0, down = 0;
    for (unsigned channel = 0; channel < g.y.sizes[1] && near(g.x, s); channel++) {
        long long x = (long long)floor(s.x), y = (long long)floor(s.y);
        sum right = s.x - sum(x), below = s.y - sum(y);
        sum v00 = input<T>(g.x, image, channel, y, x), v01 = input<T>(g.x, image, channel, y, x + 1);
        sum v10 = input<T>(g.x, image, channel, y + 1, x), v11 = input<T>(g.x, image, channel, y + 1, x + 1);
        sum dy = read<T>(g.y.data, offset(g.y, image, channel, position / g.y.sizes[4], position % g.y.sizes[4]));
        along += dy * ((v01 - v00) * (1 - below) + (v11 - v10) * below);
        down += dy * ((v10 - v00) * (1 - right) + (v11 - v01) * right);
    }
    blend<T>(g.dgrid, (long long)(2 * i), along * sum(g.x.sizes[4] - 1) / 2, g.grid_alpha, g.grid_beta);
    blend<T>(g.dgrid, (long long)(2 * i + 1), down * sum(g.x.sizes[3] - 1) / 2, g.grid_alpha, g.grid_beta);
}

// ---- the gradient of the input --------------------------------------------------------------------------------------

// Places of the grid that reach a tile of the input, in the order of the output.
template <typename S> struct found {
    unsigned warps[DNN_THREADS / 32]; // how many of a warp
    unsigned position[DNN_THREADS];
    spot<S> at[DNN_THREADS];
};

// Adds the thread's place to the list if it reaches the tile at (left, top). Returns the length of the list.
template <typename T>
__device__ inline unsigned collect(const sampler_arguments &g, found<typename element<T>::sum> &list, unsigned image,
                               unsigned position, int left, int top)
{
    typedef typename element<T>::sum sum;
    spot<sum> s = {-2, -2};
    if (position < g.y.sizes[3] * g.y.sizes[4])
        s = spot_of<T>(g, image, position);
    bool hit =
        s.x > sum(left - 1) && s.y > sum(top - 1) && s.x < sum(left + SPATIAL_TILE) && s.y < sum(top + SPATIAL_TILE);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, hits = __ballot_sync(~0u, hit);
    __syncthreads();   // the list of the round before is done with
    if (lane == 0)
        list.warps[warp] = __popc(hits);
    __syncthreads();
    unsigned place = __popc(hits & ((1u << lane) - 1)), total = 0;
    for (unsigned other = 0; other < DNN_THREADS / 32; other++) {
        place += other < warp ? list.warps[other] : 0;
        total += list.warps[other];
    }
    if (hit) {
        list.position[place] = position;
        list.at[place] = s;
    }
    __syncthreads();
    return total;
}

// A block has a tile of the input and some channels of an image, and a thread one element of the tile. It looks through
// all places of the grid: sums have the order of the output, without atomic additions.
template <typename T> __device__ inline void input_gradient(const sampler_arguments &g)
{
    typedef typename element<T>::sum sum;
    __shared__ found<sum> list;
    unsigned tiles = (g.x.sizes[4] + SPATIAL_TILE - 1) / SPATIAL_TILE, image = blockIdx.z;
    unsigned left = blockIdx.x % tiles * SPATIAL_TILE, top = blockIdx.x / tiles * SPATIAL_TILE;
    unsigned x = left + threadIdx.x % SPATIAL_TILE, y = top + threadIdx.x / SPATIAL_TILE;
    unsigned first = blockIdx.y * SPATIAL_CHANNELS, positions = g.y.sizes[3] * g.y.sizes[4];
    sum own[SPATIAL_CHANNELS] = {};
    for (unsigned from = 0; from < positions; from += DNN_THREADS) {
        unsigned count = collect<T>(g, list, image, from + threadIdx.x, int(left), int(top));
        for (unsigned i = 0; i < count; i++) {
            sum right = 1 - fabs(list.at[i].x - sum(x)), below = 1 - fabs(list.at[i].y - sum(y));
            unsigned row = list.position[i] / g.y.sizes[4], column = list.position[i] % g.y.sizes[4];
            if (right <= 0 || below <= 0)
                continue;
            for (unsigned c = 0; c < SPATIAL_CHANNELS && first + c < g.y.sizes[1]; c++)
                own[c] += right * below * read<T>(g.y.data, offset(g.y, image, first + c, row, column));
        }
    }
    for (unsigned c = 0; c < SPATIAL_CHANNELS; c++)
        if (x < g.x.sizes[4] && y < g.x.sizes[3] && first + c < g.y.sizes[1])
            blend<T>(g.dx.data, offset(g.dx, image, first + c, y, x), own[c], g.alpha, g.beta);
}

}   // namespace

#define KERNEL(name, arguments, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(DNN_THREADS)                                                          \
        subcore_spatial_##name(const __grid_constant__ arguments g)                                                    \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(affine_##name, affine_arguments, affine<type>)                                                              \
    KERNEL(affine_gradient_##name, affine_arguments, affine_gradient<type>)                                            \
    KERNEL(sample_##name, sampler_arguments, sample<type>)                                                             \
    KERNEL(grid_gradient_##name, sampler_arguments, grid_gradient<type>)                                               \
    KERNEL(input_gradient_##name, sampler_arguments, input_gradient<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(f16, __half)
OF_TYPE(bf16, __nv_bfloat16)
