/* Callbacks at the begin and the end of functions of the driver and the runtime, and of contexts, for one subscriber. */
#ifndef SUBCORE_CUPTI_CALLBACK_H
#define SUBCORE_CUPTI_CALLBACK_H

#include <stdbool.h>

#include "driver/abi/profile.h"

struct cupti;
struct subscriber;

/* Tells the subscriber that the call begins, or has ended. Without the lock. */
void callback_tell(struct cupti *cupti, const struct profile_call *call, bool ended);
/* Tells it that a context was made, or will be destroyed. Without the lock. */
void callback_tell_context(struct cupti *cupti, CUcontext context, bool made);
/* Returns whether the subscriber has asked for any function. */
bool callback_any(const struct subscriber *subscriber);

#endif
