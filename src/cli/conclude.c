#include "cli/conclude.h"

bool conclude_results(unsigned missed, unsigned open, bool strict, const char *noun, struct status *status)
{
    unsigned wrong = missed + (strict ? open : 0);
    if (wrong == 0)
        return true;
    return status_fail(status, STATUS_CHECK, "%u %s%s not within tolerance", wrong, noun, wrong == 1 ? " is" : "s are");
}
