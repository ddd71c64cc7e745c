/* Races: two accesses of different threads to the same bytes, one of them a write, and neither comes before the other.
 * The last write of each word is kept, and the last reads since then, so that a race is found when the second access
 * executes; which of two comes first is the order of this run. Strong accesses and atomics do not race with each other
 * as far as their scopes hold both threads. Two stores of the same value pass. */
#include "base/bits.h"
#include "check/state.h"

struct subject {
    const struct check_at *at;
    const struct check_access *access;
    struct check_cta *cta; /* whose shared memory it is (NULL: global memory) */
    uint64_t address;      /* of the cell */
    uint32_t bytes;        /* of the cell */
    uint32_t value;
};

static enum check_memory memory_of(const struct subject *s) { return s->cta ? CHECK_SHARED : CHECK_GLOBAL; }

/* Both are strong, and each scope holds the other thread. */
static bool may_meet(const struct subject *s, uint32_t flags, uint32_t warp)
{
    uint32_t other = flags & SHADOW_SCOPE, own = s->access->flags & SHADOW_SCOPE;
    bool same_cta = warp / s->at->launch->of->warps_per_cta == s->at->cta->linear;
    return other && own && (same_cta || (other == ORDER_GPU && own == ORDER_GPU));
}

static bool knows(const struct subject *s, uint32_t warp, unsigned lane, uint32_t stamp)
{
    return order_knows(&s->at->launch->order, s->at->know, s->access->lane, warp, lane, stamp);
}

static void found(const struct subject *s, enum check_kind kind, uint32_t warp, unsigned lane, uint32_t pc)
{
    check_note(s->at, kind, s->access->lane, warp, lane, pc & ~UINT32_C(15), memory_of(s), s->address, s->bytes);
}

/* A copy counts from when its group was waited for. Returns whether it has been. */
static bool copy_is_done(const struct subject *s, const struct shadow_write *w, uint32_t *stamp)
{
    uint32_t warps = s->at->launch->of->warps_per_cta;
    const struct check_warp *by = s->cta && w->warp / warps == s->cta->linear ? &s->cta->warp[w->warp % warps] : NULL;
    if (!by || by->open - w->value >= CHECK_GROUPS)
        return true;
    *stamp = by->done[w->value % CHECK_GROUPS];
    return *stamp != 0;
}

static void against_write(const struct subject *s, const struct shadow_write *w, enum check_kind kind, bool same_value)
{
    uint32_t stamp = w->stamp;
    if (!stamp || same_value || may_meet(s, w->pc, w->warp))
        return;
    if ((w->pc & SHADOW_COPY) && !copy_is_done(s, w, &stamp))
        found(s, CHECK_COPY, w->warp, w->lane, w->pc);
    else if (!knows(s, w->warp, w->lane, stamp))
        found(s, kind, w->warp, w->lane, w->pc);
}

static void against_reads(const struct subject *s, const struct shadow_cell *cell)
{
    for (unsigned i = 0; i < SHADOW_READS; i++) {
        const struct shadow_read *r = &cell->read[i];
        if (!r->stamp || may_meet(s, r->pc, r->warp))
            continue;
        uint32_t lanes = r->warp == s->at->know->number ? r->lanes & ~(UINT32_C(1) << s->access->lane) : r->lanes;
        for (; lanes; lanes &= lanes - 1) {
            if (knows(s, r->warp, lowest_bit32(lanes), r->stamp))
                continue;
            found(s, CHECK_WAR, r->warp, lowest_bit32(lanes), r->pc);
            break;
        }
    }
}

static void note_read(const struct subject *s, struct shadow_cell *cell)
{
    struct shadow_read *r = cell->read;
    uint32_t warp = s->at->know->number, pc = s->at->issued->pc | s->access->flags, now = s->at->launch->order.now;
    uint32_t lane = UINT32_C(1) << s->access->lane;
    if (r[0].stamp == now && r[0].warp == warp && r[0].pc == pc) {
        r[0].lanes |= lane;
        return;
    }
    if (r[0].stamp && (r[0].warp != warp || !r[1].stamp))
        r[1] = r[0];
    r[0] = (struct shadow_read){now, warp, pc, lane};
}

static void note_write(const struct subject *s, struct shadow_cell *cell)
{
    bool strong = s->access->flags & SHADOW_SCOPE;
    if (!strong)
        *cell = (struct shadow_cell){0};
    *(strong ? &cell->strong : &cell->write) = (struct shadow_write){.stamp = s->at->launch->order.now,
                                                                     .warp = s->at->know->number,
                                                                     .pc = s->at->issued->pc | s->access->flags,
                                                                     .value = s->value,
                                                                     .lane = s->access->lane};
}

static bool same_value(const struct subject *s, const struct shadow_write *w)
{
    return s->access->knows_value && w->value == s->value && !(w->pc & (SHADOW_ATOMIC | SHADOW_COPY));
}

static enum check_kind kind_against(const struct subject *s, const struct shadow_write *w)
{
    return s->access->reads && !(w->pc & SHADOW_ATOMIC) ? CHECK_RAW : CHECK_WAW;
}

static void cell_access(const struct subject *s, struct shadow_cell *cell)
{
    if (!s->access->writes) {
        against_write(s, &cell->write, CHECK_RAW, false);
        against_write(s, &cell->strong, CHECK_RAW, false);
        note_read(s, cell);
        return;
    }
    against_write(s, &cell->write, kind_against(s, &cell->write), same_value(s, &cell->write));
    against_write(s, &cell->strong, kind_against(s, &cell->strong), same_value(s, &cell->strong));
    against_reads(s, cell);
    note_write(s, cell);
}

/* The value that goes to a cell. An unknown value is like no other. */
static uint32_t value_at(const struct check_at *at, const struct check_access *a, uint32_t from, uint32_t bytes)
{
    if (a->flags & SHADOW_COPY)
        return a->value[0];
    if (!a->knows_value)
        return at->launch->order.now * 64 + a->lane;
    uint32_t word = a->value[from / 4] >> from % 4 * 8;
    return bytes == 4 ? word : word & 0xff;
}

static struct shadow *shadow_of(const struct check_at *at, struct check_cta *cta)
{
    return cta ? &cta->shared : &at->launch->global;
}

void check_race(const struct check_at *at, struct check_cta *cta, const struct check_access *a)
{
    struct shadow_page *page = shadow_page(shadow_of(at, cta), a->address);
    if (!page || !shadow_cells(page, a->bytes)) {
        at->check->failed = true;
        return;
    }
    uint32_t size = UINT32_C(1) << page->shift, offset = (uint32_t)(a->address % SHADOW_PAGE);
    for (uint32_t i = 0; i < a->bytes; i += size) {
        const struct subject s = {.at = at,
                                  .access = a,
                                  .cta = cta,
                                  .address = a->address + i,
                                  .bytes = size,
                                  .value = a->writes ? value_at(at, a, i, size) : 0};
        cell_access(&s, &page->cell[(offset + i) >> page->shift]);
    }
}

void check_race_range(const struct check_at *at, struct check_cta *cta, uint64_t address, uint64_t bytes, unsigned lane,
                      bool writes)
{
    const struct check_access a = {.lane = (uint8_t)lane, .reads = !writes, .writes = writes};
    for (uint64_t end = address + bytes; address < end;) {
        struct shadow_page *page = shadow_page(shadow_of(at, cta), address);
        if (!page)
            return;
        uint32_t size = UINT32_C(1) << page->shift;
        const struct subject s = {.at = at, .access = &a, .cta = cta, .address = address, .bytes = size};
        const struct shadow_cell *cell = page->cell ? &page->cell[address % SHADOW_PAGE >> page->shift] : NULL;
        if (cell) {
            against_write(&s, &cell->write, writes ? CHECK_WAW : CHECK_RAW, false);
            against_write(&s, &cell->strong, writes ? CHECK_WAW : CHECK_RAW, false);
        }
        if (cell && writes)
            against_reads(&s, cell);
        address += cell ? size : SHADOW_PAGE - address % SHADOW_PAGE;
    }
}
