#include "accelsim/hold.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "isa/contract.h"

void hold_free(struct hold *h)
{
    free(h->ring);
    *h = (struct hold){0};
}

void hold_begin(struct hold *h, struct trace_stream *stream)
{
    h->stream = stream;
    h->count = 0;
}

static void emit(struct hold *h, const struct issued *issued, enum hold_kind kind)
{
    switch (kind) {
    case HOLD_PLAIN: trace_stream_add(h->stream, issued); break;
    case HOLD_COPY: trace_stream_add_copy(h->stream, issued); break;
    case HOLD_OPERATION: trace_stream_add_operation(h->stream, issued); break;
    case HOLD_TRANSFER: trace_stream_add_transfer(h->stream, issued); break;
    }
}

static void close_question(struct hold *h, unsigned i)
{
    memmove(&h->open[i], &h->open[i + 1], (--h->count - i) * sizeof h->open[i]);
}

static void let_one_go(struct hold *h)
{
    const struct held *held = &h->ring[h->first % HOLD_MOST];
    if (h->count > 0 && h->open[0].at == h->first)
        close_question(h, 0);
    emit(h, &held->issued, held->kind);
    h->first++;
}

/* Those before the oldest question that is open. */
static void let_go(struct hold *h)
{
    uint64_t before = h->count ? h->open[0].at : h->end;
    while (h->first != before)
        let_one_go(h);
}

static void keep(struct hold *h, const struct issued *issued, enum hold_kind kind)
{
    if (h->end - h->first == HOLD_MOST)
        let_one_go(h);
    h->ring[h->end++ % HOLD_MOST] = (struct held){*issued, kind};
}

void hold_add(struct hold *h, const struct issued *issued, enum hold_kind kind, bool effects)
{
    if (h->count == 0) {
        emit(h, issued, kind);
        return;
    }
    for (unsigned i = 0; effects && i < h->count; i++)
        h->open[i].effects = true;
    keep(h, issued, kind);
    let_go(h);
}

static void did_not_wait(struct issued *issued)
{
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        issued->operand[lane] &= ~(uint64_t)ISSUED_WAITS;
}

bool hold_ask(struct hold *h, const struct issued *issued)
{
    unsigned lane = issued->active ? lowest_bit32(issued->active) : 0;
    struct hold_question asked = {.address = issued->address[lane], .parity = issued->operand[lane] & ISSUED_PARITY};
    if (!h->ring && !(h->ring = malloc(HOLD_MOST * sizeof *h->ring)))
        return false;
    for (unsigned i = 0; i < h->count; i++) {
        const struct hold_question *q = &h->open[i];
        if (q->address != asked.address)
            continue;
        if (q->parity == asked.parity && q->effects)
            did_not_wait(&h->ring[q->at % HOLD_MOST].issued);
        close_question(h, i--);
    }
    if (h->count == HOLD_OPEN)
        close_question(h, 0);
    keep(h, issued, HOLD_OPERATION);
    asked.at = h->end - 1;
    h->open[h->count++] = asked;
    let_go(h);
    return true;
}

void hold_end(struct hold *h)
{
    h->count = 0;
    let_go(h);
}
