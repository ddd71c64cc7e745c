#include "report/activity.h"

#include <math.h>

bool activity_next(FILE *from, struct activity *a)
{
    return fread(a, sizeof *a, 1, from) == 1 && a->layout == sizeof *a && a->kind < ACTIVITY_KINDS &&
           isfinite(a->begin) && isfinite(a->end) && a->begin >= 0 && a->end >= a->begin;
}

const char *activity_name(enum activity_kind kind)
{
    static const char *const names[] = {[ACTIVITY_COPY_IN] = "copy from the host",
                                        [ACTIVITY_COPY_OUT] = "copy to the host",
                                        [ACTIVITY_COPY_DEVICE] = "copy on the device",
                                        [ACTIVITY_SET] = "set",
                                        [ACTIVITY_GRAPH] = "graph"};
    return names[kind];
}
