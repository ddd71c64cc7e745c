/* The end of a warp's stream on its way to the trace, while it is open the findings of its waits at barrier objects.
 * A line of version 6 does not tell whether SYNCS.PHASECHK found the phase at its end. The warp's next instructions
 * tell it: a warp that asks for the same phase of the same object again, after it has done something that others may
 * wait for, went on without it. Every other question is taken for a wait: of those in a loop without effects the
 * first one then waits. */
#ifndef SUBCORE_ACCELSIM_HOLD_H
#define SUBCORE_ACCELSIM_HOLD_H

#include "trace/writer.h"

enum { HOLD_MOST = 1 << 12, HOLD_OPEN = 16 }; /* instructions that are held. Questions among them that are open */

enum hold_kind { HOLD_PLAIN, HOLD_COPY, HOLD_OPERATION, HOLD_TRANSFER };

struct hold {
    struct trace_stream *stream;
    struct held {
        struct issued issued;
        enum hold_kind kind;
    } * ring;            /* [HOLD_MOST], owned. NULL until something is held */
    uint64_t first, end; /* of those that are held, counted through the kernel */
    struct hold_question {
        uint64_t at;
        uint64_t address;
        bool parity, effects;
    } open[HOLD_OPEN];
    unsigned count;
};

void hold_free(struct hold *hold);
void hold_begin(struct hold *hold, struct trace_stream *stream);

/* Adds the warp's next instruction. `effects`: others may wait for its effect. */
void hold_add(struct hold *hold, const struct issued *issued, enum hold_kind kind, bool effects);
/* Adds a wait at an object whose end is open, with operands as if it had one. Returns false if out of memory. */
bool hold_ask(struct hold *hold, const struct issued *issued);
/* Lets go of everything. */
void hold_end(struct hold *hold);

#endif
