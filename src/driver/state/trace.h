/* The trace of this process's launches (SUBCORE_TRACE). It begins with the first copy or launch and is complete when
 * the process exits; a kernel that runs then is stopped, and its launch is incomplete. A process that ends in another
 * way leaves none. */
#ifndef SUBCORE_DRIVER_TRACING_H
#define SUBCORE_DRIVER_TRACING_H

#include <pthread.h>
#include <sys/types.h>

#include "gpu/gpu.h"
#include "report/selection.h"

struct copy_command;
struct driver;

struct tracing {
    pthread_mutex_t lock; /* held while a recorded launch runs: guards all that follows, and the writer */
    struct trace_writer *writer;
    bool over;             /* it could not be written, or the process exits */
    pid_t process;         /* the one that began it, not its children */
    struct selection only; /* launches that are recorded; no rule: all */
    uint64_t launches;     /* in the trace */
};

#define TRACING_INITIALIZER                                                                                            \
    {                                                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                                              \
    }

/* Both on the executor thread. When the trace cannot be written they say so once, and the program goes on. */

/* As gpu_launch, recorded when the settings want it. `number` counts the launches of this kernel. */
bool tracing_launch(struct driver *driver, const struct gpu_launch *launch, uint64_t number,
                    struct kernel_result *result, struct status *status);
/* The copy has been made. */
void tracing_copy(struct driver *driver, const struct copy_command *copy, uint64_t stream);

#endif
