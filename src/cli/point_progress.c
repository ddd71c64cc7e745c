#include "cli/point_progress.h"

#include <math.h>
#include <stdio.h>

void point_progress_begin(struct point_progress *p, bool quiet)
{
    *p = (struct point_progress){0};
    progress_init(&p->progress, quiet);
}

void point_progress_show(void *self, size_t done, size_t count)
{
    struct point_progress *p = self;
    double now = progress_clock();
    if (!p->begun) {
        p->begun = true;
        p->begin = p->shown = now;
        p->at_begin = done;
    }
    if (!p->progress.on || now - p->shown < p->progress.every)
        return;
    p->shown = now;
    fprintf(stderr, "%ssubcore: %zu of %zu points", p->progress.erases ? "\r\033[K" : "", done, count);
    if (done > p->at_begin)
        fprintf(stderr, ", %.0f s left",
                ceil((now - p->begin) / (double)(done - p->at_begin) * (double)(count - done)));
    fputs(p->progress.erases ? "" : "\n", stderr);
}

void point_progress_end(struct point_progress *p)
{
    if (p->progress.erases && p->shown > p->begin)
        fputs("\r\033[K", stderr);
}
