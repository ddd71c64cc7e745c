#include "report/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "report/format.h"

enum { COLUMNS = 79 };
static const double first_seconds = 0.3, again_seconds = 0.1;

double progress_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool progress_possible(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

void progress_init(struct progress *progress, bool quiet)
{
    *progress = (struct progress){
        .on = !quiet && progress_possible(), .label = "", .unit = "CTAs", .work_start = progress_clock()};
}

void progress_start(struct progress *progress, const char *label)
{
    progress->label = label;
    progress->start = progress_clock();
    progress->shown = progress->start + first_seconds - again_seconds;
}

void progress_end(struct progress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}

static struct format time_left(double seconds, uint64_t done, uint64_t all)
{
    struct format f = {""};
    if (done == 0 || done > all)
        return f;
    double left = seconds * (double)(all - done) / (double)done;
    if (left < 3600 * 100)
        snprintf(f.text, sizeof f.text, ", %d:%02d left", (int)left / 60, (int)left % 60);
    return f;
}

static struct format left(const struct progress *progress, double now, uint64_t ctas_done, uint64_t ctas,
                          uint64_t instructions)
{
    if (progress->work == 0)
        return time_left(now - progress->start, ctas_done, ctas);
    return time_left(now - progress->work_start, progress->work_done + instructions, progress->work);
}

void progress_show(void *context, uint64_t ctas_done, uint64_t ctas, uint64_t cycle, uint64_t instructions)
{
    struct progress *progress = context;
    double now = progress->on ? progress_clock() : 0;
    if (!progress->on || now < progress->shown + again_seconds)
        return;
    double seconds = now - progress->start;
    char line[256], timing[2 * FORMAT_TEXT + 32] = "";
    int used = 0;
    if (cycle > 0)
        used = snprintf(timing, sizeof timing, ", cycle %s", format_count(cycle).text);
    if (instructions > 0)
        snprintf(timing + used, sizeof timing - (size_t)used, ", %s inst/s",
                 format_rate((double)instructions / seconds).text);
    snprintf(line, sizeof line, "%.30s: %s of %s %s%s%s", progress->label, format_count(ctas_done).text,
             format_count(ctas).text, progress->unit, timing, left(progress, now, ctas_done, ctas, instructions).text);
    text_make_printable(line, "");
    fprintf(stderr, "\r\033[K%.*s", COLUMNS, line);
    progress->shown = now;
    progress->visible = true;
}
