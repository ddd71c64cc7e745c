/* Counters and stall reasons as structs and names; nothing here knows who counts or who prints. */
#ifndef SUBCORE_PROBE_COUNTERS_H
#define SUBCORE_PROBE_COUNTERS_H

#include <stdint.h>

#include "isa/isa.h"
#include "probe/counters.def"
#include "probe/stalls.def"

enum stall_reason {
#define X(id, name, text) STALL_##id,
    STALL_REASONS(X)
#undef X
        STALL_COUNT
};

struct sm_counters {
#define X(name, kind, unit, text) uint64_t name;
    SM_COUNTERS(X)
#undef X
    uint64_t stall[STALL_COUNT];          /* warp-cycles; their sum is warp_cycles */
    uint64_t pipe_inst[ISA_PIPE_COUNT];   /* warp instructions issued to the pipe */
    uint64_t pipe_cycles[ISA_PIPE_COUNT]; /* sub-core cycles for which they hold it */
};

struct mem_counters {
#define X(name, kind, unit, text) uint64_t name;
    MEM_COUNTERS(X)
#undef X
};

struct counter_info {
    const char *name, *unit, *text;
};

const struct counter_info *sm_counter_info(unsigned index); /* NULL past the end; same order as the struct */
const struct counter_info *mem_counter_info(unsigned index);
uint64_t sm_counter_value(const struct sm_counters *counters, unsigned index);
uint64_t mem_counter_value(const struct mem_counters *counters, unsigned index);
const char *stall_name(enum stall_reason reason);
const char *stall_text(enum stall_reason reason);

void sm_counters_add(struct sm_counters *to, const struct sm_counters *from);
void mem_counters_add(struct mem_counters *to, const struct mem_counters *from);

#endif
