// Features of multi-file programs and code for debuggers: calls of functions in another file, by name, recursively,
// through pointers and virtual tables, a jump table, barriers, votes of two thread groups, and printf. Each kernel
// writes `out`; tests/exec/linked.c has the expected values. Made by
//   for a in 75 80 90 100 120; do
//     make_one linked $a ""
//     make_one debug $a "-G -Xptxas -suppress-debug-info"
//   done
// where make_one is
//   for f in linked linked_functions; do nvcc -rdc=true $3 -arch=sm_$2 -cubin -o $f.part.cubin $f.cu; done
//   nvlink -arch=sm_$2 linked.part.cubin linked_functions.part.cubin -o cubin/$1.sm_$2.cubin
#include <cstdio>

#include "linked_functions.cuh"

extern "C" __global__ void calls_of_functions(int *out, int n)
{
    int t = threadIdx.x;
    shape plain(n);
    square flat(n + 1);
    shape *const all[2] = {&plain, &flat};
    out[t] = all[t % 2]->area(t) + 1000 * functions[t % 3](t) + by_table(t, n);
    out[128 + t] = ackermann(t % 3, n + t % 4);
}

extern "C" __global__ void threads_together(int *out, int n)
{
    int t = threadIdx.x;
    unsigned mask = t % 2 ? 0xaaaaaaaau : 0x55555555u;
    int above = __popc(__ballot_sync(mask, t % 32 > n)), next = __shfl_xor_sync(mask, t, 2);
    __syncwarp(mask);
    out[t] = sum_of_cta(t * n) * 10000 + next * 100 + above;
    if (t == n)
        printf("thread %d of %s: %.2f\n", t, "linked", 0.125 * t);
}
