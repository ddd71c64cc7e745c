/* The facts on a trace for a saved replay, in an archive (base/archive.h). */
#ifndef SUBCORE_TRACE_SAVE_H
#define SUBCORE_TRACE_SAVE_H

#include "base/archive.h"
#include "trace/reader.h"

/* A cursor at any place of its stream. A cursor of the same kernel in the same trace reads it. */
void trace_cursor_archive(struct archive *a, struct trace_cursor *cursor);

/* Tells traces apart, by the checksums of all their blocks and by their size. Not by their names. */
uint64_t trace_identity(struct trace_file *file);

#endif
