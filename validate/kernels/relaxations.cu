// Rounds of algorithms on graphs that take minima with atomics, from one array to another: the order of a round's edges
// does not matter.

constexpr unsigned THREADS = 256;

// A round of Bellman and Ford: from the distances in one array to those in another, which are not below.
extern "C" __global__ void sssp_relax(const unsigned *__restrict__ row, const unsigned *__restrict__ to,
                                      const unsigned *__restrict__ weight, const unsigned *__restrict__ from,
                                      unsigned *distance, unsigned vertices)
{
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= vertices || from[v] == 0xffffffffu)
        return;
    const unsigned own = from[v], end = row[v + 1];
    atomicMin(&distance[v], own);
    for (unsigned e = row[v]; e < end; e++) {
        const unsigned through = own + weight[e], w = to[e];
        if (through < from[w])
            atomicMin(&distance[w], through);
    }
}

// A round of label propagation, a thread for each edge: both ends take the smaller label.
extern "C" __global__ void components_hook(const unsigned *__restrict__ tail, const unsigned *__restrict__ head,
                                           const unsigned *__restrict__ label, unsigned *next, unsigned edges)
{
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e >= edges)
        return;
    const unsigned a = tail[e], b = head[e], of_a = label[a], of_b = label[b];
    if (of_a < of_b)
        atomicMin(&next[b], of_a);
    else if (of_b < of_a)
        atomicMin(&next[a], of_b);
}

// Each vertex takes the label of its label.
extern "C" __global__ void components_jump(const unsigned *__restrict__ label, unsigned *next, unsigned vertices)
{
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v < vertices)
        next[v] = label[label[v]];
}
