#include "report/samples.h"

#include <string.h>

struct columns {
    const struct sample_series *series;
    const struct sample *end; /* the kernel's */
    struct json *json;
};

static const struct sample *row_at(const struct columns *c, uint32_t index)
{
    return index < c->series->count ? &c->series->sample[index] : c->end;
}

/* The growth of the value at `offset` in a sample. Nothing where that is 0 all the time. */
static void write_growth(const struct columns *c, const char *name, size_t offset)
{
    uint64_t before = 0, end;
    memcpy(&end, (const char *)c->end + offset, sizeof end);
    if (end == 0)
        return;
    json_array(c->json, name);
    for (uint32_t i = 0; i <= c->series->count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)row_at(c, i) + offset, sizeof value);
        json_uint(c->json, NULL, value - before);
        before = value;
    }
    json_end(c->json);
}

/* Counters of things that there are at a time, which can become less. */
static bool is_level(const char *name)
{
    return strncmp(name, "l2_lines_", 9) == 0 || strcmp(name, "l2_sectors_dirty") == 0;
}

static void write_counters(const struct columns *c)
{
    const struct counter_info *info;
    size_t sm = offsetof(struct sample, sm), mem = offsetof(struct sample, mem);
    json_object(c->json, "sm");
    for (unsigned i = 0; (info = sm_counter_info(i)) != NULL; i++)
        write_growth(c, info->name, sm + i * sizeof(uint64_t));
    json_end(c->json);
    json_object(c->json, "mem");
    for (unsigned i = 0; (info = mem_counter_info(i)) != NULL; i++)
        if (!is_level(info->name))
            write_growth(c, info->name, mem + i * sizeof(uint64_t));
    json_end(c->json);
}

static void write_arrays(const struct columns *c)
{
    size_t sm = offsetof(struct sample, sm);
    json_object(c->json, "stalls");
    for (unsigned i = 0; i < STALL_COUNT; i++)
        write_growth(c, stall_name((enum stall_reason)i),
                     sm + offsetof(struct sm_counters, stall) + i * sizeof(uint64_t));
    json_end(c->json);
    json_object(c->json, "events");
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        write_growth(c, cycle_event_name((enum cycle_event)i),
                     sm + offsetof(struct sm_counters, cycle) + i * sizeof(uint64_t));
    json_end(c->json);
    json_object(c->json, "pipes");
    for (unsigned i = 0; i < ISA_PIPE_COUNT; i++)
        write_growth(c, isa_pipe_name((enum isa_pipe)i),
                     sm + offsetof(struct sm_counters, pipe_cycles) + i * sizeof(uint64_t));
    json_end(c->json);
}

void report_samples_json(const struct sample_series *series, const struct kernel_result *result, size_t kernel,
                         struct json *json, const char *key)
{
    struct sample_series before = *series; /* without those from the kernel's end on, which the result has */
    while (before.count > 0 && before.sample[before.count - 1].cycle >= result->cycles)
        before.count--;
    const struct sample end = {.cycle = result->cycles, .sm = result->sm, .mem = result->mem};
    const struct columns c = {&before, &end, json};
    json_object(json, key);
    json_uint(json, "kernel", kernel);
    json_uint(json, "period", series->period);
    json_array(json, "cycle");
    for (uint32_t i = 0; i <= before.count; i++)
        json_uint(json, NULL, row_at(&c, i)->cycle);
    json_end(json);
    write_counters(&c);
    write_arrays(&c);
    json_end(json);
}
