/* Tells a profiler of calls and commands (driver/abi/profile.h). */
#ifndef SUBCORE_DRIVER_PROFILE_H
#define SUBCORE_DRIVER_PROFILE_H

#include "driver/abi/profile.h"

/* Of one thread: the call that goes on. */
struct profile_thread {
    unsigned depth; /* of calls inside it, with itself */
    struct profile_call call;
    CUcontext made; /* by the call, and not told yet (NULL: none) */
};

struct driver;

/* Returns the origin of a command that this thread submits. */
struct profile_origin profile_origin(void);
/* The calling thread's call waits for this. */
void profile_wait(struct profile_wait wait);
/* The calling thread has made a context: the listener is told at the end of the call. */
void profile_context_made(CUcontext context);
/* Tells the listener that a context will be destroyed. Releases the driver's lock meanwhile. */
void profile_context_ends(struct driver *driver, CUcontext context);
/* Tells the listener about a command, unless it was submitted before there was one. */
void profile_command(const struct profile_command *command);

#endif
