#include "plan/limit.h"

#include "plan/text.h"

bool limit_parse(void *state, const char *option, const char *text, struct status *status)
{
    struct limit *limit = state;
    const char *end = text;
    return (plan_read_number(&end, &limit->most) && *end == '\0' && limit->most > 0) ||
           status_fail(status, STATUS_USAGE, "%s: '%.100s' is not a number from 1 on", option, text);
}
