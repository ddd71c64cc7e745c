#include "measures.h"

const struct measure *const *measure_list(size_t *count)
{
    static const struct measure *const all[] = {
        &measure_latency,   &measure_throughput, &measure_length,   &measure_loops,  &measure_double,
        &measure_pipes,     &measure_warps,      &measure_mma,      &measure_wgmma,  &measure_barrier,
        &measure_occupancy, &measure_rewrite,    &measure_l2_warps, &measure_chase,  &measure_constant,
        &measure_far,       &measure_slices,     &measure_tlb,      &measure_stride, &measure_banks,
        &measure_bandwidth, &measure_little,     &measure_atomics,  &measure_fences, &measure_launch,
        &measure_icache,    &measure_engine,     &measure_cluster,
    };
    *count = sizeof all / sizeof all[0];
    return all;
}
