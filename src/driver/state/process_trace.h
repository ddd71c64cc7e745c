/* The trace of this process's launches (SUBCORE_TRACE). It begins with the first copy or launch and is complete when
 * the process exits. A kernel that runs then is stopped, and its launch is incomplete. A process that ends in another
 * way leaves none. */
#ifndef SUBCORE_DRIVER_PROCESS_TRACE_H
#define SUBCORE_DRIVER_PROCESS_TRACE_H

#include <pthread.h>
#include <sys/types.h>

#include "gpu/gpu.h"
#include "plan/selection.h"

struct driver;

struct process_trace {
    pthread_mutex_t lock; /* held while a recorded launch runs: guards all that follows, and the writer */
    struct trace_writer *writer;
    bool over;             /* it could not be written, or the process exits */
    pid_t process;         /* the one that began it, not its children */
    struct selection only; /* launches that are recorded; no rule: all */
    uint64_t launches;     /* in the trace */
};

#define PROCESS_TRACE_INITIALIZER                                                                                      \
    {                                                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                                              \
    }

/* Both on the executor thread. When the trace cannot be written they say so once, and the program goes on. */

/* As gpu_launch, recorded when the settings want it. `number` counts the launches of this kernel. */
bool process_trace_launch(struct driver *driver, const struct gpu_launch *launch, uint64_t number,
                          struct kernel_result *result, struct status *status);
/* A copy of `bytes` bytes from the host to the device has been made in a stream. */
void process_trace_copy(struct driver *driver, uint64_t address, uint64_t bytes, uint64_t stream);

#endif
