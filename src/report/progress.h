/* The text on standard error while a kernel runs, or something else takes long: one line that is written again and
 * again where that is a terminal that can erase it, else a line every ten seconds. */
#ifndef SUBCORE_REPORT_PROGRESS_H
#define SUBCORE_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/live.h"

struct progress {
    bool on;
    bool erases;             /* the line is written again; else each is one more */
    double every;            /* seconds between two */
    struct live_place *live; /* where another process reads how far the kernel is (NULL: nowhere) */
    const char *label;
    const char *unit;    /* of the work done; "CTAs" */
    double start, shown; /* seconds */
    bool visible;
    /* For a run with many kernels; all 0: the time that is left is that of the kernel. */
    uint64_t work, work_done; /* warp instructions of the run, and those in kernels that have ended */
    double work_start;
    double half_width; /* of a sampled run's cycles so far, as a share of them (0: not known) */
};

/* Standard error is a terminal that erases lines: one that TERM names, and not "dumb". */
bool progress_possible(void);
/* Without such a terminal SUBCORE_PROGRESS says how many seconds lie between two lines, 10 if it says nothing (0: there
 * are none). */
void progress_init(struct progress *progress, bool quiet);
/* A kernel starts; `label` is borrowed. */
void progress_start(struct progress *progress, const char *label);
void progress_end(struct progress *progress);
/* Takes the line away, before something else is written. */
void progress_hide(struct progress *progress);
/* As struct gpu_options wants it. */
void progress_show(void *progress, uint64_t ctas_done, uint64_t ctas, uint64_t cycle, uint64_t instructions);

double progress_clock(void);

#endif
