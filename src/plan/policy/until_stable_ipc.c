/* --until-stable-ipc: a launch ends when the IPC of its last windows differs from their mean by no more than a
 * percentage, once a first wave of CTAs has ended. The rest of it is estimated at that IPC.
 *
 * An L2 fills with dirty lines once. Until then stores take no time at the memory pins, and the IPC is not that of the
 * rest. Therefore a launch is not stable while the write-back of the windows' dirty lines would take memory more than
 * the same percentage of their cycles. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/policy.h"

enum { USUAL_WINDOW = 4096, WINDOWS = 8, MOST_WINDOW = 1 << 30 };

struct stable {
    double percent;
    uint64_t window; /* cycles */
    /* Of one launch: */
    uint64_t first_wave;    /* CTAs that must have ended */
    uint64_t begin, before; /* of the running window: first cycle, instructions before it */
    uint64_t unwritten;     /* cycles of memory, when it began */
    uint64_t window_instructions[WINDOWS], window_cycles[WINDOWS];
    int64_t window_unwritten[WINDOWS]; /* by so much it has grown */
    uint64_t windows;                  /* that have ended. The last ones are kept */
    double ipc;                        /* warp instructions a cycle (0: not stable) */
};

/* PERCENT or PERCENT:WINDOW */
static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    struct stable *s = state;
    char *end = NULL;
    double percent = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    unsigned long long window = USUAL_WINDOW;
    if (end && *end == ':' && isdigit((unsigned char)end[1]))
        window = strtoull(end + 1, &end, 10);
    if (!end || *end != '\0' || !(percent > 0 && percent <= 100) || window < 1 || window > MOST_WINDOW)
        return status_fail(
            status, STATUS_USAGE,
            "%s: '%.100s' is not PERCENT or PERCENT:WINDOW, with a percentage up to 100 and a window of 1 "
            "to %d cycles, such as 2 or 2:10000",
            option, text, MOST_WINDOW);
    s->percent = percent;
    s->window = window;
    return true;
}

static void begin(void *state, const struct plan_grid *grid, uint64_t now)
{
    struct stable *s = state;
    *s = (struct stable){.percent = s->percent, .window = s->window, .begin = now};
    /* The first resident CTAs of a grid are not a sample of the CTAs after them. */
    s->first_wave = grid->ctas > grid->resident ? grid->resident : 0;
}

/* Returns the IPC of the last windows together; 0 if one of them is too far from it, or if the L2 still fills. */
static double stable_ipc(const struct stable *s)
{
    uint64_t instructions = 0, cycles = 0;
    int64_t unwritten = 0;
    for (unsigned i = 0; i < WINDOWS; i++) {
        instructions += s->window_instructions[i];
        cycles += s->window_cycles[i];
        unwritten += s->window_unwritten[i];
    }
    if ((double)unwritten * 100 > s->percent * (double)cycles)
        return 0;
    double mean = (double)instructions / (double)cycles;
    for (unsigned i = 0; i < WINDOWS; i++) {
        double ipc = (double)s->window_instructions[i] / (double)s->window_cycles[i];
        if (fabs(ipc - mean) * 100 > s->percent * mean)
            return 0;
    }
    return mean;
}

static enum plan_action quantum(void *state, const struct plan_time *time)
{
    struct stable *s = state;
    if (time->now - s->begin < s->window)
        return PLAN_TIME;
    unsigned place = (unsigned)(s->windows++ % WINDOWS);
    s->window_instructions[place] = time->instructions - s->before;
    s->window_cycles[place] = time->now - s->begin;
    s->window_unwritten[place] = (int64_t)time->unwritten - (int64_t)s->unwritten;
    s->begin = time->now;
    s->unwritten = time->unwritten;
    s->before = time->instructions;
    if (s->windows >= WINDOWS && time->ctas >= s->first_wave)
        s->ipc = stable_ipc(s);
    return s->ipc > 0 ? PLAN_EXECUTE : PLAN_TIME;
}

static void note(const void *state, struct kernel_result *result)
{
    result->stable_ipc = ((const struct stable *)state)->ipc;
}

/* ASSUMED for the error: the rest deviates from the mean no more than the windows did. */
static bool estimate(const void *state, const struct kernel_result *result, struct estimate *out)
{
    const struct stable *s = state;
    if (!(result->stable_ipc > 0))
        return false;
    uint64_t rest = (uint64_t)((double)result->rest_instructions / result->stable_ipc + 0.5);
    double share = s->percent / 100;
    *out = (struct estimate){.value = (double)(result->cycles + rest),
                             .error = share < 1 ? (double)rest * share / (1 - share) : ESTIMATE_UNKNOWN,
                             .kind = ESTIMATE_PROJECTED,
                             .method = "stable IPC"};
    return true;
}

static void archive(void *state, struct archive *a)
{
    struct stable *s = state;
    archive_begin(a, "stable IPC", s, sizeof *s);
    archive_keep(a, &s->percent);
    archive_keep(a, &s->window);
    archive_end(a);
}

const struct plan_policy plan_until_stable_ipc = {.name = "until-stable-ipc",
                                                  .alone = true,
                                                  .stop = STOP_STABLE_IPC,
                                                  .state_bytes = sizeof(struct stable),
                                                  .parse = parse,
                                                  .begin = begin,
                                                  .quantum = quantum,
                                                  .note = note,
                                                  .estimate = estimate,
                                                  .archive = archive};
