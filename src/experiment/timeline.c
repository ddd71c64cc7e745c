#include "experiment/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool timeline_init(struct timeline *timeline, struct status *status)
{
    timeline->warp = calloc(TIMELINE_WARPS, sizeof *timeline->warp);
    return timeline->warp || status_fail(status, STATUS_MEMORY, "no memory for a timeline");
}

void timeline_free(struct timeline *timeline) { free(timeline->warp); }

void timeline_clear(struct timeline *timeline)
{
    for (unsigned i = 0; i < TIMELINE_WARPS; i++)
        timeline->warp[i].open = timeline->warp[i].closed = 0;
}

static void record(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                   const struct issued *issued, uint64_t cycle)
{
    struct timeline *timeline = self;
    (void)sm;
    (void)cta;
    (void)issued;
    struct timeline_warp *w = &timeline->warp[slot % TIMELINE_WARPS];
    if (w->open < TIMELINE_ISSUES)
        w->cycle[w->current][w->open++] = cycle;
    if (code->op == ISA_OP_CS2R) { /* with which the programs of experiments read the clock */
        w->closed = w->open;
        w->start = w->read;
        w->read = cycle;
        w->open = 0;
        w->current ^= 1;
    }
}

struct sm_observer timeline_observer(struct timeline *timeline)
{
    return (struct sm_observer){.self = timeline, .issued = record};
}

void timeline_issues(const struct timeline *timeline, struct value *out)
{
    const struct timeline_warp *w = &timeline->warp[0];
    const uint64_t *cycle = w->cycle[w->current ^ 1];
    out->count = w->closed == 0 ? 0 : w->closed - 1 < VALUE_ITEMS ? w->closed - 1 : VALUE_ITEMS;
    for (unsigned i = 0; i < out->count; i++)
        out->item[i] = (double)(cycle[i] - w->start);
}

/* The warp of sub-core 0 with the first of the remaining issues, by the next index of each. */
static unsigned earliest(const struct timeline *timeline, unsigned warps, const unsigned next[TIMELINE_WARPS])
{
    unsigned best = TIMELINE_WARPS;
    uint64_t at = UINT64_MAX;
    for (unsigned i = 0; i < warps; i += ISA_SUBCORES) {
        const struct timeline_warp *w = &timeline->warp[i];
        if (next[i] < w->closed && w->cycle[w->current ^ 1][next[i]] < at) {
            at = w->cycle[w->current ^ 1][next[i]];
            best = i;
        }
    }
    return best;
}

void timeline_text(const struct timeline *timeline, unsigned warps, char *text, size_t size)
{
    unsigned next[TIMELINE_WARPS] = {0}, last = TIMELINE_WARPS, warp;
    uint64_t origin = 0, from = 0, to = 0;
    size_t used = 0;
    text[0] = '\0';
    for (bool first = true; used < size; first = false) {
        warp = earliest(timeline, warps, next);
        const struct timeline_warp *w = &timeline->warp[warp % TIMELINE_WARPS];
        uint64_t cycle = warp < TIMELINE_WARPS ? w->cycle[w->current ^ 1][next[warp]] : 0;
        if (first)
            origin = cycle;
        if (!first && (warp != last || cycle != to)) {
            used += (size_t)snprintf(text + used, size - used, "%sW%u %ju-%ju", used ? " " : "", last / ISA_SUBCORES,
                                     (uintmax_t)(from - origin), (uintmax_t)(to - origin));
            from = cycle;
        } else if (first) {
            from = cycle;
        }
        if (warp == TIMELINE_WARPS)
            return;
        last = warp;
        to = cycle + 1;
        next[warp]++;
    }
}
