#include "exec/resident.h"

#include <string.h>

#include "base/bits.h"
#include "base/order.h"
#include "exec/exec.h"
#include "exec/launch.h"

enum { SM_CTAS = 32, SM_WARPS = 64, SM_REGISTERS = 65536, SM_SHARED = 233472 };

static uint32_t bit(uint32_t warp) { return UINT32_C(1) << warp; }

static void leave_barrier(struct exec_resident *r, unsigned barrier)
{
    for (uint32_t left = r->waits; left; left &= left - 1) {
        uint32_t w = lowest_bit32(left), pc;
        if (r->barrier[w] != barrier)
            continue;
        r->waits &= ~bit(w);
        r->runs |= bit(w);
        exec_release_barrier(&r->cta->warps[w], &pc);
    }
}

void resident_try_barrier(struct exec_resident *r, unsigned barrier)
{
    uint32_t needed = r->expected[barrier] ? r->expected[barrier] : r->live;
    if (!r->arrived[barrier] || r->arrived[barrier] < needed)
        return;
    r->arrived[barrier] = 0;
    leave_barrier(r, barrier);
}

void resident_arrive(struct exec_resident *r, const struct issued *out)
{
    r->arrived[out->barrier]++;
    r->expected[out->barrier] = out->barrier_warps;
    resident_try_barrier(r, out->barrier);
}

void resident_warp_gone(struct exec_resident *r, uint32_t w)
{
    r->runs &= ~bit(w);
    r->live--;
    for (unsigned b = 0; b < EXEC_BARRIERS; b++)
        resident_try_barrier(r, b);
}

/* ---- the barrier of a cluster ---------------------------------------------------------------------------------- */

/* The CTA of this rank, NULL if it has ended. Then its storage may be another CTA's. */
static struct exec_resident *member(const struct exec_resident *r, uint32_t rank)
{
    struct exec_resident *peer = r->peer[rank];
    uint64_t group = r->cta->launch->cta_group;
    return peer && peer->live && peer->cta->order / group == r->cta->order / group ? peer : NULL;
}

/* All warps of the cluster that have not exited have arrived. */
static bool cluster_complete(const struct exec_resident *r)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < r->cta->cluster.size; i++) {
        const struct exec_resident *peer = member(r, i);
        if (peer && (peer->runs | peer->waits) & ~peer->cluster_arrived)
            return false;
        any |= peer ? peer->cluster_arrived : 0;
    }
    return any != 0;
}

void resident_try_cluster(struct exec_resident *r)
{
    if (!cluster_complete(r))
        return;
    for (uint32_t i = 0; i < r->cta->cluster.size; i++) {
        struct exec_resident *peer = member(r, i);
        if (!peer)
            continue;
        peer->cluster_arrived = 0;
        leave_barrier(peer, EXEC_CLUSTER_BARRIER);
    }
}

void resident_arrive_at_cluster(struct exec_resident *r, uint32_t w)
{
    r->cluster_arrived |= bit(w);
    resident_try_cluster(r);
}

/* A warp whose arrival belongs to a phase that is over does not wait. */
void resident_wait_for_cluster(struct exec_resident *r, uint32_t w)
{
    uint32_t pc;
    if (r->cluster_arrived & bit(w))
        exec_resident_wait(r, w, EXEC_CLUSTER_BARRIER);
    else
        exec_release_barrier(&r->cta->warps[w], &pc);
}

void exec_resident_begin(struct exec_resident *r)
{
    r->runs = r->waits = r->asleep = 0;
    r->turn = 0;
    memset(r->there, 0, sizeof r->there);
    memset(r->arrived, 0, sizeof r->arrived);
    r->cluster_arrived = 0;
    for (uint32_t w = 0; w < r->cta->launch->warps_per_cta; w++)
        r->runs |= r->cta->warps[w].live ? bit(w) : 0;
    r->live = popcount32(r->runs);
}

void exec_resident_wait(struct exec_resident *r, uint32_t warp, unsigned barrier)
{
    r->runs &= ~bit(warp);
    r->waits |= bit(warp);
    r->barrier[warp] = (uint8_t)barrier;
}

/* A warp of another CTA in the cluster can still let the warps of this one go on. */
bool resident_others_run(const struct exec_resident *r)
{
    for (uint32_t i = 0; i < r->cta->cluster.size; i++)
        if (member(r, i) && member(r, i)->runs)
            return true;
    return false;
}

uint32_t resident_limit(const struct exec_launch *launch)
{
    uint32_t warps = launch->warps_per_cta, each = smaller(SM_CTAS, SM_WARPS / warps);
    uint32_t registers = launch->kernel->rows * EXEC_LANES * warps;
    if (registers)
        each = smaller(each, SM_REGISTERS / registers);
    if (launch->shared_bytes)
        each = smaller(each, SM_SHARED / launch->shared_bytes);
    uint64_t limit = launch->cooperative ? launch->cta_count : (uint64_t)(each ? each : 1) * launch->sm_count;
    if (launch->local_base && limit > launch->local_slots / warps)
        limit = launch->local_slots / warps;
    limit = limit > launch->cta_group ? limit / launch->cta_group * launch->cta_group : launch->cta_group;
    return (uint32_t)(limit < launch->cta_count ? limit : launch->cta_count);
}
