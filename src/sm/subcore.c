#include "sm/subcore.h"

#include <string.h>

/* ---- a cycle ----------------------------------------------------------------------------------------------------- */

bool subcore_queues(struct subcore *p, uint64_t now, uint16_t *token)
{
    bool moved = queued_units_cycle(&p->queues, now);
    *token = write_back_cycle(&p->write_back, now);
    uint64_t units = queued_units_next(&p->queues, now), results = write_back_next(&p->write_back, now);
    p->clock.at = units < results ? units : results;
    return moved || *token != LSU_NO_TOKEN;
}

static uint64_t sooner(uint64_t next, uint64_t at, uint64_t now) { return at > now && at < next ? at : next; }

/* Nothing could issue in cycle `now`. Returns the earliest cycle after it at which time alone changes that, or the
 * reasons, or another fetch starts. */
static uint64_t next_issue(const struct subcore *p, const struct eligible *e, uint64_t now)
{
    const struct scheduler *s = &p->scheduler;
    uint64_t next = s->next_wake;
    if (next == now + 1 || e->units_from == now + 1 || fetch_candidates(&p->fetch))
        return now + 1;
    if (e->warps) { /* held back together */
        next = sooner(next, s->issue_free, now);
        next = sooner(next, s->ports_until, now);
        next = sooner(next, s->hold_until, now);
    }
    next = sooner(next, e->units_from, now);
    next = sooner(next, p->units.blocked_until, now);
    next = sooner(next, increments_next(&p->dependence.increments), now);
    /* An instruction behind others of its warp can be decoded later. */
    bool decodes = s->closed[STALL_NO_INSTRUCTION] || decode_stage_full(&p->fetch.decode);
    return decodes ? sooner(next, decode_stage_next(&p->fetch.decode), now) : next;
}

bool subcore_cycle(struct subcore *p, uint64_t now)
{
    if (p->scheduler.next_wake <= now)
        scheduler_wake(&p->scheduler, now);
    bool decoded = decode_stage_ready(&p->fetch.decode, now) && fetch_decode(&p->fetch, now);
    /* Fetch sees a place that an issue frees one cycle later, as in the paper. */
    bool fetched = fetch_cycle(&p->fetch, now);
    if (fetched && p->issue.core->issue_width > 1)
        fetch_cycle(&p->fetch, now);
    struct eligible e = eligible_warps(&p->eligibility, now);
    if (e.warps && !issue_held(&p->scheduler, now)) {
        issue_eligible(&p->issue, e.warps, now);
        return true;
    }
    uint64_t next = p->naps ? next_issue(p, &e, now) : now + 1;
    if (next == now + 1) /* A nap of one cycle is none. */
        attribute_idle(&p->attribution, e.warps, now, 1);
    else
        nap_start(&p->nap, now, next, e.warps);
    return fetched || decoded;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void subcore_begin(struct subcore *p)
{
#define BEGIN_OWN(name, type) type##_begin(&p->name);
#define BEGIN_ZERO(name, type) memset(&p->name, 0, sizeof p->name);
#define BEGIN_NONE(name, type)
#define X(name, type, begin, save, text) BEGIN_##begin(name, type)
    SUBCORE_UNITS(X)
#undef X
}

void subcore_archive(struct archive *a, struct subcore *p)
{
#define SAVE_OWN(name, type) type##_archive(a, &p->name);
#define SAVE_PORTS(name, type) archive_keep(a, &p->name.to);
#define SAVE_ALL(name, type) archive_keep(a, &p->name);
#define SAVE_NONE(name, type)
#define X(name, type, begin, save, text) SAVE_##save(name, type)
    SUBCORE_UNITS(X)
#undef X
}
