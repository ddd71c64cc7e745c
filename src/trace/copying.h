/* Functions of the writer, beside writer.h, that copy pieces of streams unchanged from another trace. */
#ifndef SUBCORE_TRACE_COPYING_H
#define SUBCORE_TRACE_COPYING_H

#include "trace/dictionary.h"
#include "trace/frame.h"
#include "trace/writer.h"

/* The kernel, of which nothing is written yet, takes over a dictionary. */
bool trace_writer_dictionary(struct trace_writer *w, const struct trace_dictionary *dictionary, struct status *status);
/* A piece that was coded with it. Parts of a stream come in their order. */
bool trace_writer_piece(struct trace_writer *w, const struct trace_piece *piece, const uint8_t *data,
                        struct status *status);

#endif
