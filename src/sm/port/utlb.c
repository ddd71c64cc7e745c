#include "sm/port/utlb.h"

bool utlb_init(struct utlb *t, const struct config_tlb *config, struct arena *arena)
{
    *t = (struct utlb){.config = config, .entry = arena_take(arena, config->entries * sizeof *t->entry)};
    while (t->shift < 31 && UINT32_C(1) << t->shift < config->page)
        t->shift++;
    return t->entry != NULL;
}

void utlb_begin(struct utlb *t)
{
    for (uint32_t i = 0; t->config->keep && i < t->count; i++)
        t->entry[i].ready = 0;
    if (t->config->keep)
        return;
    t->count = t->recent = 0;
    t->uses = 0;
}

static struct utlb_answer answer(const struct utlb_entry *e, uint64_t when)
{
    return when < e->ready ? (struct utlb_answer){e->ready, true, false} : (struct utlb_answer){when, false, false};
}

static uint32_t victim(const struct utlb *t)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < t->count; i++)
        if (t->entry[i].used < t->entry[oldest].used)
            oldest = i;
    return oldest;
}

struct utlb_answer utlb_translate(struct utlb *t, uint64_t address, uint64_t when)
{
    uint64_t page = address >> t->shift;
    uint32_t i = t->recent;
    if (i >= t->count || t->entry[i].page != page)
        for (i = 0; i < t->count && t->entry[i].page != page; i++) {
        }
    if (i < t->count) {
        t->recent = i;
        t->entry[i].used = ++t->uses;
        return answer(&t->entry[i], when);
    }
    i = t->count < t->config->entries ? t->count++ : victim(t);
    t->entry[i] = (struct utlb_entry){page, ++t->uses, when + t->config->miss_latency};
    t->recent = i;
    return (struct utlb_answer){t->entry[i].ready, true, true};
}
