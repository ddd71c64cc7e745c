#include "sm/memory/mbarrier_unit.h"

#include "base/bits.h"
#include "base/order.h"

enum { RETRY_INSTRUCTIONS = 64 /* a longer way back to the same wait is no retry */ };

void mbarrier_unit_begin(struct mbarrier_unit *u) { *u = (struct mbarrier_unit){.to = u->to}; }

/* The result goes to the predicate or the registers, and is ready for the return path at `ready`. */
static void send(const struct mbarrier_unit *u, uint16_t token, uint64_t ready)
{
    enum { LEAST_RETURN = 2 }; /* cycles, as of a load from shared memory */
    const struct access *a = &u->to.table->access[token];
    if (a->returns)
        delivery_send(u->to.delivery, token, RETURN_SHARED, ready, a->bytes, LEAST_RETURN);
    else
        delivery_complete(u->to.delivery, token, ready);
}

static bool is_over(const struct mbarrier_unit *u, uint16_t token)
{
    return u->to.source->ready(u->to.source->self, token);
}

/* Keeps the wait if it is none that ends at once. */
static bool keep(struct mbarrier_unit *u, uint16_t token, uint64_t ready)
{
    uint64_t limit = u->to.config->try_limit;
    if (limit == 0 || u->count == MBARRIER_WAITS || is_over(u, token))
        return false;
    uint64_t until = u->to.source->patient ? UINT64_MAX : ready + limit;
    u->wait[u->count++] = (struct mbarrier_wait){ready, until, token};
    u->to.table->entries--;
    return true;
}

static void end(struct mbarrier_unit *u, const struct mbarrier_wait *wait, uint64_t when)
{
    u->to.table->entries++;
    send(u, wait->token, latest(wait->ready, when));
}

void mbarrier_unit_access(struct mbarrier_unit *u, uint16_t token, uint64_t now)
{
    const struct config_mbarrier *c = u->to.config;
    struct access *a = &u->to.table->access[token];
    uint64_t lanes = a->bank.passes ? a->bank.passes : 1, more = (lanes - 1) * c->lane_interval;
    uint64_t ready = shared_memory_object(u->to.shared, a, now) + c->extra + more;
    u->free = now + latest(c->interval, more + 1);
    if (a->code->mbarrier == CODE_MBARRIER_COPIES) {
        a->answered = true;
        a->data_at = ready;
        if (a->left == 0)
            send(u, token, ready);
        return;
    }
    if (a->code->mbarrier == CODE_MBARRIER_WAIT) {
        if (!a->deferred || !keep(u, token, ready))
            send(u, token, ready);
        return;
    }
    send(u, token, ready);
    mbarrier_unit_look(u, now);
}

void mbarrier_unit_landed(struct mbarrier_unit *u, uint16_t token, uint64_t now)
{
    struct access *a = &u->to.table->access[token];
    a->left = 0;
    if (a->answered)
        send(u, token, latest(a->data_at, now));
}

static void wake_sleepers(struct mbarrier_unit *u, uint64_t when)
{
    const struct sm_source *source = u->to.source;
    for (uint64_t left = u->asleep; left; left &= left - 1) {
        uint32_t slot = lowest_bit64(left);
        const struct warp_gate *gate = &u->to.gates->subcore[slot_subcore(slot)];
        if (!source->awake(source->self, slot))
            continue;
        u->asleep &= ~(UINT64_C(1) << slot);
        if (scheduler_stalled_until(gate->scheduler, slot_warp(slot), when))
            gate_close_until(gate, slot_warp(slot), when);
    }
}

void mbarrier_unit_look(struct mbarrier_unit *u, uint64_t now)
{
    uint64_t when = now + u->to.config->wake;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < u->count; i++) {
        const struct mbarrier_wait wait = u->wait[i];
        if (is_over(u, wait.token)) {
            u->retrying &= ~(UINT64_C(1) << u->to.table->access[wait.token].slot);
            end(u, &wait, when);
        } else {
            u->wait[kept++] = wait;
        }
    }
    u->count = kept;
    if (u->asleep)
        wake_sleepers(u, when);
}

bool mbarrier_unit_run(struct mbarrier_unit *u, uint64_t now)
{
    uint32_t kept = 0, before = u->count;
    for (uint32_t i = 0; i < before; i++) {
        const struct mbarrier_wait wait = u->wait[i];
        if (wait.until <= now) {
            mbarrier_unit_retry(u, u->to.table->access[wait.token].slot);
            end(u, &wait, now);
        } else {
            u->wait[kept++] = wait;
        }
    }
    u->count = kept;
    return kept < before;
}

uint64_t mbarrier_unit_next(const struct mbarrier_unit *u)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < u->count; i++)
        next = earliest(next, u->wait[i].until);
    return next;
}

/* ---- warps that ask again ---------------------------------------------------------------------------------------- */

void mbarrier_unit_sleep(struct mbarrier_unit *u, uint32_t slot) { u->asleep |= UINT64_C(1) << slot; }

void mbarrier_unit_retry(struct mbarrier_unit *u, uint32_t slot)
{
    u->retrying |= UINT64_C(1) << slot;
    u->since[slot] = 0;
}

void mbarrier_unit_forget(struct mbarrier_unit *u, uint32_t slot)
{
    u->retrying &= ~(UINT64_C(1) << slot);
    u->asleep &= ~(UINT64_C(1) << slot);
}

void mbarrier_unit_issue(struct mbarrier_unit *u, uint32_t slot, bool useful)
{
    u->asleep &= ~(UINT64_C(1) << slot);
    if (useful || ++u->since[slot % SM_WARPS] > RETRY_INSTRUCTIONS)
        u->retrying &= ~(UINT64_C(1) << slot);
}
