#include "workloads.h"

const struct workload *const *workload_list(size_t *count)
{
    static const struct workload *const all[] = {
        &workload_asian_option,
        &workload_attention,
        &workload_backprop,
        &workload_batch_reduce,
        &workload_batched_gemm,
        &workload_bfs,
        &workload_binary_search,
        &workload_black_scholes,
        &workload_btree,
        &workload_cell_forces,
        &workload_cholesky,
        &workload_cluster_histogram,
        &workload_cluster_sum,
        &workload_components,
        &workload_convolution,
        &workload_depthwise,
        &workload_dgemm,
        &workload_elementwise,
        &workload_embedding,
        &workload_fft,
        &workload_gemv,
        &workload_hash_table,
        &workload_histogram,
        &workload_hotspot,
        &workload_jacobi_fp64,
        &workload_kmeans,
        &workload_layer_norm,
        &workload_life,
        &workload_lu,
        &workload_mandelbrot,
        &workload_move_particles,
        &workload_nbody,
        &workload_nearest,
        &workload_nearest_four,
        &workload_needle,
        &workload_pagerank,
        &workload_pathfinder,
        &workload_pi,
        &workload_reduce,
        &workload_reduce_segments,
        &workload_scan,
        &workload_scan_lookback,
        &workload_sgemm,
        &workload_sha256,
        &workload_sieve,
        &workload_softmax,
        &workload_sort_bitonic,
        &workload_sort_radix,
        &workload_spheres,
        &workload_spmv,
        &workload_srad,
        &workload_sssp,
        &workload_stencil_2d,
        &workload_stencil_3d,
        &workload_stream,
        &workload_string_match,
        &workload_tensor,
        &workload_tensor_async,
        &workload_transpose,
        &workload_warpgroups,
        &workload_warpgroups_cluster,
        &workload_wave,
    };
    *count = sizeof all / sizeof all[0];
    return all;
}

bool workload_fits(const struct workload *workload, unsigned architecture)
{
    return architecture >= workload->arch && (!workload->last || architecture <= workload->last);
}

const char *workload_size_name(enum workload_size size)
{
    static const char *const name[WORKLOAD_SIZES] = {"small", "medium", "full"};
    return name[size];
}

uint32_t workload_pick(const struct workload_scale *scale, uint32_t small, uint32_t medium, uint32_t full)
{
    return scale->size == SIZE_SMALL ? small : scale->size == SIZE_MEDIUM ? medium : full;
}
