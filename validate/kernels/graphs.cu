// Steps of algorithms on graphs in compressed rows.

constexpr unsigned THREADS = 256, ROOM = 1024;

// A level of a breadth-first search, a thread for each vertex of the frontier. The finds of a CTA are collected in
// shared memory and written in one piece. A find without room there is written alone.
extern "C" __global__ void bfs_frontier(const unsigned *__restrict__ row, const unsigned *__restrict__ to, int *level,
                                        const unsigned *__restrict__ frontier, unsigned *next, unsigned *next_size,
                                        unsigned size, int depth)
{
    __shared__ unsigned found[ROOM], count, base;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < size) {
        const unsigned v = frontier[i], end = row[v + 1];
        for (unsigned e = row[v]; e < end; e++) {
            const unsigned w = to[e];
            if (level[w] >= 0 || atomicCAS(&level[w], -1, depth) != -1)
                continue;
            const unsigned place = atomicAdd(&count, 1u);
            if (place < ROOM)
                found[place] = w;
            else
                next[atomicAdd(next_size, 1u)] = w;
        }
    }
    __syncthreads();
    const unsigned all = min(count, ROOM);
    if (threadIdx.x == 0)
        base = atomicAdd(next_size, all);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < all; k += THREADS)
        next[base + k] = found[k];
}

// A step of PageRank that pulls: `share` has of each vertex its rank divided by its degree. A thread for each vertex.
extern "C" __global__ void pagerank_thread(const unsigned *__restrict__ row, const unsigned *__restrict__ to,
                                           const float *__restrict__ share, float *rank, unsigned vertices,
                                           float damping)
{
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= vertices)
        return;
    const unsigned end = row[v + 1];
    float sum = 0.0f;
    for (unsigned e = row[v]; e < end; e++)
        sum += share[to[e]];
    rank[v] = (1.0f - damping) + damping * sum;
}

// The same with a warp for each vertex.
extern "C" __global__ void pagerank_warp(const unsigned *__restrict__ row, const unsigned *__restrict__ to,
                                         const float *__restrict__ share, float *rank, unsigned vertices, float damping)
{
    const unsigned v = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= vertices)
        return;
    const unsigned end = row[v + 1];
    float sum = 0.0f;
    for (unsigned e = row[v] + lane; e < end; e += 32)
        sum += share[to[e]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0)
        rank[v] = (1.0f - damping) + damping * sum;
}
