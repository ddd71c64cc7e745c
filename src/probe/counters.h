/* Counters and stall reasons as structs and names. Nothing here knows the units that count or the code that prints. */
#ifndef SUBCORE_PROBE_COUNTERS_H
#define SUBCORE_PROBE_COUNTERS_H

#include <stdint.h>

#include "isa/isa.h"
#include "probe/counters.def"
#include "probe/cycles.def"
#include "probe/stalls.def"

enum stall_reason {
#define X(id, name, text) STALL_##id,
    STALL_REASONS(X)
#undef X
        STALL_COUNT
};

enum cycle_class {
#define X(id, name, label, text) CYCLE_CLASS_##id,
    CYCLE_CLASSES(X)
#undef X
        CYCLE_CLASS_COUNT
};

enum cycle_event {
#define X(id, class, name, text) CYCLE_##id,
    CYCLE_EVENTS(X)
#undef X
        CYCLE_EVENT_COUNT
};

struct sm_counters {
#define X(name, kind, unit, text) uint64_t name;
    SM_COUNTERS(X)
#undef X
    uint64_t stall[STALL_COUNT];          /* warp-cycles; their sum is warp_cycles */
    uint64_t cycle[CYCLE_EVENT_COUNT];    /* sub-core cycles; their sum is four times cycles_active */
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
const char *cycle_event_name(enum cycle_event event);
enum cycle_class cycle_event_class(enum cycle_event event);
const char *cycle_class_name(enum cycle_class class);
const char *cycle_class_label(enum cycle_class class); /* as the paper writes it */
/* Sub-core cycles of a class, from CYCLE_EVENT_COUNT counters. */
uint64_t cycle_class_sum(const uint64_t *cycle, enum cycle_class class);

void sm_counters_add(struct sm_counters *to, const struct sm_counters *from);
void mem_counters_add(struct mem_counters *to, const struct mem_counters *from);
void mem_counters_subtract(struct mem_counters *from, const struct mem_counters *what);

#endif
