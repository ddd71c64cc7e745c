/* The workloads; list.c makes the table of them. */
#ifndef SUBCORE_VALIDATE_KERNELS_WORKLOADS_H
#define SUBCORE_VALIDATE_KERNELS_WORKLOADS_H

#include "workload.h"

extern const struct workload workload_asian_option;
extern const struct workload workload_attention;
extern const struct workload workload_backprop;
extern const struct workload workload_batch_reduce;
extern const struct workload workload_batched_gemm;
extern const struct workload workload_bfs;
extern const struct workload workload_binary_search;
extern const struct workload workload_black_scholes;
extern const struct workload workload_btree;
extern const struct workload workload_cell_forces;
extern const struct workload workload_cholesky;
extern const struct workload workload_cluster_histogram;
extern const struct workload workload_cluster_sum;
extern const struct workload workload_components;
extern const struct workload workload_convolution;
extern const struct workload workload_depthwise;
extern const struct workload workload_dgemm;
extern const struct workload workload_elementwise;
extern const struct workload workload_embedding;
extern const struct workload workload_fft;
extern const struct workload workload_gemv;
extern const struct workload workload_hash_table;
extern const struct workload workload_histogram;
extern const struct workload workload_hotspot;
extern const struct workload workload_jacobi_fp64;
extern const struct workload workload_kmeans;
extern const struct workload workload_layer_norm;
extern const struct workload workload_life;
extern const struct workload workload_lu;
extern const struct workload workload_mandelbrot;
extern const struct workload workload_move_particles;
extern const struct workload workload_nbody;
extern const struct workload workload_nearest;
extern const struct workload workload_nearest_four;
extern const struct workload workload_needle;
extern const struct workload workload_pagerank;
extern const struct workload workload_pathfinder;
extern const struct workload workload_pi;
extern const struct workload workload_reduce;
extern const struct workload workload_reduce_segments;
extern const struct workload workload_scan;
extern const struct workload workload_scan_lookback;
extern const struct workload workload_sgemm;
extern const struct workload workload_sha256;
extern const struct workload workload_sieve;
extern const struct workload workload_softmax;
extern const struct workload workload_sort_bitonic;
extern const struct workload workload_sort_radix;
extern const struct workload workload_spheres;
extern const struct workload workload_spmv;
extern const struct workload workload_srad;
extern const struct workload workload_sssp;
extern const struct workload workload_stencil_2d;
extern const struct workload workload_stencil_3d;
extern const struct workload workload_stream;
extern const struct workload workload_string_match;
extern const struct workload workload_tensor;
extern const struct workload workload_tensor_async;
extern const struct workload workload_transpose;
extern const struct workload workload_warpgroups;
extern const struct workload workload_warpgroups_cluster;
extern const struct workload workload_wave;

#endif
