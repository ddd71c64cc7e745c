/* Takes the stream of one warp apart. */
#ifndef SUBCORE_TRACE_DECODE_H
#define SUBCORE_TRACE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/predict.h"
#include "trace/reader.h"

struct trace_decoder {
    const struct trace_dictionary *dictionary;
    uint32_t code_count;
    struct trace_predictor state;
    struct trace_view in;
    uint64_t run; /* instructions until one that comes otherwise */
    bool second;  /* the last one has second addresses, or operands */
    bool transfer;
};

/* The dictionary is complete. False: no memory. */
bool trace_decoder_init(struct trace_decoder *d, const struct trace_dictionary *dictionary, uint32_t code_count);
void trace_decoder_free(struct trace_decoder *d);
/* At the begin of a stream. */
void trace_decoder_start(struct trace_decoder *d, uint32_t pc, uint32_t path);
/* Goes on with these bytes. */
void trace_decoder_feed(struct trace_decoder *d, const uint8_t *data, size_t size);
/* Goes past at most so many instructions from here on, each of which has no place in the dictionary. Stops before one
 * that comes otherwise than expected. Returns how many. */
static inline uint64_t trace_decoder_skip(struct trace_decoder *d, uint64_t most)
{
    uint64_t count = most < d->run ? most : d->run;
    d->state.pc += (uint32_t)count;
    d->run -= count;
    return count;
}
/* Goes past one instruction that accesses nothing, if it comes as expected. */
static inline bool trace_decoder_pass(struct trace_decoder *d)
{
    const struct trace_flow_slot *s = trace_flow_slot(&d->state, d->dictionary, d->state.pc);
    const struct trace_outcome outcome = s ? s->last : trace_plain_outcome(d->state.pc);
    if (!d->run || outcome.next > d->code_count)
        return false;
    d->state.pc = outcome.next;
    d->state.path = outcome.keep ? d->state.path : outcome.path;
    d->run--;
    return true;
}
/* Decodes the next instruction. Returns NULL, or the error. `folded`: NULL, or for addresses that may stay folded. */
const char *trace_decoder_next(struct trace_decoder *d, struct issued *out, struct trace_folded *folded);
/* Writes the addresses that were left folded. */
void trace_decoder_unfold(struct issued *out, struct trace_folded *folded);

#endif
