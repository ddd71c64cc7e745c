/* Takes the stream of one warp apart. */
#ifndef SUBCORE_TRACE_DECODE_H
#define SUBCORE_TRACE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/predict.h"

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
/* Decodes the next instruction. Returns NULL, or the error. */
const char *trace_decoder_next(struct trace_decoder *d, struct issued *out);

#endif
