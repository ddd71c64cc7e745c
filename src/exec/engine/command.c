#include "exec/engine/command.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/engine/command_move.h"
#include "exec/engine/work_answer.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/memory/atomic.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/proxy_see.h"
#include "exec/memory/remote.h"
#include "exec/memory/store_log.h"
#include "exec/module.h"

enum { LINE = 4 * LOG_SECTOR, BARRIER = 8 };

bool command_init(struct exec_core *core, struct arena *arena, struct status *status)
{
    core->command = arena_take(arena, EXEC_COMMANDS * sizeof *core->command);
    if (!core->command)
        return status_fail(status, STATUS_MEMORY, "no host memory for the commands in flight of an SM");
    memset(core->command, 0, EXEC_COMMANDS * sizeof *core->command);
    return true;
}

void command_free(struct exec_core *core)
{
    for (uint32_t i = 0; core->command && i < EXEC_COMMANDS; i++)
        free((void *)core->command[i].applied);
}

/* ---- as a whole -------------------------------------------------------------------------------------------------- */

static void copy_shared(struct exec_core *core, const struct exec_command *c, struct exec_cta *to)
{
    const struct transfer *t = &c->box.transfer;
    if (c->reduces)
        command_combine(c, to->shared + t->shared, c->cta->shared + c->source, t->bytes);
    else
        memmove(to->shared + t->shared, c->cta->shared + c->source, t->bytes);
    mbarrier_complete(core, to, t->barrier, t->bytes);
}

static void write_answer(struct exec_core *core, const struct exec_command *c, struct exec_cta *to)
{
    const struct transfer *t = &c->box.transfer;
    assert(!c->asks);
    memcpy(to->shared + t->shared, c->work, sizeof c->work);
    mbarrier_complete(core, to, t->barrier, t->bytes);
}

static bool takes_effect_as_a_whole(const struct exec_command *c)
{
    enum transfer_kind kind = (enum transfer_kind)c->box.transfer.kind;
    return kind == TRANSFER_LOAD || kind == TRANSFER_SHARED || kind == TRANSFER_WORK;
}

/* ---- the checker between the proxies ----------------------------------------------------------------------------- */

/* The command begins to write its box in the memory of this CTA. Where the bytes count at the other CTA of the pair,
 * no warp waits for them here: they count as present at the next look. */
static uint32_t see_writes(const struct exec_core *core, const struct exec_command *c, struct exec_cta *to)
{
    const struct transfer *t = &c->box.transfer;
    uint32_t number = proxy_see_begin(to, c->pc, c->warp, t->barrier);
    uint32_t bytes = t->kind == TRANSFER_LOAD ? (uint32_t)box_room(&c->box) : t->bytes;
    if (number)
        proxy_see_bytes(core, to, number, t->shared, bytes, true);
    if (transfer_signals_other(t, to->cluster.rank))
        proxy_async_done(to->shadow, number);
    return number;
}

/* The bytes that it reads from the own CTA's memory, and writes there, from its issue on. */
static void see(const struct exec_core *core, struct exec_command *c)
{
    const struct transfer *t = &c->box.transfer;
    if (!c->cta->shadow)
        return;
    if (t->kind != TRANSFER_LOAD && t->kind != TRANSFER_WORK) {
        bool copies = t->kind == TRANSFER_SHARED;
        c->seen = proxy_see_begin(c->cta, c->pc, c->warp, UINT32_MAX);
        proxy_see_bytes(core, c->cta, c->seen, copies ? c->source : t->shared,
                        copies ? t->bytes : (uint32_t)box_room(&c->box), false);
        if (copies)
            proxy_async_done(c->cta->shadow, c->seen);
    }
    if (takes_effect_as_a_whole(c) && t->targets >> c->cta->cluster.rank & 1)
        see_writes(core, c, c->cta);
}

/* Returns the CTA of this rank; NULL, with a fault: it has exited. */
static struct exec_cta *living(struct exec_core *core, const struct exec_command *c, unsigned rank)
{
    struct exec_cta *to = remote_peer(c->cta, rank);
    if (to && exec_cta_lives(to))
        return to;
    const struct exec_kernel *kernel = c->cta->launch->kernel;
    exec_fault_core(core, EXEC_FAULT_ADDRESS,
                    "kernel %s, pc 0x%" PRIx32 ": the CTA of rank %u, to whose shared memory the copy goes, has exited",
                    kernel && kernel->cubin ? kernel->cubin->name : "?", c->pc, rank);
    return NULL;
}

/* The data of a pair's other CTA are there, and count at the barrier of this one. */
static void signal_at(struct exec_core *core, const struct exec_command *c, unsigned rank)
{
    struct exec_cta *to = living(core, c, rank);
    if (to)
        mbarrier_complete(core, to, c->box.transfer.barrier, c->box.transfer.bytes);
}

/* Does the part that takes effect as a whole, for one CTA. `core` is the one that the CTA is on. */
static void run_for(struct exec_core *core, const struct exec_command *c, unsigned rank)
{
    struct exec_cta *to = living(core, c, rank);
    if (!to)
        return;
    if (to != c->cta)
        see_writes(core, c, to);
    switch (c->box.transfer.kind) {
    case TRANSFER_LOAD: command_load(core, c, to); break;
    case TRANSFER_WORK: write_answer(core, c, to); break;
    default: copy_shared(core, c, to); break;
    }
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Returns the first byte beyond all that the box has in shared memory. */
static uint64_t shared_end(const struct box *box)
{
    uint64_t end = box->transfer.shared + box_room(box), highest = 0;
    uint32_t period = swizzle_period((enum swizzle)box->swizzle);
    uint64_t rounded = (end + period - 1) / period * period;
    if (box->swizzle == SWIZZLE_NONE || box->transfer.shared % period == 0)
        return end;
    for (uint64_t at = box->transfer.shared; at < end && rounded > end; at += 8) {
        uint64_t place = swizzle_address((enum swizzle)box->swizzle, (uint32_t)at, 0) + 8u;
        highest = place > highest ? place : highest;
    }
    return highest > end ? highest : end;
}

static bool check_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint64_t offset,
                         uint64_t end, uint32_t grain, const char *what)
{
    uint32_t size = warp->cta->launch->shared_bytes;
    if (offset % grain) {
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, offset, EXEC_FAULT_MISALIGNED,
                      "misaligned address 0x%" PRIx64 " in shared memory of a %s: it is no multiple of %u", offset,
                      what, grain);
        return false;
    }
    if (end <= size)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, offset, EXEC_FAULT_ADDRESS,
                  "illegal address 0x%" PRIx64 " in shared memory of a %s, which needs the bytes up to 0x%" PRIx64
                  ": there are %" PRIu32 " bytes",
                  offset, what, end, size);
    return false;
}

static bool check_row(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct transfer *t, uint32_t row, const char *what)
{
    uint64_t address;
    char place[200];
    if (!transfer_row(t, row, &address) || memory_inside(core->memory, address, transfer_span(t)))
        return true;
    if (memory_inside(core->memory, address, 1))
        address += transfer_span(t) - 1;
    memory_place(core->memory, address, place, sizeof place);
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                  "illegal address 0x%" PRIx64 " of a %s: %s", address, what, place);
    return false;
}

/* Most boxes lie in one allocation, with all between their first and their last row. */
static bool check_rows(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                       const struct transfer *t, const char *what)
{
    uint64_t low = t->base, bytes = transfer_span(t);
    bool named = t->extent[1] == 0; /* rows one by one */
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS && !named; d++) {
        if (t->from[d] >= t->to[d])
            return true;
        low += t->from[d] * t->stride[d];
        bytes += (t->to[d] - 1u - t->from[d]) * t->stride[d];
    }
    if (bytes == 0 || (!named && memory_inside(core->memory, low, bytes)))
        return true;
    for (uint32_t row = 0; row < t->rows; row++)
        if (!check_row(core, warp, inst, t, row, what))
            return false;
    return true;
}

static bool check_targets(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                          const struct transfer *t)
{
    for (uint32_t left = t->targets | t->signals; left; left &= left - 1) {
        unsigned rank = lowest_bit32(left);
        if (!remote_peer(warp->cta, rank)) {
            exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_ADDRESS,
                       "the cluster has no CTA of rank %u, to which the copy goes", rank);
            return false;
        }
    }
    return true;
}

bool command_check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                   const struct exec_command *c, uint32_t grain, const char *what)
{
    const struct transfer *t = &c->box.transfer;
    bool arrives = takes_effect_as_a_whole(c);
    if (t->kind == TRANSFER_PREFETCH)
        return true;
    if (!check_shared(core, warp, inst, t->shared, shared_end(&c->box), grain, what))
        return false;
    if (arrives &&
        !check_shared(core, warp, inst, t->barrier, (uint64_t)t->barrier + BARRIER, BARRIER, "barrier object"))
        return false;
    if (t->kind == TRANSFER_SHARED &&
        !check_shared(core, warp, inst, c->source, (uint64_t)c->source + t->bytes, grain, what))
        return false;
    bool in_device_memory = t->kind != TRANSFER_SHARED && t->kind != TRANSFER_WORK;
    if (in_device_memory && !check_rows(core, warp, inst, t, what))
        return false;
    return check_targets(core, warp, inst, t);
}

/* ---- effects so far --------------------------------------------------------------------------------------- */

bool command_applied(struct exec_command *c)
{
    if (!c->applied)
        c->applied = malloc(COMMAND_LINES / 8);
    return c->applied != NULL;
}

/* The number of a line in a row. Lines that a row can touch are counted for each. */
static uint64_t line_number(const struct exec_command *c, uint32_t row, uint64_t line)
{
    const struct transfer *t = &c->box.transfer;
    uint64_t address, lines = transfer_span(t) / LINE + 2;
    transfer_row(t, row, &address);
    uint64_t number = row * lines + (line - address / LINE * LINE) / LINE;
    assert(number < COMMAND_LINES);
    return number;
}

static void note_applied(const struct exec_command *c, uint32_t row, uint64_t line)
{
    uint64_t number = line_number(c, row, line);
    c->applied[number / 64] |= UINT64_C(1) << number % 64;
}

static bool is_applied(const struct exec_command *c, uint32_t row, uint64_t line)
{
    uint64_t number = line_number(c, row, line);
    return c->applied[number / 64] >> number % 64 & 1;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void command_begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                   const struct exec_command *command, struct issued *out)
{
    const struct transfer *t = &command->box.transfer;
    struct exec_command c = *command;
    c.cta = warp->cta;
    c.pc = inst->isa.pc;
    c.warp = warp->index;
    out->transfer = *t;
    out->cache_policy = 0;
    if (inst->isa.has_descriptor && inst->isa.ureg_descriptor != ISA_URZ)
        out->cache_policy = warp->ureg[inst->isa.ureg_descriptor] | (uint64_t)warp->ureg[inst->isa.ureg_descriptor + 1]
                                                                        << 32;
    if (t->kind == TRANSFER_PREFETCH)
        return;
    see(core, &c);
    c.asks = t->kind == TRANSFER_WORK;
    if (core->immediate) {
        if (c.asks)
            work_answer(&c, core->work.take, core->work.context);
        for (uint32_t left = takes_effect_as_a_whole(&c) ? t->targets : 0; left; left &= left - 1)
            run_for(core, &c, lowest_bit32(left));
        for (uint32_t left = t->signals; left; left &= left - 1)
            signal_at(core, &c, lowest_bit32(left));
        bool leaves = t->kind == TRANSFER_STORE || t->kind == TRANSFER_REDUCTION;
        for (uint32_t row = 0; leaves && row < t->rows; row++)
            command_move_row(core, &c, c.cta, row, 0, UINT64_MAX);
        if (leaves)
            proxy_async_done(c.cta->shadow, c.seen);
        return;
    }
    if (core->token - EXEC_TOKENS >= EXEC_COMMANDS) {
        exec_refuse(core, warp, inst, "the engine for bulk and tensor copies, in this timed run");
        return;
    }
    struct exec_command *place = &core->command[core->token - EXEC_TOKENS];
    c.applied = place->applied;
    if (t->kind == TRANSFER_REDUCTION && !command_applied(&c)) {
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_MEMORY, "no host memory for a reduction in flight");
        return;
    }
    if (t->kind == TRANSFER_REDUCTION)
        memset((void *)c.applied, 0, COMMAND_LINES / 8);
    out->deferred = true;
    c.used = true;
    *place = c;
}

void exec_command_apply(struct exec_core *core, uint32_t command, uint32_t row, uint64_t line, uint32_t sectors)
{
    const struct exec_command *c = &core->command[command];
    assert(command < EXEC_COMMANDS && c->used && line % LINE == 0);
    if (c->reduces)
        note_applied(c, row, line);
    for (; sectors; sectors &= sectors - 1) {
        uint64_t low = line + LOG_SECTOR * lowest_bit32(sectors);
        command_move_row(core, c, c->cta, row, low, low + LOG_SECTOR);
    }
}

void exec_command_complete(struct exec_core *core, uint32_t command)
{
    struct exec_command *c = &core->command[command];
    assert(command < EXEC_COMMANDS && c->used);
    unsigned own = c->cta->cluster.rank;
    if (takes_effect_as_a_whole(c) && !(c->served >> own & 1) && c->box.transfer.targets >> own & 1)
        run_for(core, c, own);
    if (c->box.transfer.signals >> own & 1)
        signal_at(core, c, own);
    if (!takes_effect_as_a_whole(c))
        proxy_async_done(c->cta->shadow, c->seen);
    c->used = false;
}

void exec_command_serve(struct exec_core *core, struct exec_core *from, uint32_t command, uint32_t rank)
{
    struct exec_command *c = &from->command[command];
    uint16_t bit = (uint16_t)(1u << rank);
    assert(command < EXEC_COMMANDS && c->used);
    bool data = c->box.transfer.targets & bit && !(c->served & bit);
    c->served |= bit;
    (data ? run_for : signal_at)(core, c, rank);
    c->signalled |= data ? 0 : bit;
}

/* The lines of a row that have not taken effect do so. */
static void settle_row(struct exec_core *core, const struct exec_command *c, uint32_t row)
{
    uint64_t address, span = transfer_span(&c->box.transfer);
    if (!transfer_row(&c->box.transfer, row, &address))
        return;
    for (uint64_t line = address / LINE * LINE; line < address + span; line += LINE)
        if (!c->reduces || !is_applied(c, row, line))
            command_move_row(core, c, c->cta, row, line, line + LINE);
}

void command_settle(struct exec_core *core)
{
    for (uint32_t i = 0; core->command && i < EXEC_COMMANDS; i++) {
        struct exec_command *c = &core->command[i];
        bool whole = takes_effect_as_a_whole(c);
        if (!c->used)
            continue;
        for (uint32_t left = whole ? c->box.transfer.targets & ~(uint32_t)c->served : 0; left; left &= left - 1)
            run_for(core, c, lowest_bit32(left));
        for (uint32_t left = whole ? c->box.transfer.signals & ~(uint32_t)c->signalled : 0; left; left &= left - 1)
            signal_at(core, c, lowest_bit32(left));
        for (uint32_t row = 0; !whole && row < c->box.transfer.rows; row++)
            settle_row(core, c, row);
        if (!whole)
            proxy_async_done(c->cta->shadow, c->seen);
        c->used = false;
    }
}
