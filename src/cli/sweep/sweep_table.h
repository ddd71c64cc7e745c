/* The tables and pictures of a sweep, from the results of its points. */
#ifndef SUBCORE_CLI_SWEEP_TABLE_H
#define SUBCORE_CLI_SWEEP_TABLE_H

#include "cli/sweep/sweep_points.h"

/* The sums over the launches of a point. */
struct sweep_row {
    int exit_status;
    char message[400];   /* of a point that failed */
    uint64_t launches;   /* all */
    uint64_t timed;      /* those with their own cycles, or an estimate */
    double cycles;       /* of the timed ones */
    double nanoseconds;  /* the same */
    double instructions; /* of warps, all launches */
    double *metrics;     /* one for each column; NAN: no launch has it */
};

struct sweep_table {
    const struct sweep_points *points;
    struct sweep_row *rows; /* one for each point */
};

/* Reads the results of all points, which are done. Metrics are sums of the launches (.sum), their extremes (.max,
 * .min), else means weighted with the launches' cycles. */
bool sweep_table_read(struct sweep_table *table, const struct sweep_points *points, const char *folder,
                      struct status *status);
void sweep_table_free(struct sweep_table *table);

/* Writes sweep.csv and sweep.json into the folder, each whole or not at all. */
bool sweep_table_write(const struct sweep_table *table, const char *folder, struct status *status);
/* Writes a picture AXIS.svg of the cycles for each axis of at least two values. */
bool sweep_plot_write(const struct sweep_table *table, const char *folder, struct status *status);

#endif
