/* Shared by the files of the writer. */
#ifndef SUBCORE_ACCELSIM_WRITE_PARTS_H
#define SUBCORE_ACCELSIM_WRITE_PARTS_H

#include "accelsim/copies.h"
#include "accelsim/kernel_file.h"
#include "accelsim/line6_write.h"
#include "accelsim/sink.h"
#include "accelsim/write.h"

enum { WRITE_PATH = 4096, WRITE_SUFFIX = 64 };

/* An instruction of the kernel that has executed. */
struct used {
    struct line_form five; /* of version 5, */
    struct line6_form six; /* or 6: one of both */
    uint64_t lines;
    uint32_t copies;    /* LDGSTS: the lanes whose places in shared memory are noted */
    uint32_t place[32]; /* above the lowest one */
};

struct accelsim_writer {
    struct accelsim_format format;
    struct accelsim_written report;
    char folder[WRITE_PATH - WRITE_SUFFIX], temporary[WRITE_PATH]; /* temporary: empty when there is none any more */
    struct sink *list;
    struct kernel_file *kernel;
    uint64_t list_size, list_ranges; /* of the list up to its last kernel */
    struct copies pending;           /* since then */
    const struct trace_launch *launch;
    unsigned version; /* of the kernel's text */
    struct line_window window;
    struct line6_writer six;
    struct used **used; /* [code_count]. NULL where nothing has executed yet */
    uint32_t code_count;
    uint64_t next_warp;         /* of the kernel, counted through its CTAs */
    uint64_t left;              /* instructions of the current warp that have not come */
    uint32_t pc, still_running; /* where its last one was; lanes without an EXIT */
    bool no_memory, out_of_code;
};

/* Sets the path of a file: of a kernel with an ending, or for number 0 of the name that `ending` is. Paths are shorter
 * than the kernel allows, or the first of them could not be opened. */
void write_path(const struct accelsim_writer *w, uint64_t kernel, const char *ending,
                char out[WRITE_PATH + WRITE_SUFFIX]);

/* Writes the machine code of the kernel beside its trace. */
bool write_code(const struct accelsim_writer *w, struct status *status);

#endif
