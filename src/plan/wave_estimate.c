#include "plan/wave_estimate.h"

#include <math.h>

#include "probe/student.h"

/* Work, as rates count it. */
enum unit { CTAS, INSTRUCTIONS, SECTORS, MOVED, UNITS };

enum { SLOPE_WINDOWS = 5, PRIOR_PAIRS = 3 };

/* The least share of the windows' cycles that memory must take, at its pins, for its sectors to count as work. */
static const double busy = 0.5;

/* Instructions of a CTA that are alike. The deviation of windows that is expected before any is known. By which an
 * interval for planning is narrower than the asked one. */
static const double alike = 0.01, prior = 0.02, margin = 0.9;

static double work_of(const struct wave_window *w, enum unit unit)
{
    const double work[UNITS] = {
        [CTAS] = w->ctas, [INSTRUCTIONS] = w->instructions, [SECTORS] = w->sectors, [MOVED] = w->moved};
    return work[unit];
}

static double cycles_of(const struct wave_window *w, enum unit unit) { return unit == CTAS ? w->cycles : w->span; }

static double gap_of(const struct wave_sample *s, const struct wave_window *w, enum unit unit)
{
    const double work[UNITS] = {[CTAS] = w->gap,
                                [INSTRUCTIONS] = w->gap_instructions,
                                [SECTORS] = w->gap * s->sectors_per_cta,
                                [MOVED] = w->gap * s->moved_per_cta - w->gap_dirty};
    return work[unit];
}

/* CTAs have as many instructions in all gaps as in the first one. */
static bool ctas_are_alike(const struct wave_sample *s)
{
    double each = 0;
    for (uint32_t i = 0; i < s->windows; i++) {
        const struct wave_window *w = &s->window[i];
        double own = w->gap > 0 ? w->gap_instructions / w->gap : each;
        each = each > 0 ? each : own;
        if (fabs(own - each) > alike * each)
            return false;
    }
    return true;
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

struct fitted {
    enum unit unit;
    double slope, slope_square; /* cycles of a dirty sector; the square of its error over that for a window's rate */
    double mean;                /* rate */
    double square;              /* of a window's deviation, over that of the mean: by neighbours */
    double pairs;
};

static double dirty_of(const struct wave_window *w, enum unit unit) { return w->dirty / work_of(w, unit); }

static double rate_of(const struct wave_window *w, const struct fitted *f)
{
    return cycles_of(w, f->unit) / work_of(w, f->unit) + f->slope * dirty_of(w, f->unit);
}

static void fit_slope(const struct wave_sample *s, struct fitted *f)
{
    double n = s->windows, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < s->windows; i++) {
        double dx = dirty_of(&s->window[i], f->unit);
        double dy = cycles_of(&s->window[i], f->unit) / work_of(&s->window[i], f->unit);
        x += dx, y += dy, xx += dx * dx, xy += dx * dy;
    }
    xx -= x * x / n;
    xy -= x * y / n;
    f->slope = xx > 0 ? fmax(0, -xy / xx) : 0;
    f->slope_square = f->slope > 0 ? 1 / xx : 0;
}

static struct fitted fit(const struct wave_sample *s, enum unit unit)
{
    struct fitted f = {.unit = unit, .slope = unit == MOVED ? 0 : s->pin, .pairs = s->windows - 1.0};
    if (s->windows >= SLOPE_WINDOWS && unit != MOVED)
        fit_slope(s, &f);
    for (uint32_t i = 0; i < s->windows; i++)
        f.mean += rate_of(&s->window[i], &f) / s->windows;
    for (uint32_t i = 1; i < s->windows; i++) {
        double d = (rate_of(&s->window[i], &f) - rate_of(&s->window[i - 1], &f)) / f.mean;
        f.square += d * d / (2 * f.pairs);
    }
    return f;
}

/* A window may have no work of a kind. */
static bool has_work(const struct wave_sample *s, enum unit unit)
{
    for (uint32_t i = 0; i < s->windows; i++)
        if (!(work_of(&s->window[i], unit) > 0))
            return false;
    return true;
}

static bool memory_is_busy(const struct wave_sample *s)
{
    double moved = 0, cycles = 0;
    for (uint32_t i = 0; i < s->windows; i++)
        moved += s->window[i].moved, cycles += s->window[i].span;
    return moved * s->pin > busy * cycles;
}

/* Returns true if the windows' rates may count this work. */
static bool may_count(const struct wave_sample *s, enum unit unit, bool alike_ctas)
{
    return (unit < SECTORS || alike_ctas) && (unit != MOVED || memory_is_busy(s)) && has_work(s, unit);
}

static struct fitted best_fit(const struct wave_sample *s)
{
    bool any = ctas_are_alike(s);
    struct fitted best = fit(s, any || !has_work(s, INSTRUCTIONS) ? CTAS : INSTRUCTIONS);
    for (enum unit unit = INSTRUCTIONS; unit < UNITS; unit++) {
        if (!may_count(s, unit, any))
            continue;
        struct fitted f = fit(s, unit);
        if (f.square < best.square)
            best = f;
    }
    return best;
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */

/* Weights of the windows in the gaps so far, in CTAs: their squares, and the rest of the last one's weight. */
struct weights {
    double squares, gaps, last;
};

static struct weights weights_of(const struct wave_sample *s)
{
    struct weights w = {0};
    for (uint32_t i = 0; i < s->windows; i++) {
        bool last = i + 1 == s->windows;
        double here = w.last + s->window[i].gap / 2;
        w.squares += last ? 0 : here * here;
        w.gaps += s->window[i].gap;
        w.last = last ? w.last : s->window[i].gap / 2;
    }
    return w;
}

/* Returns the half width, over all cycles, if so many windows come before the last one, with equal gaps. */
static double half_with(const struct wave_sample *s, const struct fitted *f, struct weights w, double left,
                        double segment, double more)
{
    double gap = fmax(0, left - more * segment) / (more + 1), ends = w.last + gap / 2, all = (double)s->ctas;
    double pairs = s->windows + more;
    double square = (f->square * f->pairs + PRIOR_PAIRS * prior * prior) / (f->pairs + PRIOR_PAIRS);
    double weights = w.squares + ends * ends + more * gap * gap + gap * gap / 4 + (more + 1) * gap * gap / 6;
    double half = student_quantile(fmax(2, pairs * 2 / 3 - 1)) * sqrt(square * weights) / all;
    return hypot(half, WAVE_BIAS * (w.gaps + left - more * segment) / all);
}

uint32_t wave_windows_more(const struct wave_sample *s, uint64_t left, uint64_t segment)
{
    uint32_t more = 0;
    if (s->windows < 2)
        return 0;
    struct fitted f = best_fit(s);
    struct weights w = weights_of(s);
    while (more < WAVE_WINDOWS && (double)more * (double)segment < (double)left &&
           half_with(s, &f, w, (double)left, (double)segment, more) > margin * s->error)
        more++;
    return more;
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

struct wave_estimate wave_estimate(const struct wave_sample *s)
{
    struct fitted f = best_fit(s);
    double cycles = 0, weights = 0, own = 0, jumps = 0, before = 0, lean = 0;
    for (uint32_t i = 0; i < s->windows; i++) {
        const struct wave_window *w = &s->window[i];
        bool between = i + 1 < s->windows;
        double gap = gap_of(s, w, f.unit), rate = rate_of(w, &f);
        double jump = between ? rate_of(w + 1, &f) - rate : 0;
        double here = before + (between ? gap / 2 : gap);
        cycles += gap * (rate + jump / 2) - f.slope * w->gap_dirty;
        weights += here * here;
        own += gap * work_of(w, f.unit);
        jumps += gap * gap * jump * jump / 12;
        lean += here * dirty_of(w, f.unit) - w->gap_dirty;
        before = between ? gap / 2 : 0;
    }
    if (s->windows < 3)
        return (struct wave_estimate){cycles, (double)INFINITY};
    double square = f.square * f.mean * f.mean;
    double variance = square * (weights + own + lean * lean * f.slope_square) + jumps;
    double freedom = fmax(2, f.pairs * 2 / 3 - (f.slope > 0)); /* of a variance from differences */
    double half = student_quantile(freedom) * sqrt(variance);
    return (struct wave_estimate){cycles, hypot(half, WAVE_BIAS * cycles)};
}
