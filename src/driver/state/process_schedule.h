/* The schedule that this process's launches follow (SUBCORE_SCHEDULE), and the one that is kept of them
 * (SUBCORE_SCHEDULE_OUT). The latter is written when the process exits, if a launch was timed. A kernel that runs then
 * is stopped. A process that ends in another way leaves none. */
#ifndef SUBCORE_DRIVER_PROCESS_SCHEDULE_H
#define SUBCORE_DRIVER_PROCESS_SCHEDULE_H

#include <pthread.h>
#include <sys/types.h>

#include "driver/state/settings.h"
#include "gpu/gpu.h"

struct process_schedule {
    struct cta_schedule followed, places;
    pid_t process;           /* that keeps it (0: none) */
    pthread_mutex_t running; /* held while launches add to it */
};

/* Reads the schedule to follow, and gives both to the GPU. */
bool process_schedule_begin(struct process_schedule *s, const struct settings *settings, struct gpu_options *options,
                            struct status *status);

/* Launches begin to add to the schedule that is kept, and have ended. */
void process_schedule_enter(struct process_schedule *s);
void process_schedule_leave(struct process_schedule *s);

#endif
