/* Compares execution with a trace, field by field. */
#ifndef SUBCORE_TESTS_RECORD_CHECK_H
#define SUBCORE_TESTS_RECORD_CHECK_H

#include "exec/warp_state.h"
#include "tests/unit.h"
#include "trace/reader.h"

enum { MATCH_SLOTS = 8192 };

/* How often the trace had the subject of a test. */
struct match_seen {
    uint64_t instructions, divergent, barriers, arrivals, local, mixed, generic, copies, zero_filled, atomics,
        reductions, sleeps, turns;
};

struct match {
    struct trace_file *file;
    struct trace_kernel *kernel;
    uint32_t next;                            /* kernel of the trace */
    struct trace_cursor *cursor[MATCH_SLOTS]; /* by slot of the warp */
    uint64_t running[MATCH_SLOTS];            /* CTA and 1 (0: no warp is in the slot) */
    uint64_t last_cta, warps, instructions;   /* of this launch */
    struct match_seen seen;
};

void match_open(struct match *check, const char *path);
/* A launch begins: the next kernel of the trace is compared with it. */
void match_begin(struct match *check);
/* As exec_watch.issued. */
void match_issued(void *self, const struct exec_warp *warp, const struct issued *issued);
/* It has ended: the trace has no more either. */
void match_end(struct match *check);
void match_close(struct match *check);

#endif
