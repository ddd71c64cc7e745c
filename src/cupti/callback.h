/* Callbacks for one subscriber, at the begin and end of functions, and when contexts are created and destroyed. */
#ifndef SUBCORE_CUPTI_CALLBACK_H
#define SUBCORE_CUPTI_CALLBACK_H

#include <stdbool.h>

#include "driver/abi/profile.h"

/* CUpti_CallbackDomain */
enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2, DOMAIN_RESOURCE = 3, DOMAINS = 9 };

/* CUpti_CallbackIdResource */
enum { CONTEXT_MADE = 1, CONTEXT_ENDS = 2 };

struct cupti;
struct subscriber;

/* Tells the subscriber that the call begins, or has ended. Called without the lock. */
void callback_tell(struct cupti *cupti, const struct profile_call *call, bool ended);
/* Tells the subscriber that a context was created, or will be destroyed. Called without the lock. */
void callback_tell_context(struct cupti *cupti, CUcontext context, bool made);
/* Returns true if the subscriber has enabled any function. */
bool callback_any(const struct subscriber *subscriber);

#endif
