#include "plan/hybrid_waves.h"

#include <math.h>

/* In waves: before the first gap, the first gap, a segment, its part that only fills, behind the last segment. A gap
 * has at most one in PARTS of a launch. Those of a steady one are larger, and its segments smaller. */
enum { BEFORE = 4, FIRST_GAP = 3, SEGMENT = 3, FILL = 1, BEHIND = 1, PARTS = 6 };
enum { STEADY_PARTS = 2, STEADY_SEGMENT = 2 };

/* The largest difference of two windows' equal rates, as a share. We chose the value. */
#define STEADY 0.03

static bool is_same(double before, double now) { return fabs(now - before) <= STEADY * before; }

void hybrid_waves_begin(struct hybrid_waves *w, uint64_t waves)
{
    *w = (struct hybrid_waves){.waves = waves, .gap = FIRST_GAP, .segment = SEGMENT};
}

static void end_window(struct hybrid_waves *w, const struct hybrid_mark *now)
{
    double work = now->work - w->begin.work;
    w->steady = ++w->windows > 1;
    for (unsigned i = 0; i < HYBRID_VALUES; i++) {
        double before = w->rate[i];
        if (work > 0)
            w->rate[i] = (now->value[i] - w->begin.value[i]) / work;
        w->value[i] += w->open * (before + w->rate[i]) / 2;
        w->steady = w->steady && is_same(before, w->rate[i]);
    }
    w->work += w->open;
    w->open = 0;
}

/* Returns the length of the gap that begins with the wave; 0: there is none. */
static uint64_t gap_at(struct hybrid_waves *w, uint64_t wave)
{
    uint64_t behind = w->segment + BEHIND;
    if (wave + behind >= w->waves)
        return 0;
    uint64_t left = w->waves - behind - wave, most = w->waves / (w->steady ? STEADY_PARTS : PARTS);
    uint64_t gap = w->gap < most && !w->steady ? w->gap : most;
    w->gap *= 2;
    return gap + w->segment < left ? gap : left;
}

uint64_t hybrid_waves_ask(struct hybrid_waves *w, const struct hybrid_mark *now, uint64_t wave)
{
    uint64_t end = w->from ? w->from + w->segment : BEFORE;
    if (w->waves < HYBRID_LEAST)
        return 0;
    if (wave == w->from && wave > 0)
        w->open = now->work - w->left;
    if (wave == (w->from ? w->from + FILL : BEFORE - (SEGMENT - FILL)))
        w->begin = *now;
    if (wave != end)
        return 0;
    end_window(w, now);
    w->segment = w->steady ? STEADY_SEGMENT : SEGMENT;
    uint64_t gap = gap_at(w, wave);
    w->left = now->work;
    w->from = gap ? wave + gap : w->waves;
    return gap ? w->from : 0;
}
