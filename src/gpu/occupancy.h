/* How many CTAs an SM holds: the rules of NVIDIA's occupancy calculator, checked by published profiler output. */
#ifndef SUBCORE_GPU_OCCUPANCY_H
#define SUBCORE_GPU_OCCUPANCY_H

#include "config/config.h"
#include "probe/result.h"

/* Fills *out; ctas_per_sm is 0 when not even one CTA fits. `shared_bytes` is static and dynamic shared memory of a
 * CTA without the system's reserve. */
void occupancy_compute(const struct config *config, uint32_t registers, uint32_t threads, uint32_t shared_bytes,
                       struct occupancy *out);

/* The smallest carve-out of the unified array that has so many bytes of shared memory. The largest when none has. */
uint32_t occupancy_carveout(const struct config *config, uint32_t needed);

/* Returns how many CTAs the GPU holds at once that are placed in groups, each within a GPC. */
uint64_t occupancy_resident(const struct config *config, uint32_t ctas_per_sm, uint32_t group);

#endif
