#include "gpu/cta_schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists that grow --------------------------------------------------------------------------------------------- */

/* Room for one more item of `size` bytes. */
static bool grow(void **items, size_t count, size_t *room, size_t size)
{
    enum { FIRST = 64 };
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : FIRST;
    void *grown = realloc(*items, more * size);
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

/* The launches up to this one are there. */
static bool widen(struct cta_schedule *s, uint32_t number)
{
    while (s->count <= number) {
        void *items = s->launch;
        if (!grow(&items, s->count, &s->room, sizeof *s->launch))
            return false;
        s->launch = items;
        s->launch[s->count++] = (struct cta_schedule_launch){0};
    }
    return true;
}

void cta_schedule_begin(struct cta_schedule *s) { *s = (struct cta_schedule){0}; }

void cta_schedule_free(struct cta_schedule *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->launch[i].kernel);
        free(s->launch[i].entry);
    }
    free(s->launch);
    cta_schedule_begin(s);
}

struct cta_schedule_launch *cta_schedule_launch(struct cta_schedule *s, uint32_t number, const char *kernel,
                                                uint64_t ctas)
{
    if (!widen(s, number))
        return NULL;
    struct cta_schedule_launch *l = &s->launch[number];
    if (kernel && !l->kernel && !(l->kernel = strdup(kernel)))
        return NULL;
    if (!l->ctas)
        l->ctas = ctas;
    return l;
}

bool cta_schedule_add(struct cta_schedule_launch *l, struct cta_schedule_entry entry)
{
    void *items = l->entry;
    if (!grow(&items, l->count, &l->room, sizeof *l->entry))
        return false;
    l->entry = items;
    l->entry[l->count++] = entry;
    return true;
}

void cta_schedule_sort(const struct cta_schedule_launch *l, uint64_t *cta, uint32_t count[TOPOLOGY_SMS])
{
    size_t at[TOPOLOGY_SMS], next = 0;
    memset(count, 0, TOPOLOGY_SMS * sizeof *count);
    for (size_t i = 0; i < l->count; i++)
        count[l->entry[i].sm]++;
    for (uint32_t sm = 0; sm < TOPOLOGY_SMS; sm++) {
        at[sm] = next;
        next += count[sm];
    }
    for (size_t i = 0; i < l->count; i++)
        cta[at[l->entry[i].sm]++] = l->entry[i].cta;
}

/* ---- a launch that follows one ----------------------------------------------------------------------------------- */

static bool fits(const struct cta_schedule *s, uint32_t number, const char *kernel, uint64_t ctas,
                 struct status *status)
{
    if (number >= s->count)
        return status_fail(status, STATUS_USAGE, "the schedule has %zu launches, and this one of %.200s is number %u",
                           s->count, kernel, number + 1);
    const struct cta_schedule_launch *l = &s->launch[number];
    if (l->kernel && strcmp(l->kernel, kernel) != 0)
        return status_fail(status, STATUS_USAGE, "launch %u of the schedule is of kernel %.200s, not %.200s",
                           number + 1, l->kernel, kernel);
    return !l->ctas || l->ctas == ctas ||
           status_fail(status, STATUS_USAGE, "launch %u of the schedule has %" PRIu64 " CTAs, and %.200s has %" PRIu64,
                       number + 1, l->ctas, kernel, ctas);
}

/* Each CTA of the grid is there once, on an SM that the GPU has. */
static bool is_whole(const struct cta_schedule_launch *l, uint8_t *seen, uint64_t ctas, uint32_t sms, uint32_t number,
                     struct status *status)
{
    for (size_t i = 0; i < l->count; i++) {
        struct cta_schedule_entry e = l->entry[i];
        if (e.sm >= sms)
            return status_fail(status, STATUS_USAGE,
                               "launch %u of the schedule has a CTA on SM %u, and the GPU has %u SMs", number + 1, e.sm,
                               sms);
        if (e.cta >= ctas || seen[e.cta / 8] >> e.cta % 8 & 1)
            return status_fail(status, STATUS_USAGE, "launch %u of the schedule has CTA %" PRIu64 " %s", number + 1,
                               e.cta, e.cta >= ctas ? "outside of the grid" : "twice");
        seen[e.cta / 8] |= (uint8_t)(1u << e.cta % 8);
    }
    return l->count == ctas ||
           status_fail(status, STATUS_USAGE, "launch %u of the schedule has places for %zu of %" PRIu64 " CTAs",
                       number + 1, l->count, ctas);
}

static void sort(struct cta_follow *f, const struct cta_schedule_launch *l)
{
    uint64_t end = 0;
    cta_schedule_sort(l, f->cta, f->left);
    for (uint32_t sm = 0; sm < TOPOLOGY_SMS; sm++)
        f->end[sm] = end += f->left[sm];
}

bool cta_follow_begin(struct cta_follow *f, const struct cta_schedule *s, uint32_t number, const char *kernel,
                      uint64_t ctas, uint32_t sms, struct status *status)
{
    *f = (struct cta_follow){0};
    if (!fits(s, number, kernel, ctas, status))
        return false;
    const struct cta_schedule_launch *l = &s->launch[number];
    uint8_t *seen = calloc(ctas / 8 + 1, 1);
    f->cta = l->count <= ctas ? calloc(ctas + 1, sizeof *f->cta) : NULL;
    bool ok = seen && (f->cta || l->count > ctas) ? is_whole(l, seen, ctas, sms, number, status)
                                                  : status_fail(status, STATUS_MEMORY, "out of memory for a schedule");
    free(seen);
    if (ok)
        sort(f, l);
    else
        cta_follow_free(f);
    return ok;
}

void cta_follow_free(struct cta_follow *f)
{
    free(f->cta);
    f->cta = NULL;
}
