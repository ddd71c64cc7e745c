#include "accelsim/warp.h"

#include "base/bits.h"
#include "isa/contract.h"

enum { WINDOW = 1 << 24, IDENTITY = 1 << 19 };

/* What stands for generic addresses of local memory in an access that also reaches global memory. */
#define LOCAL_IN_GENERIC UINT64_C(0x00007d0000000000)

/* ---- spaces ------------------------------------------------------------------------------------------------------ */

static bool inside(uint64_t address, uint64_t base) { return base && address - base < WINDOW; }

static uint32_t local_offset(struct local_map *m, uint64_t address, uint32_t bytes)
{
    uint32_t offset = (uint32_t)(address % LOCAL_WINDOW), end;
    if (!m->decided) {
        m->decided = true;
        m->paged = offset >= IDENTITY;
    }
    if (m->paged) {
        uint16_t *page = &m->page[offset / LOCAL_PAGE];
        if (!*page)
            *page = (uint16_t)++m->pages;
        offset = (*page - 1u) * LOCAL_PAGE + offset % LOCAL_PAGE;
        end = m->pages * LOCAL_PAGE;
    } else {
        offset %= IDENTITY;
        end = (uint32_t)align_up(offset + bytes, 16);
    }
    m->bytes = end > m->bytes ? end : m->bytes;
    return offset;
}

static uint64_t in_window(uint64_t address, uint64_t base)
{
    return inside(address, base) ? address - base : address % WINDOW;
}

static uint64_t shared_offset(struct spaces *s, uint64_t offset, uint32_t bytes)
{
    uint32_t end = (uint32_t)offset + bytes; /* the window is smaller than 4 GiB */
    s->shared_bytes = end > s->shared_bytes ? end : s->shared_bytes;
    return offset;
}

static void set_windowed(struct issued *is, struct spaces *s, const uint64_t address[ISA_LANES])
{
    bool local = is->space == ISA_SPACE_LOCAL;
    for (uint32_t left = is->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        is->address[lane] = local ? local_offset(&s->local, in_window(address[lane], s->local_base), is->bytes)
                                  : shared_offset(s, in_window(address[lane], s->shared_base), is->bytes);
    }
}

/* The rule of src/exec/memory/generic.c: global, if any lane is; then local; then shared. */
static void set_generic(struct issued *is, struct spaces *s, const uint64_t address[ISA_LANES])
{
    uint32_t shared = 0, local = 0;
    for (uint32_t left = is->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        shared |= inside(address[lane], s->shared_base) ? 1u << lane : 0;
        local |= inside(address[lane], s->local_base) ? 1u << lane : 0;
    }
    local &= ~shared;
    bool global = is->active & ~(shared | local);
    is->space = global ? ISA_SPACE_GLOBAL : local ? ISA_SPACE_LOCAL : ISA_SPACE_SHARED;
    is->zero_fill = is->space == ISA_SPACE_SHARED ? 0 : shared;
    for (uint32_t left = is->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t a = address[lane];
        if (local >> lane & 1)
            a = local_offset(&s->local, a - s->local_base, is->bytes) + (global ? LOCAL_IN_GENERIC : 0);
        else if (shared >> lane & 1)
            a = shared_offset(s, a - s->shared_base, is->bytes);
        is->address[lane] = a;
    }
}

/* Where in shared memory a copy goes the trace does not say: as the file beside it has it, or side by side. */
static void set_copy(struct issued *is, const uint32_t *known, const uint64_t address[ISA_LANES])
{
    uint32_t place = 0;
    memcpy(is->address, address, sizeof is->address);
    memset(is->shared, 0, sizeof is->shared);
    for (uint32_t left = is->active; left; left &= left - 1, place += is->bytes)
        is->shared[lowest_bit32(left)] = known ? known[lowest_bit32(left)] : place;
}

static void set_addresses(struct issued *is, struct spaces *s, const struct book_entry *e,
                          const uint64_t address[ISA_LANES])
{
    is->space = e->space;
    is->bytes = e->bytes;
    if (e->space == ISA_SPACE_CONSTANT) {
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            is->address[lane] = e->constant;
    } else if (e->is_copy) {
        set_copy(is, e->place, address);
    } else if (e->space == ISA_SPACE_GENERIC) {
        set_generic(is, s, address);
    } else if (e->space == ISA_SPACE_GLOBAL) {
        memcpy(is->address, address, sizeof is->address);
    } else {
        set_windowed(is, s, address);
    }
}

/* ---- where the warp goes on -------------------------------------------------------------------------------------- */

static void stop_at_barrier(struct warp *w, const struct book_entry *e)
{
    w->last.flow = ISSUED_AT_BARRIER;
    w->last.barrier = e->barrier;
    w->last.barrier_warps = e->barrier_warps;
    w->waiting = 0;
}

/* A barrier counts threads since Volta: the warp waits when all that live have come, be it one after the other, or the
 * last of the others exits. */
static void follow_barriers(struct warp *w, const struct book_entry *e, uint32_t mask)
{
    w->waiting &= ~mask; /* who executes does not wait */
    if (e->exits)
        w->live &= ~mask;
    if (e->waits && mask) {
        w->waiting |= mask;
        w->last.barrier = e->barrier;
        w->last.barrier_warps = e->barrier_warps;
        if (w->old || !(w->live & ~w->waiting))
            stop_at_barrier(w, e);
    } else if (e->arrives && mask) {
        w->arrived |= mask;
        if (w->old || !(w->live & ~w->arrived)) {
            w->last.barrier_arrive = true;
            w->last.barrier = e->barrier;
            w->last.barrier_warps = e->barrier_warps;
            w->arrived = 0;
        }
    } else if (e->exits && w->live && w->waiting && !(w->live & ~w->waiting)) {
        w->last.flow = ISSUED_AT_BARRIER; /* number and warps: as the others named them */
        w->waiting = 0;
    }
}

static void flush(struct warp *w, uint32_t next_pc, bool ends)
{
    struct issued *is = &w->last;
    is->next_pc = next_pc;
    if (ends)
        is->flow = ISSUED_EXITED;
    else if (is->flow != ISSUED_AT_BARRIER)
        is->flow = next_pc == is->pc + 16 ? ISSUED_NEXT : ISSUED_JUMP;
    if (w->entry->is_copy)
        trace_stream_add_copy(w->stream, is);
    else
        trace_stream_add(w->stream, is);
}

void warp_begin(struct warp *w, struct trace_stream *stream, struct spaces *spaces, uint32_t threads, bool old)
{
    w->stream = stream;
    w->spaces = spaces;
    w->old = old;
    w->has_last = false;
    w->live = w->path = threads;
    w->waiting = w->arrived = 0;
    w->entry = NULL;
    memset(&w->last, 0, sizeof w->last);
}

void warp_add(struct warp *w, struct book_entry *e, uint32_t mask, const uint64_t address[32])
{
    if (w->has_last)
        flush(w, e->native, false);
    struct issued *is = &w->last;
    w->has_last = true;
    w->entry = e;
    w->path = mask ? mask : w->path;
    is->pc = e->native;
    is->path = w->path;
    is->active = mask;
    is->flow = ISSUED_NEXT;
    is->barrier_arrive = false;
    is->space = ISA_SPACE_NONE;
    is->bytes = 0;
    is->sleep = mask ? e->sleep : 0;
    is->zero_fill = 0;
    if (e->space && mask)
        set_addresses(is, w->spaces, e, address);
    if (e->waits || e->arrives || e->exits || w->waiting)
        follow_barriers(w, e, mask);
}

void warp_end(struct warp *w)
{
    if (w->has_last)
        flush(w, w->last.pc + 16, true);
    trace_stream_end(w->stream);
}
