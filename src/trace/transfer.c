#include "trace/transfer.h"

#include "base/bits.h"
#include "trace/check.h"
#include "trace/launch.h"

/* ---- coding ------------------------------------------------------------------------------------------------------ */

enum { FIELDS = TRACE_TRANSFER_FIELDS };

void trace_transfer_fields(const struct transfer *t, uint64_t field[FIELDS])
{
    unsigned n = 0;
    field[n++] = t->kind;
    field[n++] = t->base;
    field[n++] = t->map;
    field[n++] = t->rows;
    field[n++] = t->bytes;
    field[n++] = t->element_bytes;
    field[n++] = t->shared;
    field[n++] = t->barrier;
    field[n++] = t->targets | (uint32_t)t->signals << 16;
    field[n++] = t->fetch;
    for (unsigned d = 0; d < TRANSFER_DIMENSIONS; d++) {
        field[n++] = t->stride[d];
        field[n++] = t->extent[d];
    }
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++) {
        field[n++] = t->start[d];
        field[n++] = t->from[d];
        field[n++] = t->to[d];
    }
}

bool trace_transfer_of(const uint64_t field[FIELDS], struct transfer *t)
{
    unsigned n = 0;
    uint64_t far = field[0] > TRANSFER_GROUP || field[8] > UINT32_MAX || field[9] > UINT8_MAX;
    for (unsigned i = 3; i < FIELDS; i++)
        far |= i >= 10 && i < 10 + 2 * TRANSFER_DIMENSIONS && i % 2 == 0 ? 0 : field[i] >> 32;
    *t = (struct transfer){.kind = (uint8_t)field[n++]};
    t->base = field[n++];
    t->map = field[n++];
    t->rows = (uint32_t)field[n++];
    t->bytes = (uint32_t)field[n++];
    t->element_bytes = (uint32_t)field[n++];
    t->shared = (uint32_t)field[n++];
    t->barrier = (uint32_t)field[n++];
    t->targets = (uint16_t)field[n];
    t->signals = (uint16_t)(field[n++] >> 16);
    t->fetch = (uint8_t)field[n++];
    for (unsigned d = 0; d < TRANSFER_DIMENSIONS; d++) {
        t->stride[d] = field[n++];
        t->extent[d] = (uint32_t)field[n++];
    }
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++) {
        t->start[d] = (uint32_t)field[n++];
        t->from[d] = (uint32_t)field[n++];
        t->to[d] = (uint32_t)field[n++];
    }
    return !far;
}

void trace_transfer_put(struct trace_bytes *out, const struct transfer *transfer, struct transfer *before)
{
    bool named_alone = transfer->kind == TRANSFER_NONE || transfer->kind == TRANSFER_GROUP;
    uint64_t now[FIELDS], then[FIELDS], changed = 0;
    trace_transfer_fields(named_alone ? before : transfer, now);
    now[0] = transfer->kind;
    trace_transfer_fields(before, then);
    for (unsigned i = 0; i < FIELDS; i++)
        changed |= (uint64_t)(now[i] != then[i]) << i;
    trace_put_number(out, changed);
    for (uint64_t left = changed; left; left &= left - 1)
        trace_put_signed(out, (int64_t)(now[lowest_bit64(left)] - then[lowest_bit64(left)]));
    trace_transfer_of(now, before);
}

bool trace_transfer_take(struct trace_view *in, struct transfer *before)
{
    uint64_t field[FIELDS];
    trace_transfer_fields(before, field);
    for (uint64_t left = trace_take_below(in, UINT32_MAX); left; left &= left - 1)
        field[lowest_bit64(left)] += (uint64_t)trace_take_signed(in);
    return trace_transfer_of(field, before) && !in->failed;
}

/* ---- fields that the timing relies on ---------------------------------------------------------------------------- */

enum { ROWS_MOST = 1 << 18, ELEMENT_MOST = 16 };

static const char *rows_wrong(const struct transfer *t)
{
    bool moves_memory = t->kind >= TRANSFER_LOAD && t->kind <= TRANSFER_PREFETCH;
    if (!moves_memory)
        return NULL;
    if (t->rows > ROWS_MOST)
        return "a transfer of more than 262144 rows";
    if (!t->element_bytes || t->element_bytes > ELEMENT_MOST)
        return "a transfer of elements that are not 1 to 16 bytes";
    if (t->extent[0] && (t->stride[0] > UINT32_MAX || transfer_span(t) > UINT32_MAX))
        return "a transfer with a row of 4 GiB and more";
    if (t->extent[1] == 0 && t->rows >= TRANSFER_DIMENSIONS)
        return "a transfer of more than 4 rows that are named one by one";
    for (unsigned d = 2; d < TRANSFER_DIMENSIONS; d++)
        if (!t->extent[d])
            return "a transfer of a box without digits";
    for (uint32_t row = 0; row < t->rows; row++) {
        uint64_t address;
        if (transfer_row(t, row, &address) && address > TRACE_ADDRESS_LAST - transfer_span(t))
            return "a transfer over the end of the address space";
    }
    return NULL;
}

const char *trace_transfer_wrong(const struct transfer *t, uint32_t group)
{
    bool arrives = t->kind == TRANSFER_LOAD || t->kind == TRANSFER_SHARED;
    if ((t->shared | t->barrier) >> TRACE_WINDOW_BITS || t->bytes > 1u << TRACE_WINDOW_BITS)
        return "a transfer with an offset beyond 16 MiB, or of more bytes";
    if (arrives && (t->targets | t->signals) >> group)
        return "a transfer to a CTA that its cluster does not have";
    if (t->kind == TRANSFER_SHARED && (!t->targets || (t->targets & (t->targets - 1))))
        return "a copy between shared memories that does not go to one CTA";
    return rows_wrong(t);
}
