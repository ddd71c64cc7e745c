#include "measures.h"

const struct measure *const *measure_list(size_t *count)
{
    static const struct measure *const all[] = {
        &measure_chase, &measure_constant,  &measure_far,    &measure_slices,  &measure_tlb,    &measure_stride,
        &measure_banks, &measure_bandwidth, &measure_little, &measure_atomics, &measure_fences,
    };
    *count = sizeof all / sizeof all[0];
    return all;
}
