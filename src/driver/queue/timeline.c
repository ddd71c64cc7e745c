#include "driver/queue/timeline.h"

double timeline_begin(const struct timeline *timeline, enum engine engine, double ready)
{
    if (engine == ENGINE_NONE)
        return ready;
    return timeline->free[engine] > ready ? timeline->free[engine] : ready;
}

double timeline_take(struct timeline *timeline, const struct cost *cost, double begin)
{
    double end = begin + cost->seconds;
    if (cost->engine != ENGINE_NONE)
        timeline->free[cost->engine] = end;
    if (timeline->latest < end)
        timeline->latest = end;
    return end;
}
