/* Traces of Accel-Sim (kernelslist.g and the kernels' files, versions 0 to 6), read into a native trace.
 * docs/accelsim.md describes the reading of each field, and the gaps of such a trace. */
#ifndef SUBCORE_ACCELSIM_ACCELSIM_H
#define SUBCORE_ACCELSIM_ACCELSIM_H

#include "base/status.h"
#include "trace/reader.h"
#include "trace/writer.h"

struct accelsim_options {
    const char *code;          /* cubin, fatbin or program with the kernels' code (NULL: none) */
    bool ignore_code;          /* nor kernel-N.sass beside a trace, nor our words at the ends of lines */
    bool keep_going;           /* a damaged kernel ends early instead of ending everything */
    uint64_t first, last;      /* launches to read, from 0, both included */
    uint32_t architecture;     /* of the code, where a trace does not tell it (0: that is an error) */
    const volatile bool *stop; /* polled: STATUS_INTERRUPTED (NULL: never) */
    void *self;
    void (*warn)(void *self, const char *text);                      /* one line (NULL: not wanted) */
    void (*left_out)(void *self, uint64_t launch);                   /* with keep_going: nothing of it is whole */
    void (*progress)(void *self, uint64_t bytes_done, uint64_t all); /* bytes of files (NULL: not wanted) */
};

/* Everything, without further code. */
#define ACCELSIM_DEFAULTS ((struct accelsim_options){.last = UINT64_MAX})

enum { ACCELSIM_NAMES = 16, ACCELSIM_NAME = 48 };

struct accelsim_report {
    uint64_t kernels, copies, instructions;      /* warp instructions */
    uint64_t damaged_kernels;                    /* with keep_going */
    uint64_t with_code;                          /* kernels whose machine code was at hand */
    uint64_t unknown_instructions;               /* of unknown mnemonics */
    uint32_t unknown_mnemonics;                  /* different ones */
    char unknown[ACCELSIM_NAMES][ACCELSIM_NAME]; /* the first of them */
};

/* A command list, or one kernel's file, by its contents. */
bool accelsim_is_list(const char *path);

/* Adds everything to the trace; *report is filled in also at an error. */
bool accelsim_convert(const char *list, struct trace_writer *w, const struct accelsim_options *options,
                      struct accelsim_report *report, struct status *status);

/* The same into a temporary file in $TMPDIR or /tmp, which has no name any more when it is returned, opened. NULL with
 * status on failure. */
struct trace_file *accelsim_open(const char *list, const struct accelsim_options *options,
                                 struct accelsim_report *report, struct status *status);

#endif
