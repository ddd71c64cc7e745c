#include "report/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "report/format.h"

enum { COLUMNS = 79, LINE_SECONDS = 10 };
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

static double seconds_between_lines(void)
{
    const char *text = getenv("SUBCORE_PROGRESS");
    char *end = NULL;
    double seconds = text && *text ? strtod(text, &end) : LINE_SECONDS;
    return end && (*end != '\0' || !(seconds >= 0)) ? LINE_SECONDS : seconds;
}

void progress_init(struct progress *progress, bool quiet)
{
    bool erases = progress_possible();
    double now = progress_clock(), every = erases ? again_seconds : seconds_between_lines();
    *progress = (struct progress){.on = !quiet && every > 0,
                                  .erases = erases,
                                  .every = every,
                                  .label = "",
                                  .unit = "CTAs",
                                  .shown = now,
                                  .work_start = now};
}

void progress_start(struct progress *progress, const char *label)
{
    struct live_place *live = progress->live;
    progress->label = label;
    progress->start = progress_clock();
    if (progress->erases) /* lines that stay have their distance across kernels */
        progress->shown = progress->start + first_seconds - progress->every;
    if (!live)
        return;
    live->ctas_done = live->ctas = live->cycle = live->instructions = 0;
    live->spins = false;
    snprintf(live->kernel, sizeof live->kernel, "%s", label);
    live->running = true;
}

void progress_end(struct progress *progress)
{
    progress_hide(progress);
    if (progress->live)
        progress->live->running = false;
}

void progress_hide(struct progress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}

static void tell_live(struct live_place *live, uint64_t ctas_done, uint64_t ctas, uint64_t cycle, uint64_t instructions)
{
    live->ctas_done = ctas_done;
    live->ctas = ctas;
    live->cycle = cycle;
    live->instructions = instructions;
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

static struct format interval(const struct progress *progress)
{
    struct format f = {""};
    if (progress->half_width > 0)
        snprintf(f.text, sizeof f.text, ", +-%.2f %% so far", 100 * progress->half_width);
    return f;
}

static void make_line(const struct progress *progress, double now, uint64_t ctas_done, uint64_t ctas, uint64_t cycle,
                      uint64_t instructions, char *line, size_t size)
{
    double seconds = now - progress->start;
    char timing[2 * FORMAT_TEXT + 32] = "";
    int used = 0;
    if (cycle > 0)
        used = snprintf(timing, sizeof timing, ", cycle %s", format_count(cycle).text);
    if (instructions > 0 && seconds > 0)
        snprintf(timing + used, sizeof timing - (size_t)used, ", %s inst/s",
                 format_rate((double)instructions / seconds).text);
    snprintf(line, size, "%.30s: %s of %s %s%s%s%s", progress->label, format_count(ctas_done).text,
             format_count(ctas).text, progress->unit, timing, left(progress, now, ctas_done, ctas, instructions).text,
             interval(progress).text);
    text_make_printable(line, "");
}

void progress_show(void *context, uint64_t ctas_done, uint64_t ctas, uint64_t cycle, uint64_t instructions)
{
    struct progress *progress = context;
    if (progress->live)
        tell_live(progress->live, ctas_done, ctas, cycle, instructions);
    double now = progress->on ? progress_clock() : 0;
    if (!progress->on || now < progress->shown + progress->every)
        return;
    char line[256];
    make_line(progress, now, ctas_done, ctas, cycle, instructions, line, sizeof line);
    if (progress->erases)
        fprintf(stderr, "\r\033[K%.*s", COLUMNS, line);
    else
        fprintf(stderr, "subcore: %s\n", line);
    progress->shown = now;
    progress->visible = progress->erases;
}
