/* Copies a part of a trace into a new one, without coding the streams anew. */
#ifndef SUBCORE_TRACE_CUT_H
#define SUBCORE_TRACE_CUT_H

#include "trace/reader.h"

struct trace_cut {
    bool (*keep)(void *self, uint32_t kernel); /* which kernels, by their number in the file (NULL: all) */
    uint64_t first_cta, ctas;                  /* of each kernel; ctas 0: all from the first one on */
    void (*progress)(void *self, uint64_t done, uint64_t all); /* warp instructions (NULL: none) */
    void *self;
    const volatile bool *stop; /* NULL: none */
};

/* Copies between launches are all kept. A kernel that lost CTAs keeps its grid, and is not complete. */
bool trace_cut(struct trace_file *file, const char *path, const struct trace_cut *cut, struct status *status);

#endif
