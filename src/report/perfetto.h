/* A timeline for Perfetto and other readers of trace events in JSON: launches on their streams, CTAs on their SMs'
 * slots, states of warps, counters. Everything that has the same place at different times is on one track. */
#ifndef SUBCORE_REPORT_PERFETTO_H
#define SUBCORE_REPORT_PERFETTO_H

#include <stdio.h>

#include "isa/isa.h"
#include "probe/result.h"
#include "probe/run_log.h"
#include "probe/samples.h"
#include "report/activity.h"

struct perfetto_stream; /* that has a track */
struct perfetto_tracks {
    struct perfetto_stream *streams;
    size_t count, room;
};

struct perfetto {
    FILE *out;
    bool cycles; /* a nanosecond that is shown is a cycle */
    bool failed; /* no memory */
    struct perfetto_tracks launches, copies, graphs;
};

/* Writes the instruction at `pc` of a timed launch, by its number in the log. Nothing where it is not known. */
struct perfetto_code {
    void *self;
    void (*text)(void *self, uint32_t launch, uint32_t pc, char text[static ISA_TEXT]);
};

/* `cycles`: times are cycles and are shown as nanoseconds. Otherwise they are simulated nanoseconds. */
void perfetto_begin(struct perfetto *p, FILE *out, const char *gpu, bool cycles);

struct perfetto_launch {
    uint64_t process, stream, number; /* number: of the launch in its process */
    const char *name;
    const struct kernel_result *result;
    uint64_t begin, end; /* ns or cycles */
};
void perfetto_launch(struct perfetto *p, const struct perfetto_launch *launch);

/* A copy, a set or a graph, on their own tracks. */
void perfetto_activity(struct perfetto *p, const struct activity *activity, uint64_t process);

/* `base[n]` is the begin of timed launch n in the log, `count` their number. `code.text` may be NULL. */
void perfetto_log(struct perfetto *p, const struct run_log *log, const uint64_t *base, size_t count,
                  const struct perfetto_code *code);
/* Counters of the launch that begins at `base`. */
void perfetto_samples(struct perfetto *p, const struct sample_series *series, uint64_t base);

/* Ends the document and frees. False: no memory for all tracks. */
bool perfetto_end(struct perfetto *p);

#endif
