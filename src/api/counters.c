/* Counters of the last launch, by number and by name. */
#include <string.h>

#include "api/api.h"

/* One after the other: the SMs', the memory system's, stalls, scheduler cycles, pipes. */
static const struct subcore_counter names[] = {
#define X(name, kind, unit, text) {"sm." #name, unit, text, 0},
    SM_COUNTERS(X)
#undef X
#define X(name, kind, unit, text) {"mem." #name, unit, text, 0},
        MEM_COUNTERS(X)
#undef X
#define X(id, name, text) {"stall." name, "warp-cycle", text, 0},
            STALL_REASONS(X)
#undef X
#define X(id, class, name, text) {"cycle." name, "cycle", text, 0},
                CYCLE_EVENTS(X)
#undef X
#define X(id, name, text) {"pipe." name, "inst", "warp instructions issued to the pipe", 0},
                    ISA_PIPES(X)
#undef X
};

#define X(...) +1
enum { SM_COUNT = 0 SM_COUNTERS(X), MEM_COUNT = 0 MEM_COUNTERS(X), COUNT = sizeof names / sizeof names[0] };
#undef X

static uint64_t value_at(const struct kernel_result *r, size_t index)
{
    unsigned i = (unsigned)index;
    if (i < SM_COUNT)
        return sm_counter_value(&r->sm, i);
    i -= SM_COUNT;
    if (i < MEM_COUNT)
        return mem_counter_value(&r->mem, i);
    i -= MEM_COUNT;
    if (i < STALL_COUNT)
        return r->sm.stall[i];
    i -= STALL_COUNT;
    return i < CYCLE_EVENT_COUNT ? r->sm.cycle[i] : r->sm.pipe_inst[i - CYCLE_EVENT_COUNT];
}

size_t subcore_counters(void) { return COUNT; }

bool subcore_counter_at(const struct subcore_gpu *gpu, size_t index, struct subcore_counter *counter)
{
    if (index >= COUNT)
        return false;
    *counter = names[index];
    counter->value = value_at(&gpu->result, index);
    return true;
}

bool subcore_counter(const struct subcore_gpu *gpu, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(names[i].name, name) != 0)
            continue;
        *value = value_at(&gpu->result, i);
        return true;
    }
    return false;
}
