#include "exec/warp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/pascal/stack_state.h"

enum {
    TURN_BRANCHES = 64,         /* jumps backwards before another path has its turn */
    JOIN_BRANCHES = 256,        /* and before paths in one place join, so that a loop without an end can be told */
    OTHERS_BRANCHES = 4096,     /* and before paths that could go on are no longer expected to end the loop */
    ASKING_BRANCHES = 4096,     /* of a path that asks other warps for something (exec/retry.h), before it is expected
                                 * to wait for threads of its own at a convergence barrier */
    PATIENCE_BRANCHES = 1 << 20 /* and for which threads at a convergence barrier wait at most */
};

void warp_start(struct exec_warp *warp, uint32_t launched)
{
    memset(warp->reg, 0, warp->register_count * sizeof *warp->reg);
    memset(warp->pred, 0, sizeof warp->pred);
    memset(warp->ureg, 0, sizeof warp->ureg);
    memset(warp->barrier, 0, sizeof warp->barrier);
    memset(warp->rpc, 0, sizeof warp->rpc);
    warp->pred[ISA_PT] = UINT32_MAX;
    warp->upred = 1u << ISA_PT;
    warp->live = warp->launched = launched;
    warp->paths = launched ? 1 : 0;
    warp->current = 0;
    warp->path[0] = (struct exec_path){.mask = launched};
    warp->backward_branches = 0;
    warp->asked = warp->answered = 0;
    memset(warp->arrived, 0, sizeof warp->arrived);
    warp->spin_pc = UINT32_MAX;
    warp->wait.lanes = 0;
    warp->registers = (uint32_t)align_up(warp->cta->launch->kernel->cubin->registers, 8);
    warp->wanted = 0;
    warp->retries = 0;
    warp->warpgroup = (struct exec_warpgroup){0};
    if (warp->stack)
        stack_start(warp->stack);
    warp->generation++;
}

uint32_t exec_pc(const struct exec_warp *warp) { return warp->path[warp->current].pc; }

static void remove_path(struct exec_warp *warp, uint32_t at)
{
    uint32_t last = --warp->paths;
    warp->path[at] = warp->path[last];
    if (warp->current == last)
        warp->current = at;
}

struct exec_path *warp_part(struct exec_warp *warp, uint32_t lanes)
{
    struct exec_path *current = warp_current(warp);
    if (lanes == current->mask)
        return current;
    struct exec_path *part = &warp->path[warp->paths++];
    *part = *current;
    part->mask = lanes;
    current->mask &= ~lanes;
    return part;
}

void warp_exit(struct exec_warp *warp, uint32_t lanes)
{
    struct exec_path *current = warp_current(warp);
    warp->live &= ~lanes;
    warp->backward_branches = 0;
    current->mask &= ~lanes;
    if (!current->mask && warp->paths > 1)
        remove_path(warp, warp->current);
    if (!warp->live)
        warp->paths = 0;
    if (warp->current >= warp->paths)
        warp->current = 0;
}

void warp_leave_barrier(struct exec_warp *warp, unsigned number, uint32_t lanes)
{
    uint32_t *members = warp->barrier[number];
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        for (uint32_t mates = members[lane] & ~lanes; mates; mates &= mates - 1)
            members[lowest_bit32(mates)] &= ~(1u << lane);
        members[lane] = 0;
    }
}

/* ---- waiting for each other ------------------------------------------------------------------------------------ */

static bool waits_for_threads(const struct exec_path *p)
{
    return p->state != EXEC_PATH_READY && p->state != EXEC_PATH_AT_BARRIER;
}

static bool wait_alike(const struct exec_path *a, const struct exec_path *b)
{
    return a->state == b->state && (a->state != EXEC_PATH_AT_BSYNC || a->wait == b->wait);
}

/* The live threads that must arrive before the path continues. */
static uint32_t awaited(const struct exec_warp *warp, const struct exec_path *p)
{
    if (p->state != EXEC_PATH_AT_BSYNC)
        return p->wait & warp->live;
    uint32_t lanes = 0;
    for (uint32_t left = p->mask; left; left &= left - 1)
        lanes |= warp->barrier[p->wait][lowest_bit32(left)];
    return lanes & warp->live;
}

/* The threads that can go on together with this waiting path, 0 if a thread is missing. Those that it waits for may
 * wait for others in turn. A thread that waits at the same barrier, but not for this path, has not arrived: it is in
 * a function that uses the barrier for itself. */
static uint32_t complete_group(const struct exec_warp *warp, const struct exec_path *start)
{
    uint32_t group = start->mask;
    for (;;) {
        uint32_t need = 0, grown = group;
        for (uint32_t i = 0; i < warp->paths; i++)
            if (warp->path[i].mask & group)
                need |= awaited(warp, &warp->path[i]);
        for (uint32_t i = 0; i < warp->paths; i++)
            if (wait_alike(start, &warp->path[i]) && warp->path[i].mask & need && awaited(warp, &warp->path[i]) & group)
                grown |= warp->path[i].mask;
        if (need & ~grown)
            return 0;
        if (grown == group)
            return group;
        group = grown;
    }
}

static void let_go(struct exec_warp *warp, uint32_t group)
{
    for (uint32_t i = 0; i < warp->paths; i++) {
        struct exec_path *p = &warp->path[i];
        if (!(p->mask & group))
            continue;
        if (p->state == EXEC_PATH_AT_BSYNC)
            warp_leave_barrier(warp, p->wait, p->mask);
        p->group = p->exclusive ? group : 0;
        p->exclusive = false;
        p->state = EXEC_PATH_READY;
    }
}

/* Threads in a collective section all execute the instructions behind the last arrival. */
static void gather(struct exec_warp *warp, uint32_t group, uint32_t first)
{
    uint32_t current = warp->current < warp->paths ? warp->current : first;
    uint32_t pc = warp->path[warp->path[current].mask & group ? current : first].pc;
    for (uint32_t i = 0; i < warp->paths; i++)
        if (warp->path[i].mask & group)
            warp->path[i].pc = pc;
}

/* Returns the threads that need not wait any more. */
static uint32_t release_complete(struct exec_warp *warp)
{
    uint32_t released = 0;
    for (uint32_t i = 0; i < warp->paths; i++) {
        if (!waits_for_threads(&warp->path[i]))
            continue;
        uint32_t group = complete_group(warp, &warp->path[i]);
        if (group && warp->path[i].state == EXEC_PATH_AT_COLLECTIVE)
            gather(warp, group, i);
        if (group)
            let_go(warp, group);
        released |= group;
    }
    return released;
}

static bool same_place(const struct exec_warp *warp, const struct exec_path *a, const struct exec_path *b)
{
    if (a->pc != b->pc || a->state != b->state || a->group != b->group || a->exclusive != b->exclusive)
        return false;
    if (a->state == EXEC_PATH_READY)
        return true;
    return a->wait == b->wait && a->warps == b->warps && a->reduces == b->reduces &&
           (a->state != EXEC_PATH_AT_BSYNC || awaited(warp, a) == awaited(warp, b));
}

/* Paths that can go on in one place stay apart, unless they were released together. Source: on an H200 each path
 * executes the BSYNC that it runs into (docs/core.md). */
static bool join(const struct exec_warp *warp, const struct exec_path *a, const struct exec_path *b, uint32_t released)
{
    bool together = a->state != EXEC_PATH_READY || ((a->mask & released) && (b->mask & released));
    return together && same_place(warp, a, b);
}

/* Paths that wait in the same place become one, and so do ready ones of which these threads were released. */
static void merge(struct exec_warp *warp, uint32_t released)
{
    for (uint32_t i = 0; i < warp->paths; i++)
        for (uint32_t j = i + 1; j < warp->paths;) {
            if (!join(warp, &warp->path[i], &warp->path[j], released)) {
                j++;
                continue;
            }
            warp->path[i].mask |= warp->path[j].mask;
            if (warp->current == j)
                warp->current = i;
            remove_path(warp, j);
        }
}

/* Does the path wait only for threads that have left its barrier? A BREAK while the barrier was saved in a register
 * leaves such masks behind. */
static bool waits_for_leavers(const struct exec_warp *warp, const struct exec_path *p)
{
    for (uint32_t left = awaited(warp, p) & ~p->mask; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (warp->barrier[p->wait][lane] >> lane & 1)
            return false;
    }
    return true;
}

/* Lets the next path go that waits at a convergence barrier, first one that waits in vain. Returns false if none
 * waits. */
static bool break_convergence(struct exec_warp *warp)
{
    struct exec_path *next = NULL;
    for (uint32_t n = 1; n <= warp->paths; n++) {
        struct exec_path *p = &warp->path[(warp->current + n) % warp->paths];
        if (p->state == EXEC_PATH_AT_BSYNC && (!next || (!waits_for_leavers(warp, next) && waits_for_leavers(warp, p))))
            next = p;
    }
    if (!next)
        return false;
    warp_leave_barrier(warp, next->wait, next->mask);
    next->state = EXEC_PATH_READY;
    return true;
}

/* ---- choosing -------------------------------------------------------------------------------------------------- */

static bool choose(struct exec_warp *warp, enum warp_choice choice)
{
    uint32_t best = warp->paths;
    bool ready = warp_current(warp)->state == EXEC_PATH_READY;
    if (choice == WARP_STAY && ready)
        return true;
    for (uint32_t n = 1; n <= warp->paths; n++) {
        uint32_t i = (warp->current + n) % warp->paths;
        if (warp->path[i].state != EXEC_PATH_READY)
            continue;
        if (best == warp->paths || (choice != WARP_NEXT && warp->path[i].pc < warp->path[best].pc))
            best = i;
    }
    if (best == warp->paths)
        return false;
    if (!ready)
        warp->backward_branches = 0;
    if (best != warp->current)
        warp->spin_pc = UINT32_MAX;
    warp->current = best;
    return true;
}

static bool all_at_barrier(const struct exec_warp *warp)
{
    const struct exec_path *first = &warp->path[0];
    for (uint32_t i = 0; i < warp->paths; i++)
        if (warp->path[i].state != EXEC_PATH_AT_BARRIER || warp->path[i].wait != first->wait)
            return false;
    return true;
}

static void stop_at_barrier(struct exec_warp *warp, struct issued *out)
{
    uint32_t pc = UINT32_MAX;
    for (uint32_t i = 0; i < warp->paths; i++)
        pc = warp->path[i].pc < pc ? warp->path[i].pc : pc;
    out->flow = ISSUED_AT_BARRIER;
    out->next_pc = pc;
    out->barrier = (uint8_t)warp->path[0].wait;
    out->barrier_warps = warp->path[0].warps;
}

static void report_deadlock(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    static const char *const where[] = {
        [EXEC_PATH_READY] = "can go on",
        [EXEC_PATH_AT_BSYNC] = "waits at BSYNC",
        [EXEC_PATH_AT_WARPSYNC] = "waits at WARPSYNC",
        [EXEC_PATH_AT_COLLECTIVE] = "waits at WARPSYNC.COLLECTIVE",
        [EXEC_PATH_AT_BARRIER] = "waits at a CTA barrier",
    };
    char text[300] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < warp->paths && used < sizeof text; i++) {
        const struct exec_path *p = &warp->path[i];
        int n = snprintf(text + used, sizeof text - used, "%slanes 0x%08" PRIx32 " pc 0x%" PRIx32 " %s (0x%" PRIx32 ")",
                         i ? "; " : "", p->mask, p->pc - 16, where[p->state], p->wait);
        used += n > 0 ? (size_t)n : 0;
    }
    exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_DEADLOCK, "no thread of the warp can ever move again: %s",
               text);
}

void warp_schedule(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                   enum warp_choice choice, struct issued *out)
{
    if (!warp->live) {
        out->flow = ISSUED_EXITED;
        return;
    }
    uint32_t released = release_complete(warp);
    merge(warp, warp->backward_branches < JOIN_BRANCHES ? released : warp->live);
    while (!choose(warp, choice)) {
        if (all_at_barrier(warp)) {
            stop_at_barrier(warp, out);
            return;
        }
        if (!break_convergence(warp)) {
            report_deadlock(core, warp, inst);
            return;
        }
    }
    warp_continue(warp, out);
}

void warp_resume(struct exec_warp *warp)
{
    merge(warp, warp->live);
    choose(warp, WARP_LOWEST);
}

/* ---- loops that wait for another thread of the warp ------------------------------------------------------------ */

static bool other_ready(const struct exec_warp *warp)
{
    for (uint32_t i = 0; i < warp->paths; i++)
        if (i != warp->current && warp->path[i].state == EXEC_PATH_READY)
            return true;
    return false;
}

uint64_t warp_registers(const struct exec_warp *warp)
{
    uint64_t digest = warp->upred;
    for (uint32_t r = 0; r < warp->register_count; r++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane += 2) {
            uint64_t two = (uint64_t)warp->reg[r][lane + 1] << 32 | warp->reg[r][lane];
            digest = (digest ^ two) * UINT64_C(0x9e3779b97f4a7c15);
            digest ^= digest >> 29;
        }
    digest = hash_bytes(digest, warp->pred, sizeof warp->pred);
    return hash_bytes(digest, warp->ureg, sizeof warp->ureg);
}

/* Looks at the registers twice at the same branch, rarely: after 64, 128, 256, ... jumps. */
static bool goes_round(struct exec_warp *warp, uint32_t pc)
{
    uint32_t n = warp->backward_branches;
    if (n >= PATIENCE_BRANCHES)
        return true;
    if (warp->spin_pc == pc) {
        warp->spin_pc = UINT32_MAX;
        return warp->spin_state == warp_registers(warp);
    }
    if (n >= TURN_BRANCHES && (n & (n - 1)) == 0) {
        warp->spin_pc = pc;
        warp->spin_state = warp_registers(warp);
    }
    return false;
}

enum warp_choice warp_backward(struct exec_warp *warp, uint32_t pc, enum warp_choice choice)
{
    uint32_t n = ++warp->backward_branches;
    bool others = other_ready(warp), asks = warp->retries > 0;
    if ((!asks || n >= ASKING_BRANCHES) && goes_round(warp, pc) && (!others || n >= OTHERS_BRANCHES) &&
        break_convergence(warp)) {
        warp->backward_branches = 0;
        return WARP_NEXT;
    }
    bool turn = asks || n % TURN_BRANCHES == 0;
    return others && turn && warp->spin_pc == UINT32_MAX ? WARP_NEXT : choice;
}
