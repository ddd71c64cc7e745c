#include "driver/queue/mark.h"

#include <stdlib.h>

struct mark *mark_create(void)
{
    struct mark *mark = calloc(1, sizeof *mark);
    if (mark != NULL)
        mark->holders = 1;
    return mark;
}

struct mark *mark_hold(struct mark *mark)
{
    if (mark != NULL)
        mark->holders++;
    return mark;
}

void mark_release(struct mark *mark)
{
    if (mark != NULL && --mark->holders == 0)
        free(mark);
}
