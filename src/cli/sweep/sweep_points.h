/* The points of a sweep: each program with each combination of values, as a subcore command. */
#ifndef SUBCORE_CLI_SWEEP_POINTS_H
#define SUBCORE_CLI_SWEEP_POINTS_H

#include <stdint.h>

#include "cli/sweep/sweep_file.h"

struct sweep_point {
    const struct sweep_program *program;
    const char **values;      /* one for each axis, borrowed from the file */
    struct sweep_words words; /* behind "subcore", without the file of the results */
    size_t operands;          /* number of the first word that is the program's own. Options go before it */
    uint64_t digest;          /* of the words and the version: the name of the point's files */
};

struct sweep_points {
    const struct sweep_file *file;
    struct sweep_point *items; /* the last axis varies fastest */
    size_t count;
};

enum { SWEEP_POINTS_MAX = 100000 };

/* Makes the points, and checks all commands, machines, keys and options. `file` is borrowed. False: status
 * names the point and the reason, and nothing is to be freed. */
bool sweep_points_make(struct sweep_points *points, const struct sweep_file *file, struct status *status);
void sweep_points_free(struct sweep_points *points);

#endif
