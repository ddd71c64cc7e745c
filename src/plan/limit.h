/* A number that all timed launches share. */
#ifndef SUBCORE_PLAN_LIMIT_H
#define SUBCORE_PLAN_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct limit {
    uint64_t most; /* at least 1 */
};

/* Reads the text of an option into a struct limit. */
bool limit_parse(void *state, const char *option, const char *text, struct status *status);

/* Returns the rest of the limit, at least 1: a resumed run may have passed its new limit already. */
static inline uint64_t limit_left(const struct limit *limit, uint64_t used)
{
    return limit->most > used ? limit->most - used : 1;
}

#endif
