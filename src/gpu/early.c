#include "gpu/early.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

bool early_parse_stable(struct gpu_limits *limits, const char *option, const char *text, struct status *status)
{
    char *end = NULL;
    double percent = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    unsigned long long window = EARLY_WINDOW;
    if (end && *end == ':' && isdigit((unsigned char)end[1]))
        window = strtoull(end + 1, &end, 10);
    if (!end || *end != '\0' || !(percent > 0 && percent <= 100) || window < 1 || window > EARLY_MOST_WINDOW)
        return status_fail(
            status, STATUS_USAGE,
            "%s: '%.100s' is not PERCENT or PERCENT:WINDOW, with a percentage up to 100 and a window of 1 "
            "to %d cycles, such as 2 or 2:10000",
            option, text, EARLY_MOST_WINDOW);
    limits->stable_percent = percent;
    limits->stable_window = window;
    return true;
}

void early_begin(struct early *early, const struct gpu_limits *limits, uint64_t ctas, uint64_t resident, uint64_t now)
{
    *early = (struct early){.limits = *limits, .begin = now};
    if (!early->limits.stable_window)
        early->limits.stable_window = EARLY_WINDOW;
    /* Of a grid that is there at once none is a sample of what comes after it. */
    early->first_wave = ctas > resident ? resident : 0;
}

/* The IPC of the last windows together; 0 when one of them is too far from it. */
static double stable_ipc(const struct early *early)
{
    uint64_t instructions = 0, cycles = 0;
    for (unsigned i = 0; i < EARLY_WINDOWS; i++) {
        instructions += early->window_instructions[i];
        cycles += early->window_cycles[i];
    }
    double mean = (double)instructions / (double)cycles;
    for (unsigned i = 0; i < EARLY_WINDOWS; i++) {
        double ipc = (double)early->window_instructions[i] / (double)early->window_cycles[i];
        if (fabs(ipc - mean) * 100 > early->limits.stable_percent * mean)
            return 0;
    }
    return mean;
}

static bool end_window(struct early *early, uint64_t now, uint64_t instructions, uint64_t ctas)
{
    unsigned place = (unsigned)(early->windows++ % EARLY_WINDOWS);
    early->window_instructions[place] = instructions - early->before;
    early->window_cycles[place] = now - early->begin;
    early->begin = now;
    early->before = instructions;
    if (early->windows < EARLY_WINDOWS || ctas < early->first_wave)
        return false;
    early->stable_ipc = stable_ipc(early);
    return early->stable_ipc > 0;
}

bool early_check(struct early *early, uint64_t now, uint64_t instructions, uint64_t ctas)
{
    const struct gpu_limits *l = &early->limits;
    if (l->instructions && instructions >= l->instructions)
        early->stop = STOP_INSTRUCTIONS;
    else if (l->cycles && now >= l->cycles)
        early->stop = STOP_CYCLES;
    else if (l->stable_percent > 0 && now - early->begin >= l->stable_window &&
             end_window(early, now, instructions, ctas))
        early->stop = STOP_STABLE_IPC;
    return early->stop != STOP_NONE;
}

void early_estimate(struct kernel_result *result)
{
    if (result->stop == STOP_STABLE_IPC && result->stable_ipc > 0)
        result->estimated_cycles =
            result->cycles + (uint64_t)((double)result->rest_instructions / result->stable_ipc + 0.5);
}
