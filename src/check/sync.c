/* Barriers of CTAs and clusters, barrier objects, and groups of asynchronous copies: the order that they give, and
 * wrong uses by threads. */
#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "check/state.h"
#include "exec/executors.h"

static uint32_t bit(uint32_t i) { return UINT32_C(1) << i; }

/* ---- barriers of a CTA ------------------------------------------------------------------------------------------- */

static void complete(const struct check_at *at, struct check_barrier *b)
{
    order_barrier(&at->launch->order, at->cta->know, b->arrived, b->waiting, b->stamp);
    for (uint32_t left = b->waiting; left; left &= left - 1)
        at->cta->warp[lowest_bit32(left)].waits = 0;
    *b = (struct check_barrier){0};
}

static void arrive(const struct check_at *at, bool waits)
{
    const struct issued *issued = at->issued;
    struct check_barrier *b = &at->cta->barrier[issued->barrier];
    uint32_t w = at->know->index, threads = issued->barrier_warps * 32u;
    if (b->arrived && b->threads != threads) {
        uint32_t first = lowest_bit32(b->arrived);
        check_note(at, CHECK_COUNT, CHECK_NO_LANE, at->know->number - w + first, CHECK_NO_LANE, b->pc[first],
                   CHECK_NOWHERE, issued->barrier, b->threads);
    }
    b->threads = threads;
    b->arrived |= bit(w);
    b->waiting |= waits ? bit(w) : 0;
    b->stamp[w] = order_arrive(&at->launch->order);
    b->pc[w] = issued->pc;
    b->arrivals++;
    at->warp->waits = waits ? (uint8_t)(issued->barrier + 1) : 0;
    if (threads && 32 * b->arrivals >= threads)
        complete(at, b);
}

/* A part of the warp is at a barrier, and the rest goes another way. */
static void part(const struct check_at *at)
{
    struct check_warp *w = at->warp;
    const struct issued *issued = at->issued;
    if (w->piece && w->apart != issued->pc)
        check_note(at, CHECK_DIVERGENT, lowest_bit32(issued->active), at->know->number, CHECK_NO_LANE, w->apart,
                   CHECK_NOWHERE, issued->barrier, 0);
    w->piece = true;
    w->apart = issued->pc;
}

void check_barriers(const struct check_at *at)
{
    const struct issued *issued = at->issued;
    bool waits = issued->flow == ISSUED_AT_BARRIER;
    if (at->role == ISA_ROLE_BARRIER && issued->active && !waits)
        part(at);
    if (!waits && !issued->barrier_arrive)
        return;
    if (issued->barrier == EXEC_CLUSTER_BARRIER) {
        struct check_cluster *c = at->cta->cluster;
        if (c && issued->barrier_arrive && c->arrived[at->cta->rank] & bit(at->know->index)) {
            clock_drop(c->done);
            *c = (struct check_cluster){.users = c->users, .done = c->gathers};
        }
        if (c && issued->barrier_arrive) {
            at->warp->cluster_stamp = order_arrive(&at->launch->order);
            c->arrived[at->cta->rank] |= bit(at->know->index);
            order_give(&at->launch->order, at->know, at->warp->cluster_stamp, &c->gathers);
        }
        at->warp->waits = waits ? EXEC_CLUSTER_BARRIER + 1 : at->warp->waits;
        return;
    }
    if (waits && at->warp->piece && at->warp->apart != issued->pc)
        check_note(at, CHECK_DIVERGENT, CHECK_NO_LANE, at->know->number, CHECK_NO_LANE, at->warp->apart, CHECK_NOWHERE,
                   issued->barrier, 0);
    at->warp->piece = at->warp->piece && !waits;
    arrive(at, waits);
}

/* The phase for which the warp has waited is over. */
static void cluster_passed(const struct check_at *at)
{
    struct check_cluster *c = at->cta->cluster;
    if (!c)
        return;
    if (c->arrived[at->cta->rank] & bit(at->know->index)) {
        clock_drop(c->done);
        *c = (struct check_cluster){.users = c->users, .done = c->gathers};
    }
    order_take(at->know, c->done, at->warp->cluster_stamp);
}

void check_passed(const struct check_at *at)
{
    struct check_warp *w = at->warp;
    if (w->waits == EXEC_CLUSTER_BARRIER + 1)
        cluster_passed(at);
    else if (w->waits)
        complete(at, &at->cta->barrier[w->waits - 1]);
    w->waits = 0;
    if (w->met & at->issued->path) {
        order_meet(&at->launch->order, at->know, w->met, at->exec->live | at->issued->path);
        w->met = 0;
    }
}

/* ---- leftovers --------------------------------------------------------------------------------------------------- */

static void list_warps(uint32_t warps, const char *what, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", what);
    for (uint32_t left = warps; left && used < size; left &= left - 1)
        used += (size_t)snprintf(text + used, size - used, "%s %u", left == warps ? "" : ",", lowest_bit32(left));
}

static void note_left(struct check *check, const struct check_launch *l, const struct check_cta *cta, unsigned number)
{
    const struct check_barrier *b = &cta->barrier[number];
    uint32_t warps = l->of->warps_per_cta, all = warps == 32 ? UINT32_MAX : bit(warps) - 1,
             w = lowest_bit32(b->arrived);
    char arrived[100], gone[100] = "";
    bool is_new;
    struct check_finding *f =
        check_found_at(&check->found, l->of->kernel->cubin->name, CHECK_LEFT, CHECK_NOWHERE, 0, b->pc[w], &is_new);
    if (!f || !is_new)
        return;
    check_place_at(l->of, &f->second, (uint32_t)(cta->linear * warps + w), CHECK_NO_LANE, b->pc[w]);
    f->address = number;
    list_warps(b->arrived, "warps that have arrived:", arrived, sizeof arrived);
    if (all & ~cta->live)
        list_warps(all & ~cta->live, "; that have exited:", gone, sizeof gone);
    snprintf(f->text, sizeof f->text, "barrier %u waits for %" PRIu32 " threads; %s%s", number, b->threads, arrived,
             gone);
}

void check_left(struct check *check, const struct check_launch *l, const struct check_cta *cta)
{
    for (unsigned b = 0; check_wants(check, CHECK_BIT_SYNC) && b < EXEC_BARRIERS; b++)
        if (cta->barrier[b].arrived && (cta->barrier[b].threads || cta->live))
            note_left(check, l, cta, b);
}

/* ---- groups of copies -------------------------------------------------------------------------------------------- */

void check_copies_done(const struct check_at *at, uint32_t open)
{
    struct check_warp *w = at->warp;
    uint32_t first = w->open >= CHECK_GROUPS ? w->open - CHECK_GROUPS + 1 : 0;
    for (uint32_t g = first; g < open; g++)
        if (!w->done[g % CHECK_GROUPS])
            w->done[g % CHECK_GROUPS] = at->launch->order.now;
}

void check_copies(const struct check_at *at)
{
    struct check_warp *w = at->warp;
    const struct isa_inst *isa = at->isa;
    if (w->open && isa->control.wait >> w->counter & 1)
        check_copies_done(at, w->open);
    if (at->role == ISA_ROLE_COPY_WAIT && w->open && isa->mod[ISA_MOD_COUNTER] == w->counter) {
        uint32_t left = isa->mod[ISA_MOD_COUNT];
        check_copies_done(at, left < w->open ? w->open - left : 0);
    }
    if (at->role == ISA_ROLE_COPY_GROUP && isa->control.write_sb != ISA_NO_SB) {
        w->counter = isa->control.write_sb;
        w->open++;
        w->done[w->open % CHECK_GROUPS] = 0;
    }
}

/* ---- barrier objects --------------------------------------------------------------------------------------------- */

static void object(const struct check_at *at, unsigned lane, uint32_t ended)
{
    uint64_t address = at->issued->address[lane];
    uint32_t offset = (uint32_t)address & (bit(EXEC_RANK_SHIFT) - 1);
    bool remote = at->issued->space == ISA_SPACE_CLUSTER;
    struct check_cta *cta = remote ? check_peer(at, (uint32_t)address >> EXEC_RANK_SHIFT) : at->cta;
    if (!cta)
        return;
    uint64_t location = check_shared_location(cta, offset);
    switch (at->sync) {
    case ISA_SYNC_COPIES:
        check_copies_done(at, at->warp->open + 1); /* its copies count for a thread that sees the phase end */
    /* fall through */
    case ISA_SYNC_ARRIVE: order_arrive_at(&at->launch->order, at->know, lane, location); break;
    case ISA_SYNC_WAIT:
        if (ended >> lane & 1)
            order_acquire(&at->launch->order, at->know, lane, location, true);
        break;
    case ISA_SYNC_WRITE: shadow_renew(&cta->shared, offset, 8); break;
    default: break;
    }
}

void check_objects(const struct check_at *at)
{
    uint32_t ended = at->issued->active & ~at->exec->wait.lanes;
    for (uint32_t left = at->issued->active; left; left &= left - 1)
        object(at, lowest_bit32(left), ended);
}
