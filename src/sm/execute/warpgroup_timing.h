/* Times of a warpgroup's product (wgmma) by the type of its operands, its columns, and where A is.
 *
 * One of 64 x N, with 32 bytes of each A row, takes N / 2 cycles, whatever the type, on H800 and H100 (Luo et al.,
 * 2025, N from 64 on), and not less than its operands need to come from shared memory: 2 KiB of A, unless registers
 * have it, and 32 bytes of each B column, in a sparse product 64. Operands that come late do not delay the result: on
 * an H200 a product alone takes 53.6 + N / 2 cycles for N = 8 to 128, and 43.6 + N / 2 with A in registers. */
#ifndef SUBCORE_SM_WARPGROUP_TIMING_H
#define SUBCORE_SM_WARPGROUP_TIMING_H

#include <stdint.h>

#include "config/config.h"
#include "isa/isa.h"

struct warpgroup_timing {
    uint32_t interval; /* cycles for which it holds the tensor cores of all sub-cores */
    uint32_t port;     /* of these, cycles for which it reads shared memory */
    uint32_t latency;  /* from its begin until its group is complete, when nothing is in its way */
};

/* HGMMA, QGMMA, IGMMA, BGMMA. */
struct warpgroup_timing warpgroup_timing(const struct isa_inst *inst, const struct config_core *config);

#endif
