#include "exec/memory/proxy.h"

#include <string.h>

#include "base/bits.h"

size_t proxy_bytes(uint32_t shared_bytes)
{
    size_t granules = (shared_bytes + PROXY_GRANULE - 1) / PROXY_GRANULE;
    return align_up(sizeof(struct proxy_shadow) + granules * sizeof(struct proxy_granule), 64);
}

void proxy_begin(struct proxy_shadow *s, uint32_t shared_bytes)
{
    memset(s, 0, proxy_bytes(shared_bytes));
    s->bytes = shared_bytes;
}

/* Granules first .. end - 1. Granules beyond the memory are a fault, which another function reports. */
static uint32_t end_of(const struct proxy_shadow *s, uint32_t offset, uint32_t bytes)
{
    uint64_t end = (uint64_t)offset + bytes;
    end = end < s->bytes ? end : s->bytes;
    return (uint32_t)((end + PROXY_GRANULE - 1) / PROXY_GRANULE);
}

/* The transfer of this number if it is not over. */
static const struct proxy_transfer *open_transfer(const struct proxy_shadow *s, uint32_t number)
{
    const struct proxy_transfer *t = &s->transfer[number % PROXY_TRANSFERS];
    return number && t->number == number && !t->over ? t : NULL;
}

static void tell(struct proxy_sink to, enum proxy_kind kind, struct proxy_place first, struct proxy_place second,
                 uint32_t granule)
{
    if (to.found)
        to.found(to.self, kind, first, second, granule * PROXY_GRANULE);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

void proxy_generic_read(struct proxy_shadow *s, struct proxy_place by, uint32_t offset, uint32_t bytes,
                        struct proxy_sink to)
{
    if (!s || !s->open)
        return;
    for (uint32_t g = offset / PROXY_GRANULE, end = end_of(s, offset, bytes); g < end; g++) {
        const struct proxy_transfer *t = open_transfer(s, s->granule[g].incoming);
        if (t)
            tell(to, PROXY_BEFORE_PHASE, t->place, by, g);
    }
}

/* A write over bytes that another transfer still writes or reads. */
static void check_overrun(const struct proxy_shadow *s, const struct proxy_granule *at, uint32_t number,
                          struct proxy_place by, struct proxy_sink to)
{
    const struct proxy_transfer *in = open_transfer(s, at->incoming), *out = open_transfer(s, at->outgoing);
    if (in && in->number != number)
        tell(to, PROXY_OVERRUN, in->place, by, (uint32_t)(at - s->granule));
    else if (out && out->number != number)
        tell(to, PROXY_OVERRUN, out->place, by, (uint32_t)(at - s->granule));
}

void proxy_generic_write(struct proxy_shadow *s, struct proxy_place by, uint32_t offset, uint32_t bytes,
                         struct proxy_sink to)
{
    if (!s)
        return;
    s->number++;
    for (uint32_t g = offset / PROXY_GRANULE, end = end_of(s, offset, bytes); g < end; g++) {
        struct proxy_granule *at = &s->granule[g];
        if (s->open)
            check_overrun(s, at, 0, by, to);
        at->write = s->number;
        at->writer = by;
    }
}

void proxy_fence(struct proxy_shadow *s, uint32_t warp)
{
    if (s)
        s->fence[warp % PROXY_WARPS] = ++s->number;
}

/* ---- engines ----------------------------------------------------------------------------------------------------- */

uint32_t proxy_async_begin(struct proxy_shadow *s, struct proxy_place by, uint32_t barrier, unsigned parity)
{
    if (!s)
        return 0;
    uint32_t number = ++s->number;
    struct proxy_transfer *t = &s->transfer[number % PROXY_TRANSFERS];
    s->open += !t->number || t->over;
    *t = (struct proxy_transfer){.number = number, .place = by, .barrier = barrier, .parity = (uint8_t)parity};
    return number;
}

void proxy_async_read(struct proxy_shadow *s, uint32_t number, uint32_t offset, uint32_t bytes, struct proxy_sink to)
{
    const struct proxy_transfer *t = s ? open_transfer(s, number) : NULL;
    if (!t)
        return;
    for (uint32_t g = offset / PROXY_GRANULE, end = end_of(s, offset, bytes); g < end; g++) {
        struct proxy_granule *at = &s->granule[g];
        const struct proxy_transfer *in = open_transfer(s, at->incoming);
        bool fenced =
            at->write < s->fence[at->writer.warp % PROXY_WARPS] || at->write < s->fence[t->place.warp % PROXY_WARPS];
        if (at->write && !fenced)
            tell(to, PROXY_NO_FENCE, at->writer, t->place, g);
        if (in && in->number != number)
            tell(to, PROXY_BEFORE_PHASE, in->place, t->place, g);
        at->outgoing = number;
    }
}

void proxy_async_write(struct proxy_shadow *s, uint32_t number, uint32_t offset, uint32_t bytes, struct proxy_sink to)
{
    const struct proxy_transfer *t = s ? open_transfer(s, number) : NULL;
    if (!t)
        return;
    for (uint32_t g = offset / PROXY_GRANULE, end = end_of(s, offset, bytes); g < end; g++) {
        struct proxy_granule *at = &s->granule[g];
        check_overrun(s, at, number, t->place, to);
        at->incoming = number;
        at->write = 0; /* the note of a thread's write is gone */
    }
}

static void end(struct proxy_shadow *s, struct proxy_transfer *t)
{
    s->open -= !t->over;
    t->over = true;
}

void proxy_async_done(struct proxy_shadow *s, uint32_t number)
{
    if (s && open_transfer(s, number))
        end(s, &s->transfer[number % PROXY_TRANSFERS]);
}

/* Products before the commit are over. */
static void end_products(struct proxy_shadow *s, uint32_t number)
{
    s->committed = number > s->committed ? number : s->committed;
    for (uint32_t i = 0; i < PROXY_TRANSFERS; i++)
        if (s->transfer[i].product && s->transfer[i].number < number && !s->transfer[i].over)
            end(s, &s->transfer[i]);
}

void proxy_phase_ended(struct proxy_shadow *s, uint32_t barrier, unsigned parity)
{
    for (uint32_t i = 0; s && s->open && i < PROXY_TRANSFERS; i++) {
        struct proxy_transfer *t = &s->transfer[i];
        if (!t->number || t->over || t->barrier != barrier || t->parity != parity)
            continue;
        end(s, t);
        if (t->commit)
            end_products(s, t->number);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

uint32_t proxy_product_begin(struct proxy_shadow *s, struct proxy_place by, uint32_t column, uint32_t columns)
{
    uint32_t number = proxy_async_begin(s, by, UINT32_MAX, 0);
    if (!number)
        return 0;
    s->transfer[number % PROXY_TRANSFERS].product = true;
    for (uint32_t c = column; c < column + columns && c < PROXY_COLUMNS; c++)
        s->column[c] = (struct proxy_product){number, by};
    return number;
}

void proxy_commit(struct proxy_shadow *s, struct proxy_place by, uint32_t barrier, unsigned parity)
{
    uint32_t number = proxy_async_begin(s, by, barrier, parity);
    if (number)
        s->transfer[number % PROXY_TRANSFERS].commit = true;
}

void proxy_columns_read(struct proxy_shadow *s, struct proxy_place by, uint32_t column, uint32_t columns,
                        struct proxy_sink to)
{
    for (uint32_t c = column; s && c < column + columns && c < PROXY_COLUMNS; c++) {
        if (s->column[c].number <= s->committed)
            continue;
        if (to.found)
            to.found(to.self, PROXY_BEFORE_COMMIT, s->column[c].place, by, c);
        return;
    }
}
