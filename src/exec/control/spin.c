#include "exec/control/spin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "exec/code/lines.h"
#include "exec/exec.h"
#include "exec/memory/access.h"
#include "exec/observers.h"
#include "exec/warp.h"

uint64_t spin_state(const struct exec_warp *warp)
{
    uint64_t digest = warp_registers(warp);
    for (uint32_t i = 0; i < warp->paths; i++) {
        const struct exec_path *p = &warp->path[i];
        const uint32_t facts[] = {p->pc, p->mask, p->wait, p->state, p->group, warp->current};
        digest = hash_bytes(digest, facts, sizeof facts);
    }
    return digest;
}

bool spin_waits(const struct exec_warp *warp)
{
    for (uint32_t i = 0; i < warp->paths; i++)
        if (warp->path[i].state == EXEC_PATH_READY)
            return false;
    return true;
}

/* ---- where they are ---------------------------------------------------------------------------------------------- */

/* The smallest loop around `pc`: from the target of a branch backwards to the branch. */
static void find_loop(const struct exec_kernel *kernel, uint32_t pc, struct spin_loop *loop)
{
    *loop = (struct spin_loop){.first = pc, .last = pc};
    bool found = false;
    for (uint32_t i = pc / 16; i < kernel->count; i++) {
        const struct isa_inst *isa = &kernel->code[i].isa;
        if (isa->op != ISA_OP_BRA || isa->target > pc)
            continue;
        if (!found || isa->pc - isa->target < loop->last - loop->first) {
            loop->first = isa->target;
            loop->last = isa->pc;
        }
        found = true;
    }
}

static bool reads(const struct isa_inst *isa)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    return (info->memory == ISA_MEM_LOAD || info->memory == ISA_MEM_ATOMIC) && info->space != ISA_SPACE_CONSTANT;
}

/* Returns the first read in the loop, since the loop waits for its value. Without a read, the loop's branch. */
static const struct isa_inst *telling_instruction(const struct exec_kernel *kernel, const struct spin_loop *loop)
{
    for (uint32_t i = loop->first / 16; i <= loop->last / 16 && i < kernel->count; i++)
        if (reads(&kernel->code[i].isa))
            return &kernel->code[i].isa;
    return &kernel->code[loop->last / 16].isa;
}

/* The address that the loop's read asks for again and again: the word at the address of the warp's first thread, as its
 * registers are now. */
static void find_wait(const struct exec_warp *warp, struct spin_loop *loop)
{
    const struct exec_launch *launch = warp->cta->launch;
    const struct isa_inst *isa = telling_instruction(launch->kernel, loop);
    uint32_t offset[EXEC_LANES];
    struct issued at;
    unsigned lane = lowest_bit32(warp->path[warp->current].mask);
    loop->waits = false;
    if (!reads(isa))
        return;
    loop->shared = isa_op_info((enum isa_op)isa->op)->space == ISA_SPACE_SHARED;
    if (loop->shared) {
        access_shared_addresses(warp, isa, offset);
        loop->address = offset[lane];
        loop->waits = (uint64_t)offset[lane] + sizeof loop->value <= launch->shared_bytes;
        if (loop->waits)
            memcpy(&loop->value, warp->cta->shared + offset[lane], sizeof loop->value);
        return;
    }
    access_global_addresses(warp, isa, &at);
    loop->address = at.address[lane];
    loop->waits = memory_read(launch->module->memory, &loop->value, at.address[lane], sizeof loop->value);
}

static void add_waiting(struct spin_report *report, const struct exec_warp *warp)
{
    if (report->waiting++ > 0)
        return;
    report->waiting_cta = warp->cta->index;
    report->waiting_warp = warp->index;
    for (uint32_t i = 0; i < warp->paths; i++)
        if (warp->path[i].state == EXEC_PATH_AT_BARRIER)
            report->waiting_barrier = warp->path[i].wait;
}

void spin_add(struct spin_report *report, const struct exec_warp *warp)
{
    struct spin_loop loop;
    uint32_t i = 0;
    report->launch = warp->cta->launch;
    if (spin_waits(warp)) {
        add_waiting(report, warp);
        return;
    }
    find_loop(report->launch->kernel, exec_pc(warp), &loop);
    while (i < report->loops && report->loop[i].first != loop.first)
        i++;
    if (i == SPIN_LOOPS) {
        report->elsewhere++;
        return;
    }
    if (i == report->loops)
        report->loop[report->loops++] = loop;
    struct spin_loop *known = &report->loop[i];
    uint64_t linear = warp->cta->linear;
    if (known->warps++ == 0 || linear < known->linear || (linear == known->linear && warp->index < known->warp)) {
        known->linear = linear;
        known->cta = warp->cta->index;
        known->warp = warp->index;
        find_wait(warp, known);
    }
}

/* ---- in words ---------------------------------------------------------------------------------------------------- */

static size_t put_loop(const struct exec_launch *launch, const struct spin_loop *loop, char *text, size_t size)
{
    char sass[ISA_TEXT], line[128];
    const struct isa_inst *isa = telling_instruction(launch->kernel, loop);
    isa_print(isa, sass);
    exec_line(launch, isa->pc, line, sizeof line);
    int n =
        snprintf(text, size,
                 "; %" PRIu64 " warp%s at pc 0x%" PRIx32 " to 0x%" PRIx32 " (0x%" PRIx32 ": %.80s%s%s), the first of "
                 "CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") warp %" PRIu32,
                 loop->warps, loop->warps == 1 ? "" : "s", loop->first, loop->last, isa->pc, sass, line[0] ? ", " : "",
                 line, loop->cta.x, loop->cta.y, loop->cta.z, loop->warp);
    size_t used = n > 0 ? (size_t)n : 0;
    if (loop->waits && used < size)
        used +=
            (size_t)snprintf(text + used, size - used, ", which waits for a change of %s 0x%" PRIx64 ", now 0x%" PRIx32,
                             loop->shared ? "shared memory" : "global memory", loop->address, loop->value);
    return used;
}

static void put_waiting(const struct spin_report *report, char *text, size_t size)
{
    const struct exec_dim *cta = &report->waiting_cta;
    char barrier[32] = "the cluster's barrier";
    if (report->waiting_barrier != EXEC_CLUSTER_BARRIER)
        snprintf(barrier, sizeof barrier, "barrier %" PRIu32, report->waiting_barrier);
    snprintf(text, size,
             "; %" PRIu64 " warp%s at a barrier for those that go round, the first of CTA (%" PRIu32 ",%" PRIu32
             ",%" PRIu32 ") warp %" PRIu32 " at %s",
             report->waiting, report->waiting == 1 ? " waits" : "s wait", cta->x, cta->y, cta->z, report->waiting_warp,
             barrier);
}

void spin_text(const struct spin_report *report, uint64_t amount, const char *unit, char text[static SPIN_TEXT])
{
    size_t used = (size_t)snprintf(text, SPIN_TEXT,
                                   "spins: no CTA has begun or ended for %" PRIu64
                                   " %s, and its warps go round without a change of their registers",
                                   amount, unit);
    for (uint32_t i = 0; i < report->loops && used < SPIN_TEXT; i++)
        used += put_loop(report->launch, &report->loop[i], text + used, SPIN_TEXT - used);
    if (report->elsewhere && used < SPIN_TEXT)
        used +=
            (size_t)snprintf(text + used, SPIN_TEXT - used, "; %" PRIu64 " warps in other loops", report->elsewhere);
    if (report->waiting && used < SPIN_TEXT)
        put_waiting(report, text + used, SPIN_TEXT - used);
}

/* ---- a functional run -------------------------------------------------------------------------------------------- */

void spin_begin(struct spin_watch *watch, const struct exec_launch *launch)
{
    uint64_t asked = launch->spins ? launch->spins->after : 0;
    *watch = (struct spin_watch){.after = asked ? asked : SPIN_AFTER_INSTRUCTIONS, .report = {.launch = launch}};
}

void spin_end(struct spin_watch *watch) { free(watch->seen); }

void spin_moved(struct spin_watch *watch, uint64_t instructions)
{
    watch->moved = instructions;
    watch->left = 0;
    watch->holds = false;
}

bool spin_is_due(const struct spin_watch *watch, uint64_t instructions)
{
    return watch->report.launch->spins && !watch->told && !watch->left && instructions - watch->moved >= watch->after;
}

void spin_look(struct spin_watch *watch, const struct exec_resident *resident, uint32_t room, uint32_t turns)
{
    if (!watch->seen)
        watch->seen = calloc(room, 32 * sizeof *watch->seen);
    for (uint32_t i = 0; watch->seen && i < room; i++) {
        watch->left += resident[i].live ? turns : 0;
        for (uint32_t warp = 0; warp < 32; warp++)
            watch->seen[32 * i + warp] = (struct spin_warp){.pc = UINT32_MAX}; /* those that do not run are nowhere */
        for (uint32_t left = resident[i].live ? resident[i].runs : 0; left; left &= left - 1) {
            const struct exec_warp *warp = &resident[i].cta->warps[lowest_bit32(left)];
            watch->seen[32 * i + lowest_bit32(left)] = (struct spin_warp){spin_state(warp), exec_pc(warp), false};
        }
    }
}

void spin_see(struct spin_watch *watch, uint32_t index, uint32_t warp, const struct exec_resident *resident)
{
    struct spin_warp *seen = &watch->seen[32 * index + warp];
    const struct exec_warp *now = &resident->cta->warps[warp];
    if ((resident->runs & UINT32_C(1) << warp) && !seen->back && exec_pc(now) == seen->pc)
        seen->back = spin_state(now) == seen->state;
}

/* Adds all warps. Returns whether each of them spins or waits. */
static bool add_warps(struct spin_watch *watch, const struct exec_resident *resident, uint32_t room)
{
    watch->report = (struct spin_report){.launch = watch->report.launch};
    for (uint32_t i = 0; i < room; i++) {
        const struct exec_resident *r = &resident[i];
        for (uint32_t left = r->live ? r->runs | r->waits : 0; left; left &= left - 1) {
            uint32_t warp = lowest_bit32(left);
            if ((r->runs & UINT32_C(1) << warp) && !watch->seen[32 * i + warp].back)
                return false;
            spin_add(&watch->report, &r->cta->warps[warp]);
        }
    }
    return watch->report.loops > 0;
}

void spin_turn(struct spin_watch *watch, uint64_t instructions, const struct exec_resident *resident, uint32_t room)
{
    if (--watch->left > 0)
        return;
    if (!add_warps(watch, resident, room)) {
        watch->after *= 2;
        return;
    }
    watch->told = watch->holds = true;
    spin_text(&watch->report, instructions - watch->moved, "warp instructions", watch->text);
    spin_again(watch);
}

void spin_again(const struct spin_watch *watch)
{
    const struct exec_launch *launch = watch->report.launch;
    if (watch->holds)
        launch->spins->tell(launch->spins->self, launch->kernel->cubin->name, watch->text);
}
