/* A file that is written from its begin to its end, packed or not. */
#ifndef SUBCORE_ACCELSIM_SINK_H
#define SUBCORE_ACCELSIM_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "accelsim/packing.h"
#include "base/status.h"

struct sink;

/* `path` must not exist. */
struct sink *sink_open(const char *path, enum accelsim_packing packing, struct status *status);
/* Errors are kept for sink_close. */
void sink_put(struct sink *sink, const char *data, size_t size);
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes of text that the sink has taken so far. */
uint64_t sink_size(const struct sink *sink);
/* Removes the text behind the first `size` bytes. Works for a file that is not packed, and before sink_close. */
void sink_cut(struct sink *sink, uint64_t size);
/* Completes the file, and frees; false when anything went wrong. NULL is allowed. */
bool sink_close(struct sink *sink, struct status *status);

#endif
