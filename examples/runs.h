/* The run functions of the examples, one group for each module; list.c makes the table of them. */
#ifndef SUBCORE_EXAMPLES_RUNS_H
#define SUBCORE_EXAMPLES_RUNS_H

#include "example.h"

struct example_result run_vecadd(const struct example_device *device);
struct example_result run_saxpy(const struct example_device *device);
struct example_result run_reduce_shuffle(const struct example_device *device);
struct example_result run_reduce_shared(const struct example_device *device);
struct example_result run_transpose_naive(const struct example_device *device);
struct example_result run_transpose_conflict(const struct example_device *device);
struct example_result run_transpose_padded(const struct example_device *device);
struct example_result run_sgemm_naive(const struct example_device *device);
struct example_result run_sgemm_tiled(const struct example_device *device);
struct example_result run_sgemm_register(const struct example_device *device);
struct example_result run_histogram_shared(const struct example_device *device);
struct example_result run_histogram_global(const struct example_device *device);
struct example_result run_stencil(const struct example_device *device);
struct example_result run_bfs(const struct example_device *device);
struct example_result run_softmax(const struct example_device *device);
struct example_result run_spmv_scalar(const struct example_device *device);
struct example_result run_spmv_vector(const struct example_device *device);
struct example_result run_scan(const struct example_device *device);
struct example_result run_nbody(const struct example_device *device);
struct example_result run_hgemm(const struct example_device *device);
struct example_result run_tf32gemm(const struct example_device *device);
struct example_result run_wgmma(const struct example_device *device);
struct example_result run_wgmma_cluster(const struct example_device *device);
struct example_result run_umma(const struct example_device *device);
struct example_result run_umma_pair(const struct example_device *device);
struct example_result run_cluster_histogram(const struct example_device *device);
struct example_result run_cluster_sum(const struct example_device *device);
struct example_result run_flops(const struct example_device *device);
struct example_result run_straight(const struct example_device *device);

#endif
