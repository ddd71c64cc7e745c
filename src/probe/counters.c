#include "probe/counters.h"

#include <assert.h>
#include <stddef.h>

struct entry {
    struct counter_info info;
    size_t offset;
};

static const struct entry sm_entries[] = {
#define X(id, kind, unit, text) {{#id, unit, text}, offsetof(struct sm_counters, id)},
    SM_COUNTERS(X)
#undef X
};

static const struct entry mem_entries[] = {
#define X(id, kind, unit, text) {{#id, unit, text}, offsetof(struct mem_counters, id)},
    MEM_COUNTERS(X)
#undef X
};

enum {
    SM_ENTRIES = sizeof sm_entries / sizeof sm_entries[0],
    MEM_ENTRIES = sizeof mem_entries / sizeof mem_entries[0]
};

static const char *const stall_names[][2] = {
#define X(id, name, text) {name, text},
    STALL_REASONS(X)
#undef X
};

static const char *const class_names[][2] = {
#define X(id, name, label, text) {name, label},
    CYCLE_CLASSES(X)
#undef X
};

static const struct {
    enum cycle_class class;
    const char *name;
} events[] = {
#define X(id, class, name, text) {CYCLE_CLASS_##class, name},
    CYCLE_EVENTS(X)
#undef X
};

static uint64_t value_at(const void *counters, size_t offset)
{
    return *(const uint64_t *)((const char *)counters + offset);
}

static uint64_t *field_at(void *counters, size_t offset) { return (uint64_t *)((char *)counters + offset); }

const struct counter_info *sm_counter_info(unsigned index)
{
    return index < SM_ENTRIES ? &sm_entries[index].info : NULL;
}

const struct counter_info *mem_counter_info(unsigned index)
{
    return index < MEM_ENTRIES ? &mem_entries[index].info : NULL;
}

uint64_t sm_counter_value(const struct sm_counters *counters, unsigned index)
{
    assert(index < SM_ENTRIES);
    return value_at(counters, sm_entries[index].offset);
}

uint64_t mem_counter_value(const struct mem_counters *counters, unsigned index)
{
    assert(index < MEM_ENTRIES);
    return value_at(counters, mem_entries[index].offset);
}

const char *stall_name(enum stall_reason reason)
{
    assert(reason < STALL_COUNT);
    return stall_names[reason][0];
}

const char *stall_text(enum stall_reason reason)
{
    assert(reason < STALL_COUNT);
    return stall_names[reason][1];
}

const char *cycle_event_name(enum cycle_event event)
{
    assert(event < CYCLE_EVENT_COUNT);
    return events[event].name;
}

enum cycle_class cycle_event_class(enum cycle_event event)
{
    assert(event < CYCLE_EVENT_COUNT);
    return events[event].class;
}

const char *cycle_class_name(enum cycle_class class)
{
    assert(class < CYCLE_CLASS_COUNT);
    return class_names[class][0];
}

const char *cycle_class_label(enum cycle_class class)
{
    assert(class < CYCLE_CLASS_COUNT);
    return class_names[class][1];
}

uint64_t cycle_class_sum(const uint64_t *cycle, enum cycle_class class)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        sum += events[i].class == class ? cycle[i] : 0;
    return sum;
}

void sm_counters_add(struct sm_counters *to, const struct sm_counters *from)
{
    for (unsigned i = 0; i < SM_ENTRIES; i++)
        *field_at(to, sm_entries[i].offset) += value_at(from, sm_entries[i].offset);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        to->stall[i] += from->stall[i];
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        to->cycle[i] += from->cycle[i];
    for (unsigned i = 0; i < ISA_PIPE_COUNT; i++) {
        to->pipe_inst[i] += from->pipe_inst[i];
        to->pipe_cycles[i] += from->pipe_cycles[i];
    }
}

void mem_counters_add(struct mem_counters *to, const struct mem_counters *from)
{
    for (unsigned i = 0; i < MEM_ENTRIES; i++)
        *field_at(to, mem_entries[i].offset) += value_at(from, mem_entries[i].offset);
}

void mem_counters_subtract(struct mem_counters *from, const struct mem_counters *what)
{
    for (unsigned i = 0; i < MEM_ENTRIES; i++)
        *field_at(from, mem_entries[i].offset) -= value_at(what, mem_entries[i].offset);
}
