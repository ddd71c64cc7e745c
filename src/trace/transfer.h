/* The record of a transfer (isa/issued.h) in a trace: the difference to the one before at the same place. */
#ifndef SUBCORE_TRACE_TRANSFER_H
#define SUBCORE_TRACE_TRANSFER_H

#include "isa/issued.h"
#include "trace/bytes.h"

/* Its fields, in the order of the file (docs/trace-format.md). */
enum { TRACE_TRANSFER_FIELDS = 32 };
void trace_transfer_fields(const struct transfer *transfer, uint64_t field[TRACE_TRANSFER_FIELDS]);
/* Returns false if a field does not fit. */
bool trace_transfer_of(const uint64_t field[TRACE_TRANSFER_FIELDS], struct transfer *transfer);

/* Writes `transfer`, which becomes *before. */
void trace_transfer_put(struct trace_bytes *out, const struct transfer *transfer, struct transfer *before);
/* Reads a transfer into *before. Returns false if it is damaged. */
bool trace_transfer_take(struct trace_view *in, struct transfer *before);

/* Returns NULL, or the error of a transfer by a CTA in a cluster of `group` CTAs: the timing relies on the rest. */
const char *trace_transfer_wrong(const struct transfer *transfer, uint32_t group);

#endif
