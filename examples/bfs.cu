// bfs: one level of a breadth-first search over a graph in CSR form: every vertex of the frontier looks at
// its neighbours, and those not reached before get the next level and form the next frontier, in any order.
// One thread per frontier vertex. The host launches level by level until a frontier is empty.
// Shows: divergent loops (degrees differ), scattered loads, atomics with a result (CAS and add).
extern "C" __global__ void
bfs_level(const unsigned *__restrict__ row, const unsigned *__restrict__ col, int *level,
          const unsigned *__restrict__ frontier, unsigned frontier_size, unsigned *next, unsigned *next_size,
          int next_level)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= frontier_size)
        return;
    unsigned vertex = frontier[i];
    for (unsigned e = row[vertex]; e < row[vertex + 1]; e++) {
        unsigned neighbour = col[e];
        if (level[neighbour] < 0 && atomicCAS(&level[neighbour], -1, next_level) == -1)
            next[atomicAdd(next_size, 1u)] = neighbour;
    }
}
