/* Address calculation of a sub-core's memory unit: how long an instruction takes from issue to the shared part, how far
 * apart two can follow, and when the registers that it reads are free again. */
#ifndef SUBCORE_SM_ADDRESS_UNIT_H
#define SUBCORE_SM_ADDRESS_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/memory/pending_table.h"

static inline bool access_vector(const struct access *a) { return a->code->flags & CODE_VECTOR_ADDRESS; }
static inline bool access_global(const struct access *a)
{
    return a->space == ISA_SPACE_GLOBAL || a->space == ISA_SPACE_LOCAL;
}

/* Cycles from issue to the shared part, nothing in the way. A load's sources are free when it leaves (MICRO 2025 paper,
 * table 2, WAR): 9 with a uniform address, for shared memory too, whose address arithmetic is done in the shared part;
 * 11 with 64-bit per-lane addresses. */
static inline uint32_t address_way(const struct config_lsu *c, const struct access *a)
{
    return access_global(a) && access_vector(a) ? c->to_shared_part_vector : c->to_shared_part;
}

/* Least cycles between two that leave a sub-core. 64-bit per-lane addresses: 4 (table 1; the paper's text), of which
 * the artifact says 32 lanes over 8 units. Others: 2 (an A100 streams LDS at 2 cycles from one sub-core). */
static inline uint32_t address_step(const struct config_lsu *c, const struct access *a)
{
    return access_global(a) && access_vector(a) ? c->address_vector : c->address_scalar;
}

/* Stores, reductions and atomics send data with their addresses. */
static inline bool access_sends_data(const struct access *a)
{
    return a->code->memory == ISA_MEM_STORE || a->code->memory == ISA_MEM_ATOMIC ||
           a->code->memory == ISA_MEM_REDUCTION;
}

/* Cycles from issue to the first cycle in which the data are read, and how many it takes: 64 bytes a cycle. Table 2,
 * WAR of stores: 8 + (0 with a uniform address, 4 per-lane global, 2 per-lane shared) + bytes / 64. */
static inline uint32_t store_data_start(const struct config_lsu *c, const struct access *a)
{
    return c->store_read + (!access_vector(a) ? 0u : access_global(a) ? 4u : 2u);
}
static inline uint32_t store_data_cycles(const struct config_lsu *c, const struct access *a)
{
    return (a->bytes + c->store_bytes - 1) / c->store_bytes;
}

/* Cycle from which the source registers of an instruction that leaves at `now` may be overwritten (table 2, WAR). */
uint64_t address_sources_read(const struct config_lsu *c, const struct access *a, uint64_t now);

#endif
