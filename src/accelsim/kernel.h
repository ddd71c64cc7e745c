/* One kernel's file, read into a native trace. */
#ifndef SUBCORE_ACCELSIM_KERNEL_H
#define SUBCORE_ACCELSIM_KERNEL_H

#include "accelsim/accelsim.h"
#include "accelsim/synthesis.h"

enum { CONVERTER_MACHINES = 8 };

/* Shared by kernels. */
struct converter {
    struct trace_writer *writer;
    const struct accelsim_options *options;
    struct accelsim_report *report;
    struct {
        unsigned architecture; /* 0: none */
        struct synthesis *synthesis;
    } machine[CONVERTER_MACHINES];
    char (*unknown)[ACCELSIM_NAME]; /* mnemonics warned about; owned */
    uint32_t unknown_count;
    uint64_t first_tracer, wrong_facts; /* kernels with such headers */
    uint64_t bytes_done, bytes_told, bytes_all;
};

void converter_end(struct converter *c);
/* Finds the machine of an architecture, which is made once: the index of `machine`. Returns CONVERTER_MACHINES, with
 * status that begins with the path, if there is none. */
unsigned converter_machine(struct converter *c, const char *path, unsigned architecture, struct status *status);
/* Warns, once, of an instruction of an unknown mnemonic, and counts its name. */
struct book_entry;
void converter_unknown(struct converter *c, const struct book_entry *entry);
/* A line for the reader. */
void converter_warn(const struct converter *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the launch with this number. Damage is an error, or with keep_going a warning and an incomplete kernel. */
bool kernel_convert(struct converter *c, const char *path, uint64_t number, struct status *status);

#endif
