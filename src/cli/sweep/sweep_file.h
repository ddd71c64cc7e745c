/* The file of a sweep: programs, and axes whose values are combined. docs/sweeps.md describes it. */
#ifndef SUBCORE_CLI_SWEEP_FILE_H
#define SUBCORE_CLI_SWEEP_FILE_H

#include <stddef.h>

#include "base/status.h"

/* Texts in order. */
struct sweep_words {
    char **items; /* owned */
    size_t count;
};

/* `gpu`, `fidelity`, a key of the configuration, or an option of the commands (--until-cycles). */
struct sweep_axis {
    char *name;
    struct sweep_words values; /* at least one */
};

struct sweep_program {
    char *name;
    struct sweep_words words; /* a command of subcore and its words, without options that axes set; at least one */
};

struct sweep_file {
    struct sweep_program *programs;
    size_t program_count;
    struct sweep_axis *axes;
    size_t axis_count;
    struct sweep_words metrics; /* columns of the table, by the profiler's names */
};

/* Reads and checks a file. False: status names file, line and reason, and nothing is to be freed. */
bool sweep_file_read(struct sweep_file *file, const char *path, struct status *status);
/* Reads a text that came from `path`. */
bool sweep_file_parse(struct sweep_file *file, const char *path, const char *text, size_t size, struct status *status);
void sweep_file_free(struct sweep_file *file);

#endif
