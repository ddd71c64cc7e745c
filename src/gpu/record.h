/* A launch on its way into a trace: the description of the launch, and each warp's instructions as they execute.
 *
 * Addresses in local memory become offsets in the thread's own local memory, because a slot of a warp is nothing that
 * a launch has: it is the run's. For a generic access of which other lanes are in global memory such a lane has the
 * generic address (EXEC_LOCAL_WINDOW and the offset). */
#ifndef SUBCORE_GPU_RECORD_H
#define SUBCORE_GPU_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "exec/launch.h"
#include "exec/warp_state.h"
#include "trace/launch.h"
#include "trace/writer.h"

/* Facts of a launch that the functional machine does not know. */
struct record_facts {
    uint32_t static_shared;    /* bytes a CTA, without the system's share */
    uint32_t shared_preferred; /* as gpu_launch has it */
    uint64_t stream, number;
};

struct record {
    struct trace_writer *writer; /* NULL: nothing is recorded */
    const struct exec_launch *launch;
    struct trace_stream **stream; /* [slots] of the warp that is in a slot (NULL: none, or it has not begun) */
    uint32_t slots;
    struct trace_stream *last; /* of the warp whose end came last, as long as that may have been a fault (NULL: none) */
    bool failed;               /* the host had no memory for a stream */
    bool takes_work;           /* CTAs have asked for others that have not begun */
    struct issued moved;       /* an instruction whose addresses are other ones in the trace */
};

/* The launch as a trace has it; free it with trace_launch_free. */
bool record_describe(const struct exec_launch *launch, const struct record_facts *facts, struct trace_launch *out,
                     struct status *status);

/* The launch must live until record_end. */
bool record_begin(struct record *record, struct trace_writer *writer, const struct exec_launch *launch,
                  const struct record_facts *facts, struct status *status);
/* An instruction of this warp has executed. No other warp has the same slot at the same time. */
void record_issued(struct record *record, uint32_t slot, const struct exec_warp *warp, const struct issued *issued);
/* The launch has ended; `complete`: as it should. False: the trace differs from the execution. */
bool record_end(struct record *record, bool complete, struct status *status);

#endif
