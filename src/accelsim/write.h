/* Writes traces for Accel-Sim, version 5 or 6: a folder with kernelslist.g and a file for each launch. Kernels,
 * CTAs and warps come in order. */
#ifndef SUBCORE_ACCELSIM_WRITE_H
#define SUBCORE_ACCELSIM_WRITE_H

#include "accelsim/packing.h"
#include "base/status.h"
#include "isa/issued.h"
#include "trace/launch.h"

struct accelsim_writer;

struct accelsim_format {
    uint32_t binary_version; /* that the files name (0: the architecture of the code) */
    enum accelsim_packing packing;
    unsigned version; /* 5 or 6 (0: 6 for kernels for which 5 has no words, else 5). In containers always 6 */
    /* For our own reader: beside each trace a kernel-N.sass with the machine code, and words at line ends in version 6
     * (accelsim/added.h). */
    bool code;
};

enum { WRITTEN_UNKNOWN = 32, WRITTEN_NAME = 32 };

/* Accel-Sim's results from the files. */
struct accelsim_written {
    uint64_t kernels, instructions, bytes; /* warp instructions; bytes before packing */
    uint64_t copies, ranges;               /* that were given. That the list names, as they are joined */
    uint64_t dropped;                      /* of the copies: those behind the last kernel */
    uint64_t exits;                        /* EXIT lines that the trace did not have */
    uint64_t version_6;                    /* of the kernels: those of version 6 */
    uint64_t objects;                      /* lines of SYNCS that Accel-Sim stops at */
    uint64_t sources;                      /* lines from which source registers were left out */
    uint32_t binary_version;               /* of the last kernel */
    uint32_t without_table;                /* a binary version for which no release of Accel-Sim has a table; 0 none */
    uint32_t unknown_count; /* mnemonics that the table of their binary version does not have. The first are here */
    struct {
        char name[WRITTEN_NAME];
        uint64_t lines;
    } unknown[WRITTEN_UNKNOWN];
};

/* `folder` appears, complete, by accelsim_writer_finish. It may exist if it is empty. */
struct accelsim_writer *accelsim_writer_create(const char *folder, const struct accelsim_format *format,
                                               struct status *status);
/* Keeps the copy back until a kernel comes behind it: Accel-Sim aborts at a list whose last command is a copy. Copies
 * between two kernels whose ranges overlap or touch are joined, and stand in the order of their addresses. */
void accelsim_writer_copy(struct accelsim_writer *w, const struct trace_copy *copy);

/* The launch is borrowed until accelsim_writer_end. */
bool accelsim_writer_begin(struct accelsim_writer *w, const struct trace_launch *launch, struct status *status);
/* The next warp, CTA after CTA, x fastest. `instructions` are to come. The lanes of `exited` will exit by them. Lanes
 * that do not get their own EXIT, as Accel-Sim's model wants one from every thread. */
void accelsim_writer_warp(struct accelsim_writer *w, uint64_t instructions, uint32_t exited);
void accelsim_writer_add(struct accelsim_writer *w, const struct issued *issued);
/* After the last warp of the grid. */
bool accelsim_writer_end(struct accelsim_writer *w, struct status *status);

const struct accelsim_written *accelsim_writer_report(const struct accelsim_writer *w);
bool accelsim_writer_finish(struct accelsim_writer *w, struct status *status);
/* Removes an unfinished file, and frees. NULL is allowed. */
void accelsim_writer_destroy(struct accelsim_writer *w);

#endif
