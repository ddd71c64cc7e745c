#include "check.h"

#include <inttypes.h>

#include "base/bits.h"
#include "exec/cta.h"
#include "exec/launch.h"

void match_open(struct match *c, const char *path)
{
    struct status status = {0};
    memset(c, 0, sizeof *c);
    c->file = trace_open(path, &status);
    if (!c->file)
        fail_msg("%s", status.text);
}

void match_begin(struct match *c)
{
    struct status status = {0};
    assert_in_range(c->next + 1, 1, trace_kernels(c->file));
    c->kernel = trace_kernel_open(c->file, c->next++, &status);
    if (!c->kernel)
        fail_msg("%s", status.text);
    c->warps = c->instructions = 0;
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

/* Where exec/memory/local.c puts the byte at this offset of a lane's local memory. */
static uint64_t local_address(const struct exec_warp *warp, unsigned lane, uint64_t offset)
{
    const struct exec_launch *launch = warp->cta->launch;
    uint64_t slot = launch->local_base + (uint64_t)warp->slot * exec_local_bytes(launch) * 32;
    return slot + offset / 4 * 128 + 4 * lane + offset % 4;
}

static void compare_addresses(struct match *c, const struct exec_warp *warp, const struct isa_inst *isa,
                              const struct issued *is, const struct issued *traced)
{
    bool generic = isa_op_info((enum isa_op)isa->op)->space == ISA_SPACE_GENERIC;
    uint32_t local = 0, lanes = is->active & ~is->zero_fill;
    assert_int_equal(traced->bytes, is->bytes);
    assert_int_equal(traced->zero_fill, is->zero_fill);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t address = traced->address[lane];
        if (is->space == ISA_SPACE_LOCAL || (generic && address - EXEC_LOCAL_WINDOW < EXEC_WINDOW_BYTES)) {
            local |= 1u << lane;
            address = local_address(warp, lane, is->space == ISA_SPACE_LOCAL ? address : address - EXEC_LOCAL_WINDOW);
        }
        if (address != is->address[lane])
            fail_msg("pc 0x%" PRIx32 " lane %u: 0x%" PRIx64 " in the trace, 0x%" PRIx64 " executed", is->pc, lane,
                     traced->address[lane], is->address[lane]);
    }
    if (is->space == ISA_SPACE_GLOBAL)
        assert_int_equal(traced->cache_policy, is->cache_policy);
    c->seen.generic += generic;
    c->seen.local += is->space == ISA_SPACE_LOCAL;
    c->seen.mixed += is->space == ISA_SPACE_GLOBAL && local && local != lanes;
}

static void compare_copy(struct match *c, const struct issued *is, const struct issued *traced)
{
    for (uint32_t left = is->active; left; left &= left - 1)
        assert_int_equal(traced->shared[lowest_bit32(left)], is->shared[lowest_bit32(left)]);
    c->seen.copies++;
    c->seen.zero_filled += is->zero_fill != 0;
}

/* The reader's list of an instruction's messages to barrier objects and engines. */
static void compare_engines(const struct isa_inst *isa, const struct issued *is, const struct issued *traced)
{
    const struct transfer *a = &is->transfer, *b = &traced->transfer;
    if (issued_has_operand((enum isa_op)isa->op) && is->space != ISA_SPACE_NONE)
        for (uint32_t left = is->active; left; left &= left - 1)
            assert_true(traced->operand[lowest_bit32(left)] == is->operand[lowest_bit32(left)]);
    if (isa_op_info((enum isa_op)isa->op)->way != ISA_WAY_ENGINE || !is->active)
        return;
    assert_int_equal(b->kind, a->kind);
    if (a->kind == TRANSFER_NONE || a->kind == TRANSFER_GROUP)
        return;
    assert_int_equal(b->base, a->base);
    assert_int_equal(b->map, a->map);
    assert_int_equal(b->rows, a->rows);
    assert_int_equal(b->bytes, a->bytes);
    assert_int_equal(b->shared, a->shared);
    assert_int_equal(b->barrier, a->barrier);
    assert_int_equal(b->targets, a->targets);
    assert_memory_equal(b->stride, a->stride, sizeof a->stride);
    assert_memory_equal(b->extent, a->extent, sizeof a->extent);
    assert_memory_equal(&b->from[1], &a->from[1], sizeof a->from - sizeof a->from[0]);
    assert_memory_equal(&b->to[1], &a->to[1], sizeof a->to - sizeof a->to[0]);
}

static void compare_barrier(struct match *c, const struct issued *is, const struct issued *traced)
{
    assert_int_equal(traced->barrier, is->barrier);
    assert_int_equal(traced->barrier_warps, is->barrier_warps);
    c->seen.arrivals += is->barrier_arrive;
    c->seen.barriers += is->flow == ISSUED_AT_BARRIER;
}

static void compare(struct match *c, const struct exec_warp *warp, const struct issued *is, const struct issued *traced)
{
    const struct isa_inst *isa = &warp->cta->launch->kernel->code[is->pc / 16].isa;
    enum isa_memory memory = isa_op_info((enum isa_op)isa->op)->memory;
    assert_int_equal(traced->pc, is->pc);
    assert_int_equal(traced->path, is->path);
    assert_int_equal(traced->active, is->active);
    assert_int_equal(traced->flow, is->flow);
    assert_int_equal(traced->barrier_arrive, is->barrier_arrive);
    assert_int_equal(traced->space, is->space);
    assert_int_equal(traced->sleep, is->sleep);
    assert_false(traced->deferred);
    if (is->flow != ISSUED_EXITED)
        assert_int_equal(traced->next_pc, is->next_pc);
    if (is->space != ISA_SPACE_NONE)
        compare_addresses(c, warp, isa, is, traced);
    if (isa->op == ISA_OP_LDGSTS && is->active)
        compare_copy(c, is, traced);
    compare_engines(isa, is, traced);
    if (is->barrier_arrive || is->flow == ISSUED_AT_BARRIER)
        compare_barrier(c, is, traced);
    c->seen.atomics += memory == ISA_MEM_ATOMIC;
    c->seen.reductions += memory == ISA_MEM_REDUCTION;
    c->seen.divergent += is->path != warp->launched;
    c->seen.sleeps += is->sleep != 0;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void begin_warp(struct match *c, const struct exec_warp *warp)
{
    struct status status = {0};
    struct trace_cursor **cursor = &c->cursor[warp->slot];
    if (!*cursor)
        *cursor = trace_cursor_create(c->kernel);
    assert_non_null(*cursor);
    if (!trace_cursor_seek(*cursor, warp->cta->linear, warp->index, &status))
        fail_msg("%s", status.text);
    c->running[warp->slot] = warp->cta->linear + 1;
    c->warps++;
}

static void end_warp(struct match *c, const struct exec_warp *warp)
{
    struct status status = {0};
    struct issued traced;
    assert_int_equal(trace_cursor_pc(c->cursor[warp->slot]), UINT32_MAX);
    assert_false(trace_cursor_next(c->cursor[warp->slot], &traced, &status));
    assert_int_equal(status.code, STATUS_OK);
    c->running[warp->slot] = 0;
}

void match_issued(void *self, const struct exec_warp *warp, const struct issued *issued)
{
    struct match *c = self;
    struct status status = {0};
    struct issued traced;
    memset(&traced, 0xa5, sizeof traced);
    assert_in_range(warp->slot, 0, MATCH_SLOTS - 1);
    if (!c->running[warp->slot])
        begin_warp(c, warp);
    assert_int_equal(c->running[warp->slot], warp->cta->linear + 1);
    assert_int_equal(trace_cursor_pc(c->cursor[warp->slot]), issued->pc);
    if (!trace_cursor_next(c->cursor[warp->slot], &traced, &status))
        fail_msg("CTA %" PRIu64 " warp %" PRIu32 ": the trace ends before pc 0x%" PRIx32 " %s", warp->cta->linear,
                 warp->index, issued->pc, status.text);
    compare(c, warp, issued, &traced);
    c->seen.turns += c->instructions > 0 && c->last_cta != warp->cta->linear;
    c->last_cta = warp->cta->linear;
    c->instructions++;
    c->seen.instructions++;
    if (issued->flow == ISSUED_EXITED)
        end_warp(c, warp);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

void match_end(struct match *c)
{
    struct trace_summary summary;
    trace_summary(c->file, c->next - 1, &summary);
    assert_true(summary.complete);
    assert_int_equal(summary.instructions, c->instructions);
    assert_int_equal(summary.warps, c->warps);
    for (unsigned slot = 0; slot < MATCH_SLOTS; slot++) {
        assert_int_equal(c->running[slot], 0);
        if (c->cursor[slot])
            trace_cursor_destroy(c->cursor[slot]);
        c->cursor[slot] = NULL;
    }
    trace_kernel_close(c->kernel);
    c->kernel = NULL;
}

void match_close(struct match *c)
{
    assert_int_equal(c->next, trace_kernels(c->file));
    trace_close(c->file);
}
