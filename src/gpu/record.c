#include "gpu/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/cta.h"
#include "exec/inst.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* The offset in its thread's local memory of an address in device memory, as exec/memory/local.c places it. */
static uint64_t local_offset(const struct exec_launch *launch, uint64_t address)
{
    enum { LINE = 4 * EXEC_LANES };
    uint64_t within = (address - launch->local_base) % ((uint64_t)exec_local_bytes(launch) * EXEC_LANES);
    return within / LINE * 4 + within % 4;
}

static bool in_local_memory(const struct exec_launch *launch, uint64_t address)
{
    return address - launch->local_base < (uint64_t)exec_local_bytes(launch) * EXEC_LANES * launch->local_slots;
}

/* Lanes of an access to global memory that are in local memory. */
static uint32_t local_lanes(const struct exec_launch *launch, const struct issued *issued)
{
    const struct isa_inst *isa = &launch->kernel->code[issued->pc / 16].isa;
    uint32_t lanes = 0;
    if (issued->space != ISA_SPACE_GLOBAL || isa_op_info((enum isa_op)isa->op)->space != ISA_SPACE_GENERIC)
        return 0;
    for (uint32_t left = issued->active & ~issued->zero_fill; left; left &= left - 1)
        if (in_local_memory(launch, issued->address[lowest_bit32(left)]))
            lanes |= UINT32_C(1) << lowest_bit32(left);
    return lanes;
}

/* The instruction with the addresses that the trace has: itself, where they are the same. */
static const struct issued *as_recorded(struct record *r, const struct issued *issued)
{
    const struct exec_launch *launch = r->launch;
    if (!launch->local_base)
        return issued;
    bool local = issued->space == ISA_SPACE_LOCAL;
    uint32_t lanes = local ? issued->active & ~issued->zero_fill : local_lanes(launch, issued);
    if (!lanes)
        return issued;
    r->moved = *issued;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = lowest_bit32(lanes);
        r->moved.address[lane] = (local ? 0 : EXEC_LOCAL_WINDOW) + local_offset(launch, issued->address[lane]);
    }
    return &r->moved;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static bool make_room(struct record *r, uint32_t slot)
{
    if (slot < r->slots)
        return true;
    uint32_t slots = 2 * slot + 64;
    struct trace_stream **grown = realloc(r->stream, slots * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + r->slots, 0, (slots - r->slots) * sizeof *grown);
    r->stream = grown;
    r->slots = slots;
    return true;
}

/* A warp's stream begins with its first instruction. CTAs take turns, but a warp stays in its slot until it ends. */
static struct trace_stream *stream_of(struct record *r, uint32_t slot, const struct exec_warp *warp)
{
    if (!make_room(r, slot))
        return NULL;
    struct trace_stream **stream = &r->stream[slot];
    if (!*stream)
        *stream = trace_writer_stream(r->writer, warp->cta->linear, warp->index);
    return *stream;
}

/* A fault ends its warp, too, and the whole launch: the stream of the warp that ended last has its end when the launch
 * goes on. */
static void end_last(struct record *r)
{
    if (r->last)
        trace_stream_end(r->last);
    r->last = NULL;
}

void record_issued(struct record *r, uint32_t slot, const struct exec_warp *warp, const struct issued *issued)
{
    end_last(r);
    struct trace_stream *stream = r->failed ? NULL : stream_of(r, slot, warp);
    if (!stream) {
        r->failed = true;
        return;
    }
    const struct isa_inst *isa = &r->launch->kernel->code[issued->pc / 16].isa;
    r->takes_work = r->takes_work || isa->op == ISA_OP_UGETNEXTWORKID;
    trace_stream_add(stream, as_recorded(r, issued));
    if (issued->flow != ISSUED_EXITED)
        return;
    r->last = stream;
    r->stream[slot] = NULL;
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

bool record_begin(struct record *r, struct trace_writer *writer, const struct exec_launch *launch,
                  const struct record_facts *facts, struct status *status)
{
    struct trace_launch described;
    *r = (struct record){.launch = launch};
    if (!record_describe(launch, facts, &described, status))
        return false;
    if (trace_writer_begin(writer, &described, status))
        r->writer = writer;
    trace_launch_free(&described);
    return r->writer != NULL;
}

bool record_end(struct record *r, bool complete, struct status *status)
{
    if (complete)
        end_last(r);
    bool ok = trace_writer_end(r->writer, complete && !r->failed && !r->takes_work, status);
    free(r->stream);
    if (ok && r->takes_work)
        ok = status_fail(status, STATUS_UNSUPPORTED, "%s: a trace does not say which CTAs others have taken over",
                         r->launch->kernel->cubin->name);
    if (ok && r->failed)
        ok = status_fail(status, STATUS_MEMORY, "%s: no host memory for the streams of a trace",
                         r->launch->kernel->cubin->name);
    *r = (struct record){0};
    return ok;
}
