/* The banks of the unified data array, which one instruction holds for all its passes: shared memory, and the data
 * stage of the L1 (a pass a cycle for both together: profiler counts of an RTX 5090, cicuvc/nvidia-sass-document). */
#ifndef SUBCORE_SM_SHARED_MEMORY_H
#define SUBCORE_SM_SHARED_MEMORY_H

#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/memory/delivery.h"
#include "sm/memory/pending_table.h"
#include "sm/memory/shared_model.h"

struct shared_memory {
    struct shared_memory_ports {
        const struct delivery *delivery;
        const struct config_shared *config;
        const struct config_lsu *lsu;
        struct sm_counters *n;
    } to;
    uint64_t free; /* cycle from which the banks take the next instruction */
};

/* Cycle from which an instruction can be accepted. */
static inline uint64_t shared_memory_free(const struct shared_memory *s) { return s->free; }

/* The banks are held for so many cycles from `from` on, or from when they are free. Returns the first of them. */
static inline uint64_t shared_memory_take(struct shared_memory *s, uint64_t from, uint32_t cycles)
{
    uint64_t start = s->free > from ? s->free : from;
    s->free = cycles ? start + cycles : s->free;
    return start;
}

/* How the lanes of an instruction that moves so many bytes each share words. Lanes that operate on one barrier
 * object do so one after the other; lanes that test one do it together. */
enum bank_use shared_memory_use(const struct code *code, unsigned bytes);

/* Accepted at `now`, when the banks are free. Data without conflict are there after a fixed time, each further pass
 * delays them: 22 + 2 (ways - 1) cycles on TU102, 25 for an atomic. */
void shared_memory_access(struct shared_memory *s, uint16_t token, uint64_t now);

/* The same of an operation on barrier objects (sm/memory/mbarrier_unit.h), which holds the banks for one pass. Returns
 * the cycle at which a single lane's result would be ready for the return path if it took as long as a load. */
uint64_t shared_memory_object(struct shared_memory *s, const struct access *a, uint64_t now);

/* A shuffle, or S2R of SR_TID, holds the banks for one pass (profiler counts on an H200: a wavefront
 * for each, none for SR_CTAID). */
void shared_memory_lanes(struct shared_memory *s, uint64_t now);

/* Counts an access of the legacy core and its passes. */
void shared_memory_count(struct sm_counters *n, const struct access *a);

/* Data of a copy from global memory are written from the first free cycle on. Returns the first cycle after it. */
uint64_t shared_memory_copy(struct shared_memory *s, const struct access *a, uint64_t now);

#endif
