#include "trace/frame.h"

#include <stdlib.h>

void trace_frame_free(struct trace_frame *f)
{
    free(f->piece);
    trace_bytes_free(&f->data);
    *f = (struct trace_frame){0};
}

bool trace_frame_full(const struct trace_frame *f)
{
    return f->pieces == TRACE_FRAME_PIECES || f->data.size >= TRACE_FRAME_FULL;
}

bool trace_frame_add(struct trace_frame *f, const struct trace_piece *piece, const uint8_t *data)
{
    if (!f->piece)
        f->piece = malloc(TRACE_FRAME_PIECES * sizeof *f->piece);
    if (!f->piece)
        return false;
    struct trace_piece *p = &f->piece[f->pieces++];
    *p = *piece;
    p->at = (uint32_t)f->data.size;
    trace_put(&f->data, data, piece->bytes);
    return !f->data.failed;
}

struct trace_frame_entry trace_frame_ranges(const struct trace_frame *f)
{
    const struct trace_piece *p = f->piece;
    struct trace_frame_entry e = {0, p->cta, p->cta, p->warp, p->warp, p->part, p->part, p->instructions};
    for (uint32_t i = 1; i < f->pieces; i++) {
        p = &f->piece[i];
        e.first_cta = p->cta < e.first_cta ? p->cta : e.first_cta;
        e.last_cta = p->cta > e.last_cta ? p->cta : e.last_cta;
        e.first_warp = p->warp < e.first_warp ? p->warp : e.first_warp;
        e.last_warp = p->warp > e.last_warp ? p->warp : e.last_warp;
        e.first_part = p->part < e.first_part ? p->part : e.first_part;
        e.last_part = p->part > e.last_part ? p->part : e.last_part;
        e.instructions += p->instructions;
    }
    return e;
}

/* Column by column, which compresses better. */
void trace_frame_put(const struct trace_frame *f, struct trace_bytes *out)
{
    const struct trace_piece *p = f->piece;
    trace_put_number(out, f->pieces);
    for (uint32_t i = 0; i < f->pieces; i++)
        trace_put_signed(out, (int64_t)(p[i].cta - (i ? p[i - 1].cta : 0)));
    for (uint32_t i = 0; i < f->pieces; i++)
        trace_put_signed(out, (int64_t)p[i].warp - (i ? p[i - 1].warp : 0));
    for (uint32_t i = 0; i < f->pieces; i++)
        trace_put_number(out, (uint64_t)p[i].part << 1 | p[i].last);
    for (uint32_t i = 0; i < f->pieces; i++)
        trace_put_number(out, p[i].instructions);
    for (uint32_t i = 0; i < f->pieces; i++)
        trace_put_number(out, p[i].bytes);
    for (uint32_t i = 0; i < f->pieces; i++) {
        if (p[i].part)
            continue;
        trace_put_number(out, p[i].pc);
        trace_put_number(out, p[i].path ^ UINT32_MAX);
    }
    trace_put(out, f->data.data, f->data.size);
}

static bool take_pieces(struct trace_frame *f, struct trace_view *v)
{
    struct trace_piece *p = f->piece;
    uint32_t warp = 0;
    uint64_t cta = 0;
    for (uint32_t i = 0; i < f->pieces; i++)
        p[i].cta = cta += (uint64_t)trace_take_signed(v);
    for (uint32_t i = 0; i < f->pieces; i++)
        p[i].warp = warp += (uint32_t)trace_take_signed(v);
    for (uint32_t i = 0; i < f->pieces; i++) {
        uint64_t part = trace_take_below(v, (uint64_t)UINT32_MAX << 1 | 1);
        p[i].part = (uint32_t)(part >> 1);
        p[i].last = part & 1;
    }
    for (uint32_t i = 0; i < f->pieces; i++)
        p[i].instructions = trace_take_number(v);
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->pieces; i++) {
        p[i].at = at;
        at += p[i].bytes = (uint32_t)trace_take_below(v, TRACE_PIECE_MOST);
    }
    for (uint32_t i = 0; i < f->pieces; i++) {
        p[i].pc = p[i].part ? 0 : (uint32_t)trace_take_below(v, UINT32_MAX);
        p[i].path = p[i].part ? 0 : (uint32_t)trace_take_below(v, UINT32_MAX) ^ UINT32_MAX;
    }
    return !v->failed && trace_left(v) == at;
}

/* Goes past so many numbers, each of which ends with a byte below 0x80. Eight bytes end eight of them at most. */
static void pass_numbers(struct trace_view *v, uint64_t count)
{
    for (uint64_t word; count >= sizeof word && trace_left(v) >= sizeof word; v->at += sizeof word) {
        memcpy(&word, v->at, sizeof word);
        count -= (uint64_t)__builtin_popcountll(~word & UINT64_C(0x8080808080808080));
    }
    while (count > 0 && v->at < v->end)
        count -= *v->at++ < 0x80;
    v->failed = v->failed || count > 0;
}

bool trace_frame_count(const struct trace_bytes *raw, const struct trace_frame_entry *entry, uint64_t *instructions)
{
    struct trace_view v = trace_view_of(raw->data, raw->size);
    uint64_t pieces = trace_take_below(&v, TRACE_FRAME_PIECES), cta = 0, sum = 0;
    bool inside = pieces > 0;
    for (uint64_t i = 0; i < pieces; i++) {
        cta += (uint64_t)trace_take_signed(&v);
        inside = inside && cta >= entry->first_cta && cta <= entry->last_cta;
    }
    pass_numbers(&v, 2 * pieces); /* warps and parts */
    for (uint64_t i = 0; i < pieces; i++)
        sum += trace_take_number(&v);
    *instructions = sum;
    return inside && !v.failed;
}

static int compare(const void *a, const void *b)
{
    const struct trace_piece *x = a, *y = b;
    if (x->cta != y->cta)
        return x->cta < y->cta ? -1 : 1;
    if (x->warp != y->warp)
        return x->warp < y->warp ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

/* Returns whether each piece is behind the one before it. */
static bool is_sorted(const struct trace_frame *f)
{
    for (uint32_t i = 1; i < f->pieces; i++)
        if (compare(&f->piece[i - 1], &f->piece[i]) >= 0)
            return false;
    return true;
}

/* Returns false if a piece is there twice. */
static bool sort(struct trace_frame *f)
{
    if (is_sorted(f))
        return true;
    qsort(f->piece, f->pieces, sizeof *f->piece, compare);
    return is_sorted(f);
}

const struct trace_piece *trace_frame_find(const struct trace_frame *f, uint64_t cta, uint32_t warp, uint32_t part)
{
    const struct trace_piece wanted = {.cta = cta, .warp = warp, .part = part};
    return f->pieces ? bsearch(&wanted, f->piece, f->pieces, sizeof wanted, compare) : NULL;
}

uint32_t trace_frame_lower(const struct trace_frame *f, uint64_t cta)
{
    uint32_t low = 0, high = f->pieces;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->piece[middle].cta < cta)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool trace_frame_take(struct trace_frame *f, struct trace_bytes *raw)
{
    struct trace_view v = trace_view_of(raw->data, raw->size);
    *f = (struct trace_frame){.pieces = (uint32_t)trace_take_below(&v, TRACE_FRAME_PIECES)};
    f->piece = calloc(f->pieces + 1u, sizeof *f->piece);
    if (!f->piece || v.failed || !take_pieces(f, &v) || !sort(f)) {
        trace_frame_free(f);
        return false;
    }
    size_t table = (size_t)(v.at - raw->data);
    memmove(raw->data, raw->data + table, raw->size - table);
    raw->size -= table;
    f->data = *raw;
    *raw = (struct trace_bytes){0};
    return true;
}
