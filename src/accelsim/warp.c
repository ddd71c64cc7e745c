#include "accelsim/warp.h"

#include "base/bits.h"
#include "isa/contract.h"

enum { WINDOW = 1 << 24, IDENTITY = 1 << 19 };

/* Addresses that replace generic addresses of local memory in an access that also reaches global memory. */
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

static void shared_offset(struct spaces *s, uint64_t offset, uint32_t bytes)
{
    uint32_t end = (uint32_t)offset + bytes; /* the window is smaller than 4 GiB */
    s->shared_bytes = end > s->shared_bytes ? end : s->shared_bytes;
}

/* In the window of a cluster, with the rank in front. */
static bool in_shared(const struct spaces *s, uint64_t address)
{
    return s->shared_base && address - s->shared_base < s->shared_window;
}

static void set_local(struct issued *is, struct spaces *s, const uint64_t address[ISA_LANES])
{
    for (uint32_t left = is->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        is->address[lane] = local_offset(&s->local, in_window(address[lane], s->local_base), is->bytes);
    }
}

/* The usual case: all lanes access, and all by addresses in the window, or all by offsets. Two loops for the host's
 * vectors. */
static bool set_shared_alike(struct issued *is, struct spaces *s, const uint64_t address[ISA_LANES])
{
    uint64_t any = 0, base = inside(address[0], s->shared_base) ? s->shared_base : 0;
    int32_t most = 0;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        is->address[lane] = address[lane] - base;
        any |= is->address[lane];
    }
    bool two_readings = !base && s->shared_base && s->shared_base < WINDOW; /* an offset may lie in the window */
    if (any >= WINDOW || two_readings)
        return false;
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        int32_t offset = (int32_t)is->address[lane];
        most = offset > most ? offset : most;
    }
    shared_offset(s, (uint64_t)most, is->bytes);
    return true;
}

static void set_shared(struct issued *is, struct spaces *s, const uint64_t address[ISA_LANES])
{
    uint64_t most = 0;
    if (is->active == UINT32_MAX && set_shared_alike(is, s, address))
        return;
    for (uint32_t left = is->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t offset = in_window(address[lane], s->shared_base);
        is->address[lane] = offset;
        most = offset > most ? offset : most;
    }
    shared_offset(s, most, is->bytes);
}

/* The lanes of a generic access, by their memory. */
struct lanes {
    uint32_t shared, remote, local;
};

static struct lanes lanes_of(const struct issued *is, const struct spaces *s, uint32_t rank,
                             const uint64_t address[ISA_LANES])
{
    struct lanes in = {0};
    for (uint32_t left = is->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        bool shared = in_shared(s, address[lane]), own = shared && (address[lane] - s->shared_base) / WINDOW == rank;
        in.shared |= own ? 1u << lane : 0;
        in.remote |= shared && !own ? 1u << lane : 0;
        in.local |= !shared && inside(address[lane], s->local_base) ? 1u << lane : 0;
    }
    return in;
}

/* The rule of src/exec/memory/generic.c: global, if any lane is; then local; then shared. */
static void set_generic(struct issued *is, struct spaces *s, uint32_t rank, const uint64_t address[ISA_LANES])
{
    struct lanes in = lanes_of(is, s, rank, address);
    bool global = is->active & ~(in.shared | in.remote | in.local);
    is->space = global      ? ISA_SPACE_GLOBAL
                : in.local  ? ISA_SPACE_LOCAL
                : in.remote ? ISA_SPACE_CLUSTER
                            : ISA_SPACE_SHARED;
    is->zero_fill = global || in.local ? in.shared | in.remote : 0;
    for (uint32_t left = is->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t a = address[lane];
        if (in.local >> lane & 1)
            a = local_offset(&s->local, a - s->local_base, is->bytes) + (global ? LOCAL_IN_GENERIC : 0);
        else if ((in.shared | in.remote) >> lane & 1)
            a -= s->shared_base;
        if (in.shared >> lane & 1)
            shared_offset(s, a % WINDOW, is->bytes);
        is->address[lane] = in.shared >> lane & 1 && is->space != ISA_SPACE_CLUSTER ? a % WINDOW : a;
    }
}

/* The trace does not have a copy's place in shared memory: the file next to it does, or copies lie one after another.
 * */
static void set_copy(struct issued *is, const uint32_t *known, const uint64_t address[ISA_LANES])
{
    uint32_t place = 0;
    memcpy(is->address, address, sizeof is->address);
    memset(is->shared, 0, sizeof is->shared);
    for (uint32_t left = is->active; left; left &= left - 1, place += is->bytes)
        is->shared[lowest_bit32(left)] = known ? known[lowest_bit32(left)] : place;
}

static void set_addresses(struct issued *is, struct spaces *s, uint32_t rank, const struct book_entry *e,
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
        set_generic(is, s, rank, address);
    } else if (e->space == ISA_SPACE_GLOBAL) {
        memcpy(is->address, address, sizeof is->address);
    } else if (e->space == ISA_SPACE_LOCAL) {
        set_local(is, s, address);
    } else {
        set_shared(is, s, address);
    }
}

/* ---- where the warp goes on -------------------------------------------------------------------------------------- */

static void set_barrier(struct warp *w)
{
    w->last.barrier = w->barrier;
    w->last.barrier_warps = w->barrier_warps;
}

static void arrive(struct warp *w, uint32_t mask)
{
    enum { CLUSTER = 16 };
    uint32_t *arrived = &w->arrived[w->barrier == CLUSTER];
    *arrived |= mask;
    if (!w->old && w->live & ~*arrived)
        return;
    w->last.barrier_arrive = true;
    set_barrier(w);
    *arrived = 0;
}

/* A barrier counts threads since Volta: the warp waits when all its live threads have arrived, even one after another,
 * or when the last of the others exits. */
static void follow_barriers(struct warp *w, const struct book_entry *e, uint32_t mask)
{
    w->waiting &= ~mask; /* a warp that executes does not wait */
    if (e->exits)
        w->live &= ~mask;
    if (e->waits && mask) {
        w->waiting |= mask;
        set_barrier(w);
        if (w->old || !(w->live & ~w->waiting)) {
            w->last.flow = ISSUED_AT_BARRIER;
            w->waiting = 0;
        }
    } else if (e->arrives && mask) {
        arrive(w, mask);
    } else if (e->exits && w->live && w->waiting && !(w->live & ~w->waiting)) {
        w->last.flow = ISSUED_AT_BARRIER; /* number and warps: as the other threads named them */
        w->waiting = 0;
    }
}

/* Returns false if out of memory. */
static bool flush(struct warp *w, uint32_t next_pc, bool ends)
{
    struct issued *is = &w->last;
    is->next_pc = next_pc;
    if (ends)
        is->flow = ISSUED_EXITED;
    else if (is->flow != ISSUED_AT_BARRIER)
        is->flow = next_pc == is->pc + 16 ? ISSUED_NEXT : ISSUED_JUMP;
    if (w->asks)
        return hold_ask(&w->hold, is);
    hold_add(&w->hold, is, w->kind, w->entry->effects);
    return true;
}

void warp_begin(struct warp *w, struct trace_stream *stream, struct spaces *spaces, uint32_t threads, bool old)
{
    w->stream = stream;
    w->spaces = spaces;
    w->old = old;
    w->has_last = false;
    w->live = w->path = threads;
    w->waiting = w->arrived[0] = w->arrived[1] = 0;
    hold_begin(&w->hold, stream);
    w->entry = NULL;
    memset(&w->last, 0, sizeof w->last);
}

/* Finds the number and the threads of a barrier: values of registers, or the line's immediates. If a register has the
 * number, it is the first operand, and the threads are the first immediate. */
static void take_barrier(struct warp *w, const struct line6 *line, uint32_t mask)
{
    enum { NUMBERS = 16, THREADS = 1024 };
    unsigned lane = mask ? lowest_bit32(mask) : 0;
    bool by_register = line->has_values && line->destinations > 0;
    const uint64_t *source = line6_source(line, 0);
    uint64_t number = by_register ? line->value[0][lane] : line->immediate[0];
    uint64_t threads = line->immediate[by_register ? 0 : 1];
    threads = threads || !source ? threads : source[lane];
    w->barrier = (uint8_t)(number < NUMBERS ? number : 0u);
    w->barrier_warps = (uint16_t)(threads % ISA_LANES == 0 && threads <= THREADS ? threads / ISA_LANES : 0u);
}

static void take_added(struct issued *is, const struct added *added)
{
    bool accesses = is->space != ISA_SPACE_NONE;
    if (added->has_path)
        is->path = added->path | is->active;
    if (added->has_none && accesses)
        is->zero_fill = added->none & is->active;
    if (added->has_sleep)
        is->sleep = added->sleep;
    is->cache_policy = added->has_policy ? added->policy : 0;
}

/* The fields of a version 6 line that version 5 lacks. */
static const char *take_line(struct warp *w, const struct book_entry *e, uint32_t mask,
                             const uint64_t address[ISA_LANES], struct line6 *line)
{
    struct issued *is = &w->last;
    const char *wrong = NULL;
    bool loose = false;
    if (line->barrier)
        take_barrier(w, line, mask);
    if (e->is_object && mask) {
        w->asks = objects_operate(is, e, address, line, &w->place);
        bool operates = issued_has_operand((enum isa_op)e->isa.op);
        w->kind = operates ? HOLD_OPERATION : HOLD_PLAIN;
        w->blind += operates && !line->has_values;
    }
    if (e->is_engine) {
        wrong = objects_transfer(is, e, line, &w->place, &loose);
        w->kind = HOLD_TRANSFER;
        w->loose += loose;
        w->targets |= is->transfer.targets;
    }
    if (w->place.added && line->added.some)
        take_added(is, &line->added);
    return wrong;
}

/* The usual case: `last` and the instruction after it are plain and have the same lanes. The fields of `last` stay as
 * they are, except for the pcs. */
static bool add_plain(struct warp *w, struct book_entry *e, uint32_t mask)
{
    bool alike = w->entry && w->entry->plain && e->plain && mask == w->last.active && mask == w->last.path;
    if (!alike || w->waiting || w->hold.count || e->native != w->last.pc + 16)
        return false;
    w->last.next_pc = e->native;
    if (w->follows_plain)
        trace_stream_add_plain(w->stream, &w->last);
    else
        trace_stream_add(w->stream, &w->last);
    w->follows_plain = true;
    w->last.pc = e->native;
    w->entry = e;
    return true;
}

void warp_add_run(struct warp *w, const struct book *book, uint32_t count)
{
    struct book_entry *const *entry = book->by_native + w->last.pc / 16;
    bool added = trace_stream_add_plain_run(w->stream, &w->last, count);
    for (uint32_t i = 0; i < count; i++) {
        entry[i + 1]->executed++;
        if (!added)
            trace_stream_add_plain(w->stream, &w->last);
        w->last.pc += 16;
    }
    w->entry = entry[count];
}

const char *warp_add(struct warp *w, struct book_entry *e, uint32_t mask, const uint64_t address[32],
                     struct line6 *line)
{
    if (!line && add_plain(w, e, mask))
        return NULL;
    if (w->has_last && !flush(w, e->native, false))
        return "no memory for the instructions of a warp";
    struct issued *is = &w->last;
    const char *wrong = NULL;
    w->has_last = true;
    w->follows_plain = false;
    w->entry = e;
    w->kind = e->is_copy ? HOLD_COPY : HOLD_PLAIN;
    w->asks = false;
    w->barrier = e->barrier;
    w->barrier_warps = e->barrier_warps;
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
    is->cache_policy = 0;
    if (e->space && mask)
        set_addresses(is, w->spaces, w->place.rank, e, address);
    if (line)
        wrong = take_line(w, e, mask, address, line);
    if (e->waits || e->arrives || e->exits || w->waiting)
        follow_barriers(w, e, mask);
    return wrong;
}

bool warp_end(struct warp *w)
{
    bool good = !w->has_last || flush(w, w->last.pc + 16, true);
    hold_end(&w->hold);
    trace_stream_end(w->stream);
    return good;
}
