#include "hazard/warp.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "isa/pascal.h"
#include "isa/resources.h"

enum { FIRST_TIME = 64 /* so that 0 is before everything */ };

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static uint32_t take(struct hazard_warp *w)
{
    if (w->unused) {
        uint32_t index = w->unused;
        w->unused = w->pool[index].next;
        return index;
    }
    if (w->pooled >= w->room) {
        uint32_t room = w->room ? 2 * w->room : 64;
        struct hazard_access *pool = realloc(w->pool, room * sizeof *pool);
        w->failed |= !pool;
        if (!pool)
            return 0;
        w->pool = pool;
        w->room = room;
    }
    return w->pooled++;
}

static void push(struct hazard_warp *w, uint32_t *head, const struct hazard_access *access)
{
    uint32_t index = take(w);
    if (!index)
        return;
    w->pool[index] = *access;
    w->pool[index].next = *head;
    *head = index;
}

/* Removes the access that *link points to. */
static void drop(struct hazard_warp *w, uint32_t *link)
{
    uint32_t index = *link;
    *link = w->pool[index].next;
    w->pool[index].next = w->unused;
    w->unused = index;
}

bool hazard_warp_start(struct hazard_warp *w, const struct hazard_code *code, uint64_t cta)
{
    if (!w->place)
        w->place = malloc((code->places + 1u) * sizeof *w->place);
    if (!w->place)
        return false;
    if (code->products && !w->products)
        w->products = malloc(sizeof *w->products);
    if (code->products && !w->products)
        return false;
    if (w->products)
        hazard_products_start(w->products);
    memset(w->place, 0, code->places * sizeof *w->place);
    memset(w->order_done, 0, sizeof w->order_done);
    memset(w->read_done, 0, sizeof w->read_done);
    for (unsigned k = 0; k < ISA_COUNTERS; k++) {
        struct hazard_counter *c = &w->counter[k];
        *c = (struct hazard_counter){.holder = c->holder, .room = c->room};
    }
    w->pooled = 1;
    w->unused = 0;
    w->used = true;
    w->sm = code->sm;
    w->cta = cta;
    w->time = FIRST_TIME;
    w->waited = 0;
    return true;
}

void hazard_warp_free(struct hazard_warp *w)
{
    free(w->pool);
    free(w->place);
    free(w->products);
    for (unsigned k = 0; k < ISA_COUNTERS; k++)
        free(w->counter[k].holder);
    *w = (struct hazard_warp){0};
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void hold(struct hazard_warp *w, unsigned k, const struct hazard_holder *holder)
{
    if (k >= ISA_COUNTERS)
        return;
    struct hazard_counter *c = &w->counter[k];
    if (c->first == c->count) {
        c->first = c->count = 0;
    } else if (c->count == c->room && c->first >= c->room / 2) { /* a loop that always leaves some under way */
        c->count -= c->first;
        memmove(c->holder, c->holder + c->first, c->count * sizeof *c->holder);
        c->first = 0;
    }
    if (c->count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 16;
        struct hazard_holder *grown = realloc(c->holder, room * sizeof *grown);
        w->failed |= !grown;
        if (!grown)
            return;
        c->holder = grown;
        c->room = room;
    }
    c->holder[c->count++] = *holder;
}

/* Holders of the counter that issued at `until` or before have let it go. */
static void let_go(struct hazard_warp *w, unsigned k, uint64_t until)
{
    struct hazard_counter *c = &w->counter[k];
    c->done = latest(c->done, until);
    for (; c->first < c->count && c->holder[c->first].time <= until; c->first++) {
        const struct hazard_holder *h = &c->holder[c->first];
        if (h->writes && pascal_supported(w->sm))
            w->waited = latest(w->waited, h->time + ISA_SHORTEST_VARIABLE);
        if (h->writes && h->order)
            w->order_done[h->order] = latest(w->order_done[h->order], h->time);
        if (h->queue)
            w->read_done[h->queue] = latest(w->read_done[h->queue], h->time);
    }
}

/* The warp's knowledge when the instruction issues: counters that its wait mask has found at 0, and those of a
 * DEPBAR far enough back. Code of Pascal counts on the time of the wait (docs/hazards.md). */
static void wait(struct hazard_warp *w, const struct hazard_inst *h)
{
    for (unsigned k = 0; k < ISA_COUNTERS; k++) {
        struct hazard_counter *c = &w->counter[k];
        if (c->soon_from && w->time >= c->soon_from) {
            c->soon_from = 0;
            let_go(w, k, c->soon);
        }
        if (h->wait >> k & 1)
            let_go(w, k, w->time - ISA_COUNTER_VISIBLE);
    }
    w->time = latest(w->time, w->waited);
}

static void announce(struct hazard_warp *w, unsigned k, uint64_t until, uint32_t pc)
{
    struct hazard_counter *c = &w->counter[k];
    c->soon = c->soon_from ? latest(c->soon, until) : until;
    c->soon_from = w->time + isa_depbar_holds(w->sm);
    c->depbar = pc;
}

/* DEPBAR.LE with a threshold above 0: the oldest have let go if all let go in the order of issue. A DEPBAR looks late
 * enough to see the counters of the instruction right before it. */
static void count_down(struct hazard_warp *w, unsigned k, unsigned most, uint32_t pc)
{
    const struct hazard_counter *c = &w->counter[k];
    const struct hazard_holder *first = c->holder + c->first;
    uint32_t seen = 0;
    bool in_order = true;
    for (; c->first + seen < c->count; seen++) {
        const struct hazard_holder *h = &first[seen];
        in_order &= h->writes == first->writes &&
                    (h->writes ? h->order && h->order == first->order : h->queue && h->queue == first->queue);
    }
    if (in_order && seen > most)
        announce(w, k, first[seen - most - 1].time, pc);
}

static void depbar(struct hazard_warp *w, const struct hazard_inst *h)
{
    uint32_t pc = h->inst->pc;
    for (unsigned k = 0; k < ISA_COUNTERS; k++)
        if (h->depbar_list >> k & 1)
            announce(w, k, w->time - 1, pc);
    if (h->depbar_sb >= ISA_COUNTERS)
        return;
    if (h->depbar_max == 0)
        announce(w, h->depbar_sb, w->time - 1, pc);
    else
        count_down(w, h->depbar_sb, h->depbar_max, pc);
}

static bool counter_done(const struct hazard_warp *w, unsigned k, uint64_t time)
{
    return k < ISA_COUNTERS && time <= w->counter[k].done;
}

static bool is_written(const struct hazard_warp *w, const struct hazard_inst *p, uint64_t time)
{
    return counter_done(w, p->write_sb, time) || (p->order && time <= w->order_done[p->order]);
}

/* A result that is written needed the sources: a wait for the first covers the second. */
static bool is_read(const struct hazard_warp *w, const struct hazard_inst *p, uint64_t time)
{
    return counter_done(w, p->read_sb, time) || is_written(w, p, time) || (p->queue && time <= w->read_done[p->queue]);
}

static bool is_there(const struct hazard_warp *w, const struct hazard_inst *p, const struct hazard_access *a)
{
    return a->with_sources ? is_read(w, p, a->time) : is_written(w, p, a->time);
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

struct checking {
    struct hazard_warp *w;
    const struct hazard_code *code;
    const struct hazard_issue *issue;
    const struct hazard_inst *at;
    struct hazard_found *found;
};

static void report(const struct checking *c, const struct hazard_access *a, unsigned resource, uint32_t lanes,
                   struct hazard hazard, bool happened)
{
    const struct hazard_issue *issue = c->issue;
    uint64_t distance = c->w->time - a->time;
    hazard.first = c->code->isa[a->inst].pc;
    hazard.second = c->at->inst->pc;
    hazard.resource = (uint16_t)resource;
    hazard.distance = (uint16_t)(distance < UINT16_MAX ? distance : UINT16_MAX);
    hazard.count = 1;
    hazard.happened = issue->timed && happened;
    hazard.sm = issue->sm;
    hazard.slot = issue->slot;
    hazard.warp = issue->warp;
    hazard.lanes = lanes;
    hazard.cta = c->w->cta;
    hazard.first_cycle = a->cycle;
    hazard.second_cycle = issue->cycle;
    hazard_found_add(c->found, &hazard);
}

/* Why a counter that an instruction should have waited for is not known to be at 0. */
static struct hazard missing_wait(const struct checking *c, unsigned kind, unsigned k, uint64_t time)
{
    struct hazard h = {.kind = (uint8_t)kind, .cause = HAZARD_NO_COUNTER, .counter = ISA_NO_SB};
    if (k >= ISA_COUNTERS)
        return h;
    const struct hazard_counter *counter = &c->w->counter[k];
    h.counter = (uint8_t)k;
    h.cause = HAZARD_NO_WAIT;
    if (c->at->wait >> k & 1) {
        h.cause = HAZARD_ESCAPES;
        h.needed = ISA_COUNTER_VISIBLE;
    } else if (counter->soon_from && counter->soon >= time) {
        h.cause = HAZARD_DEPBAR;
        h.needed = (uint16_t)isa_depbar_holds(c->w->sm);
        h.depbar = counter->depbar;
    }
    return h;
}

/* ---- read after write -------------------------------------------------------------------------------------------- */

static void check_result(const struct checking *c, const struct hazard_access *a, const struct hazard_use *use,
                         uint32_t lanes)
{
    const struct hazard_inst *p = &c->code->at[a->inst];
    uint64_t cycle = c->issue->cycle;
    if (p->variable) {
        if (!is_there(c->w, p, a))
            report(c, a, use->resource, lanes, missing_wait(c, HAZARD_RAW, p->write_sb, a->time), a->written > cycle);
        return;
    }
    enum isa_consumer consumer = use->guard ? ISA_CONSUMER_GUARD : (enum isa_consumer)c->at->consumer;
    unsigned needed = isa_distance(p->inst, use->resource, consumer, c->code->sm);
    if (!use->guard && isa_takes_late(c->at->inst, use->resource))
        needed -= ISA_LATE_ACCUMULATOR;
    if (c->w->time - a->time >= needed)
        return;
    struct hazard h = {.kind = HAZARD_RAW, .cause = HAZARD_DISTANCE, .counter = ISA_NO_SB, .needed = (uint16_t)needed};
    report(c, a, use->resource, lanes, h, cycle - a->cycle < needed);
}

static bool is_over(const struct hazard_warp *w, const struct hazard_inst *p, const struct hazard_access *a)
{
    return p->variable ? is_there(w, p, a) : w->time >= a->time + ISA_LONGEST_FIXED;
}

static void check_reads(const struct checking *c)
{
    struct hazard_warp *w = c->w;
    for (uint32_t i = 0; i < c->at->reads; i++) {
        const struct hazard_use *use = &c->code->use[c->at->first_read + i];
        uint32_t lanes = use->guard ? c->issue->path : c->issue->active;
        for (uint32_t *link = &w->place[use->place].writes; *link;) {
            const struct hazard_access *a = &w->pool[*link];
            if (is_over(w, &c->code->at[a->inst], a)) {
                drop(w, link);
                continue;
            }
            if (a->lanes & lanes)
                check_result(c, a, use, a->lanes & lanes);
            link = &w->pool[*link].next;
        }
    }
}

/* ---- write after write, write after read ------------------------------------------------------------------------- */

static void check_overwrite(const struct checking *c, const struct hazard_access *a, unsigned resource, uint32_t lanes)
{
    const struct hazard_inst *p = &c->code->at[a->inst];
    if (p->variable) {
        bool in_order = c->at->variable && p->order && p->order == c->at->order;
        if (!in_order && !is_there(c->w, p, a))
            report(c, a, resource, lanes, missing_wait(c, HAZARD_WAW, p->write_sb, a->time),
                   a->written > c->issue->cycle);
        return;
    }
    unsigned first = isa_write_distance(p->inst, resource, c->code->sm);
    unsigned second = isa_write_distance(c->at->inst, resource, c->code->sm);
    if (first < second || c->w->time - a->time > first - second)
        return;
    struct hazard h = {
        .kind = HAZARD_WAW, .cause = HAZARD_DISTANCE, .counter = ISA_NO_SB, .needed = (uint16_t)(first - second + 1)};
    report(c, a, resource, lanes, h, c->issue->cycle - a->cycle <= first - second);
}

static void check_overwritten_source(const struct checking *c, const struct hazard_access *a, unsigned resource,
                                     uint32_t lanes)
{
    const struct hazard_inst *p = &c->code->at[a->inst];
    if (c->at->variable && p->queue && p->queue == c->at->queue)
        return; /* it writes after it has left the queue, and the other has left before */
    unsigned k = p->read_sb != ISA_NO_SB ? p->read_sb : p->write_sb;
    report(c, a, resource, lanes, missing_wait(c, HAZARD_WAR, k, a->time), false);
}

/* Lanes that the instruction writes or reads of a resource: a resource of the warp counts for all lanes. */
static uint32_t lanes_of(const struct checking *c, unsigned resource)
{
    bool once =
        (resource >= RESOURCE_UNIFORM && resource < RESOURCE_PREDICATE) || resource >= RESOURCE_UNIFORM_PREDICATE;
    return once && c->issue->active ? UINT32_MAX : c->issue->active;
}

static void check_writes(const struct checking *c)
{
    struct hazard_warp *w = c->w;
    for (uint32_t i = 0; i < c->at->writes; i++) {
        const struct hazard_use *use = &c->code->use[c->at->first_write + i];
        struct hazard_place *place = &w->place[use->place];
        uint32_t lanes = lanes_of(c, use->resource);
        for (uint32_t *link = &place->reads; *link;) {
            struct hazard_access *a = &w->pool[*link];
            if (is_read(w, &c->code->at[a->inst], a->time)) {
                drop(w, link);
                continue;
            }
            if (a->lanes & lanes)
                check_overwritten_source(c, a, use->resource, a->lanes & lanes);
            link = &a->next;
        }
        for (uint32_t *link = &place->writes; *link;) {
            struct hazard_access *a = &w->pool[*link];
            bool over = is_over(w, &c->code->at[a->inst], a);
            if (!over && a->lanes & lanes)
                check_overwrite(c, a, use->resource, a->lanes & lanes);
            a->lanes &= ~lanes; /* from here on the later result counts */
            if (over || !a->lanes)
                drop(w, link);
            else
                link = &a->next;
        }
    }
}

/* ---- results in flight behind the instruction -------------------------------------------------------------------- */

static void note_reads(const struct checking *c)
{
    struct hazard_access access = {
        .inst = c->issue->index, .time = c->w->time, .cycle = c->issue->cycle, .written = UINT64_MAX};
    if (!c->at->variable || c->at->unknown)
        return;
    for (uint32_t i = 0; i < c->at->reads; i++) {
        const struct hazard_use *use = &c->code->use[c->at->first_read + i];
        if (isa_reads_at_issue(c->at->inst, use->resource))
            continue;
        uint32_t *link = &c->w->place[use->place].reads;
        access.lanes = lanes_of(c, use->resource);
        while (*link && c->w->pool[*link].inst != access.inst)
            link = &c->w->pool[*link].next;
        if (*link) { /* the same instruction again: any sign of this one is a sign of the one before */
            access.lanes |= is_read(c->w, c->at, c->w->pool[*link].time) ? 0 : c->w->pool[*link].lanes;
            drop(c->w, link);
        }
        push(c->w, &c->w->place[use->place].reads, &access);
    }
}

static void note_writes(const struct checking *c)
{
    struct hazard_access access = {
        .inst = c->issue->index, .time = c->w->time, .cycle = c->issue->cycle, .written = UINT64_MAX};
    if (c->at->unknown)
        return;
    for (uint32_t i = 0; i < c->at->writes; i++) {
        const struct hazard_use *use = &c->code->use[c->at->first_write + i];
        access.lanes = lanes_of(c, use->resource);
        access.with_sources = use->with_sources;
        if (access.lanes)
            push(c->w, &c->w->place[use->place].writes, &access);
    }
}

void hazard_warp_issue(struct hazard_warp *w, const struct hazard_code *code, const struct hazard_issue *issue,
                       struct hazard_found *found)
{
    const struct hazard_inst *h = &code->at[issue->index];
    const struct checking c = {w, code, issue, h, found};
    wait(w, h);
    if (w->products)
        hazard_products_issue(w->products, code, issue, w->time, w->cta, found);
    check_reads(&c);
    if (issue->active) {
        check_writes(&c);
        note_reads(&c);
        note_writes(&c);
    }
    hold(w, h->write_sb, &(struct hazard_holder){w->time, h->order, h->queue, true});
    hold(w, h->read_sb, &(struct hazard_holder){w->time, h->order, h->queue, false});
    if (h->drains)
        w->read_done[QUEUE_MEMORY] = w->time;
    if (h->depbar)
        depbar(w, h);
    w->time += h->stall;
}

void hazard_warp_written(struct hazard_warp *w, const struct hazard_code *code, uint32_t index, uint64_t cycle)
{
    const struct hazard_inst *h = &code->at[index];
    for (uint32_t i = 0; w->place && i < h->writes; i++) {
        struct hazard_access *oldest = NULL;
        uint32_t at = w->place[code->use[h->first_write + i].place].writes;
        for (; at; at = w->pool[at].next) /* the latest comes first */
            if (w->pool[at].inst == index && w->pool[at].written == UINT64_MAX)
                oldest = &w->pool[at];
        if (oldest)
            oldest->written = cycle;
    }
}
