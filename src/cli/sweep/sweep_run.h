/* Runs the points of a sweep. Any number of processes, on one machine or on several that share the folder, take points
 * from it: a process holds a lock on a point's file while it runs the point, so a process that dies loses only the
 * points that it runs. */
#ifndef SUBCORE_CLI_SWEEP_RUN_H
#define SUBCORE_CLI_SWEEP_RUN_H

#include <limits.h>
#include <stdbool.h>

#include "cli/sweep/sweep_points.h"

/* Writes FOLDER/points/DIGEST.SUFFIX. */
void sweep_point_path(char path[static PATH_MAX], const char *folder, const struct sweep_point *point,
                      const char *suffix);
/* Writes FOLDER/.host/DIGEST.SUFFIX, for files that only this run of the sweep needs. */
void sweep_host_path(char path[static PATH_MAX], const char *folder, const struct sweep_point *point,
                     const char *suffix);

/* Makes the folder and those within it. */
bool sweep_folder(const char *folder, struct status *status);

/* Returns whether the point's results are there. */
bool sweep_point_done(const char *folder, const struct sweep_point *point);

/* Starts `workers` processes that take points until none is left, waits for them, and then for the points that other
 * machines still run. *stop ends it (STATUS_INTERRUPTED). `tell`, unless NULL, is told how far the sweep is, ten times
 * per second. */
struct sweep_teller {
    void *self;
    void (*tell)(void *self, size_t done, size_t count);
};
bool sweep_run(const struct sweep_points *points, const char *folder, unsigned workers, const volatile bool *stop,
               const struct sweep_teller *tell, struct status *status);

#endif
