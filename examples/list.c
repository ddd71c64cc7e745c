#include "example.h"
#include "runs.h"

static const struct example examples[] = {
    {"vecadd", "vecadd", "vector addition: coalesced loads and stores", run_vecadd},
    {"saxpy", "saxpy", "y = alpha * x + y in a grid-stride loop", run_saxpy},
    {"reduce-shuffle", "reduce", "sum by warp shuffles, one barrier a block", run_reduce_shuffle},
    {"reduce-shared", "reduce", "sum by a tree in shared memory, a barrier a step", run_reduce_shared},
    {"transpose-naive", "transpose", "matrix transpose with uncoalesced stores", run_transpose_naive},
    {"transpose-conflict", "transpose", "transpose through shared memory, 32-way bank conflicts",
     run_transpose_conflict},
    {"transpose-padded", "transpose", "the same with padded rows: no conflicts", run_transpose_padded},
    {"sgemm-naive", "sgemm", "FP32 matrix product, operands from global memory", run_sgemm_naive},
    {"sgemm-tiled", "sgemm", "FP32 matrix product, 16 x 16 tiles in shared memory", run_sgemm_tiled},
    {"sgemm-register", "sgemm", "FP32 matrix product 512 x 512 x 512, register-blocked", run_sgemm_register},
    {"histogram-shared", "histogram", "byte histogram with shared-memory atomics", run_histogram_shared},
    {"histogram-global", "histogram", "byte histogram with global atomics", run_histogram_global},
    {"stencil", "stencil", "two steps of a 2-D 5-point stencil", run_stencil},
    {"bfs", "bfs", "breadth-first search, a launch a level: divergence and atomics", run_bfs},
    {"softmax", "softmax", "softmax of rows, a warp a row: shuffles and exponentials", run_softmax},
    {"spmv-scalar", "spmv", "sparse matrix times vector, a thread a row", run_spmv_scalar},
    {"spmv-vector", "spmv", "sparse matrix times vector, a warp a row", run_spmv_vector},
    {"scan", "scan", "prefix sums in three launches", run_scan},
    {"nbody", "nbody", "all-pairs gravity: FFMA and reciprocal square roots", run_nbody},
    {"hgemm", "hgemm", "FP16 matrix product on tensor cores, cp.async double buffering", run_hgemm},
    {"tf32gemm", "hgemm", "TF32 matrix product on tensor cores, cp.async double buffering", run_tf32gemm},
    {"flops", "flops", "chains of FFMA with three registers each: register read ports", run_flops},
    {"straight", "straight", "polynomials without a loop, 12 KiB of code: instruction fetch", run_straight},
};

const struct example *example_list(size_t *count)
{
    *count = sizeof examples / sizeof examples[0];
    return examples;
}

/* In the order in which subcore demo --list prints them, behind the others. */
static const struct example of_hopper[] = {
    {"wgmma", "wgmma", "FP16 product of warpgroups: TMA, a producer and two consumers", run_wgmma},
    {"wgmma-cluster", "wgmma", "the same in clusters of two, with multicast copies", run_wgmma_cluster},
    {"cluster-histogram", "cluster", "histogram over the shared memory of eight CTAs", run_cluster_histogram},
    {"cluster-sum", "cluster", "sums over clusters of eight CTAs", run_cluster_sum},
};

const struct example *example_list_hopper(size_t *count)
{
    *count = sizeof of_hopper / sizeof of_hopper[0];
    return of_hopper;
}

static const struct example of_blackwell[] = {
    {"umma", "umma", "FP16 product by tcgen05: TMA, tensor memory, commits to mbarriers", run_umma},
    {"umma-pair", "umma", "the same by pairs of CTAs", run_umma_pair},
};

const struct example *example_list_blackwell(size_t *count)
{
    *count = sizeof of_blackwell / sizeof of_blackwell[0];
    return of_blackwell;
}
