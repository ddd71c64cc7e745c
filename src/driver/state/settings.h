/* The environment's settings, read once (docs/cuda.md lists the variables). */
#ifndef SUBCORE_DRIVER_SETTINGS_H
#define SUBCORE_DRIVER_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "plan/plan.h"

struct settings {
    const char *gpu;      /* SUBCORE_GPU: name or file; "rtx-a6000" */
    const char *set;      /* SUBCORE_SET: assignments, one per line; "" */
    bool functional;      /* SUBCORE_MODE=functional: launches that `detailed` does not name have no time */
    const char *detailed; /* SUBCORE_DETAILED: KERNEL[:N], one per line ("": none is named) */
    const char *kernels, *fast_forward; /* SUBCORE_KERNELS, SUBCORE_FAST_FORWARD: as those options; "" */
    /* SUBCORE_UNTIL_CYCLES, _UNTIL_INSTS, _UNTIL_STABLE_IPC, SUBCORE_CTAS, SUBCORE_SAMPLE. The executor adds
     * `detailed`, `kernels` and `fast_forward` before the first launch */
    struct plan plan;
    bool partial;           /* `plan` has one of these, before the executor adds the others */
    unsigned threads;       /* SUBCORE_THREADS (0: as many as there are processors, at most 16) */
    bool quiet;             /* SUBCORE_QUIET=1: no line for each launch */
    const char *record;     /* SUBCORE_RECORD: file that launch records are appended to (NULL: none) */
    const char *trace;      /* SUBCORE_TRACE: file that launches are recorded in, %p: the process (NULL: none) */
    const char *trace_only; /* SUBCORE_TRACE_ONLY: KERNEL[:N], one per line, of those ("": all) */
    bool serial_streams;    /* SUBCORE_STREAMS=serial: kernels do not overlap */
    uint32_t checks;        /* SUBCORE_CHECK: as --check; a bit each of enum check_bit (0: none) */
    bool pass_outside;      /* SUBCORE_PASS_OUTSIDE=1: as --pass-outside */
    const char *sources;    /* SUBCORE_SOURCES: file that counters of instructions are appended to (NULL: none) */
    const char *activities; /* SUBCORE_ACTIVITIES: file that copies and graphs are appended to (NULL: none) */
    const char *nvtx;       /* SUBCORE_NVTX: ranges of which the launches are timed, one per line ("": all launches) */
    const char *schedule, *schedule_out; /* SUBCORE_SCHEDULE, SUBCORE_SCHEDULE_OUT: as those options (NULL: none) */
    const char *findings;                /* SUBCORE_FINDINGS: file that findings are appended to (NULL: none) */
    bool blocking;                       /* CUDA_LAUNCH_BLOCKING: a launch returns when the kernel has ended */
    FILE *api_log;                       /* SUBCORE_API_LOG: "-" or a file (NULL: none) */
};

bool settings_read(struct settings *settings, struct status *status);

#endif
