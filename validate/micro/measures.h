/* The measurements; list.c makes the table of them. */
#ifndef SUBCORE_MEASURE_MEASURES_H
#define SUBCORE_MEASURE_MEASURES_H

#include "measure.h"

extern const struct measure measure_chase, measure_constant, measure_far, measure_stride, measure_bandwidth,
    measure_little, measure_banks, measure_atomics, measure_slices, measure_tlb, measure_fences, measure_latency,
    measure_throughput, measure_length, measure_double, measure_mma, measure_barrier, measure_occupancy, measure_loops,
    measure_pipes, measure_warps, measure_rewrite, measure_l2_warps, measure_launch, measure_icache, measure_engine,
    measure_cluster, measure_wgmma;

#endif
