#include "plan/wave_sample.h"

#include <math.h>

#include "base/hash.h"
#include "plan/wave_estimate.h"

enum {
    LEAST_WINDOWS = 7,
    FIRST_GAP = 2, /* waves */
    GROWTH = 4,    /* of a gap, over the one before */
    WINDOW_CYCLES = 12000,
    WINDOW_WAVES = 4 /* at most */
};

void wave_sample_begin(struct wave_sample *s, uint64_t ctas, uint64_t wave, double pin)
{
    *s = (struct wave_sample){.error = s->error, .pin = pin, .ctas = ctas, .wave = wave, .window_ctas = wave};
}

/* ---- gaps -------------------------------------------------------------------------------------------------------- */

/* CTAs after the last window, so that a question comes when it ends. */
static uint64_t end_of_grid(const struct wave_sample *s) { return (s->wave + 3) / 4; }

/* The wave that replaces the one before a gap, and a window. */
static uint64_t segment_of(const struct wave_sample *s) { return s->wave + s->window_ctas; }

/* From 3/4 to 5/4. */
static double random_factor(const struct wave_sample *s)
{
    const uint64_t words[] = {s->ctas, s->wave, s->windows};
    uint64_t hash = hash_mix(hash_bytes(HASH_SEED, words, sizeof words));
    return 0.75 + 0.5 * (double)(hash >> 11) / (double)(UINT64_C(1) << 53);
}

static double growth_limit(const struct wave_sample *s)
{
    double gap = FIRST_GAP * (double)s->wave;
    for (uint32_t i = 1; i < s->windows && gap < (double)s->ctas; i++)
        gap *= GROWTH;
    return gap;
}

/* CTAs of the same length begin together: a gap with a part of a wave would move the last wave of the grid. */
static uint64_t whole_waves(const struct wave_sample *s, double ctas)
{
    return (uint64_t)(ctas / (double)s->wave) * s->wave;
}

/* Returns the length of the gap that begins with CTA `first` (0: the next window follows at once). */
static uint64_t gap_from(const struct wave_sample *s, uint64_t first)
{
    uint64_t tail = s->ctas - segment_of(s) - end_of_grid(s);
    if (first >= tail)
        return 0;
    double left = (double)(tail - first), segment = (double)segment_of(s);
    double least = LEAST_WINDOWS - 1.0 - s->windows;
    double more = fmax(least, wave_windows_more(s, tail - first, segment_of(s)));
    more = fmax(0, more);
    double gap = fmin((left - more * segment) / (more + 1), growth_limit(s));
    if (s->windows + 2 >= WAVE_WINDOWS)
        return whole_waves(s, left);
    if (gap < (double)s->wave)
        return 0;
    gap = gap < left ? gap * random_factor(s) : left;
    return whole_waves(s, gap + segment > left ? left : gap);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static enum wave_action go_on(struct wave_sample *s, enum wave_phase phase, uint64_t first, uint64_t length,
                              uint64_t *end)
{
    s->phase = phase;
    *end = first + length < s->ctas ? first + length : s->ctas;
    return WAVE_TIME;
}

/* The second wave gives the length of waves. */
static void begin_first(struct wave_sample *s, const struct wave_state *state, uint64_t first)
{
    double cycles = fmax(1, (double)(state->handed - s->mark.handed));
    double waves = fmin(WINDOW_WAVES, ceil(WINDOW_CYCLES / cycles));
    s->window_ctas = (uint64_t)waves * s->wave;
    s->origin = *state;
    s->origin_ctas = first;
}

static enum wave_action measure(struct wave_sample *s, const struct wave_state *state, uint64_t first, uint64_t *end)
{
    s->mark = *state;
    return go_on(s, WAVE_MEASURED, first, s->window_ctas, end);
}

static double change(uint64_t to, uint64_t from) { return (double)to - (double)from; }

static void end_window(struct wave_sample *s, const struct wave_state *state, uint64_t first)
{
    const struct wave_state *mark = &s->mark;
    s->window[s->windows++] = (struct wave_window){
        .ctas = (double)s->window_ctas,
        .cycles = change(state->handed, mark->handed),
        .instructions = change(state->instructions, mark->instructions),
        .sectors = change(state->sectors, mark->sectors),
        .moved = change(state->moved, mark->moved),
        .dirty = change(state->dirty, mark->dirty),
        .span = change(state->cycle, mark->cycle),
    };
    double timed = (double)(first - s->passed - s->origin_ctas);
    double dirtied = change(state->dirty, s->origin.dirty) - s->gaps_dirty;
    s->sectors_per_cta = change(state->sectors, s->origin.sectors) / timed;
    s->moved_per_cta = (change(state->moved, s->origin.moved) + dirtied) / timed;
}

/* Behind a window. */
static enum wave_action next_gap(struct wave_sample *s, const struct wave_state *state, uint64_t first, uint64_t *end)
{
    uint64_t gap = gap_from(s, first);
    bool last = s->windows == WAVE_WINDOWS || first + s->window_ctas + end_of_grid(s) > s->ctas;
    s->mark = *state;
    if (gap == 0)
        return last ? go_on(s, WAVE_WHOLE, first, s->ctas - first, end) : measure(s, state, first, end);
    s->window[s->windows - 1].gap = (double)gap;
    s->gap_end = first + gap;
    bool cold = gap > state->refill;
    s->phase = cold ? WAVE_GAP : WAVE_JUMPED;
    *end = cold ? s->gap_end - state->refill : s->gap_end;
    return cold ? WAVE_EXECUTE : WAVE_WARM;
}

/* The gap may have been widened to whole clusters. */
static enum wave_action end_gap(struct wave_sample *s, const struct wave_state *state, uint64_t first, uint64_t *end)
{
    struct wave_window *w = &s->window[s->windows - 1];
    w->gap += change(first, s->gap_end);
    w->gap_instructions = change(state->rest, s->mark.rest);
    w->gap_dirty = change(state->dirty, s->mark.dirty);
    s->gaps_dirty += w->gap_dirty;
    s->passed += (uint64_t)w->gap;
    return go_on(s, WAVE_WARMED, first, s->wave, end);
}

enum wave_action wave_sample_ask(struct wave_sample *s, const struct wave_state *state, uint64_t first, uint64_t *end)
{
    if (first == 0 && s->ctas >= WAVE_LEAST * s->wave)
        return go_on(s, WAVE_FILLED, first, s->wave, end);
    switch (s->phase) {
    case WAVE_FILLED: s->mark = *state; return go_on(s, WAVE_FIRST, first, s->wave, end);
    case WAVE_FIRST: begin_first(s, state, first); return measure(s, state, first, end);
    case WAVE_WARMED: return measure(s, state, first, end);
    case WAVE_MEASURED: end_window(s, state, first); return next_gap(s, state, first, end);
    case WAVE_GAP:
        s->phase = WAVE_JUMPED;
        *end = s->gap_end;
        if (first < s->gap_end)
            return WAVE_WARM;
        return end_gap(s, state, first, end);
    case WAVE_JUMPED: return end_gap(s, state, first, end);
    case WAVE_WHOLE: break;
    }
    return go_on(s, WAVE_WHOLE, first, s->ctas - first, end);
}

bool wave_sample_has_gaps(const struct wave_sample *s) { return s->passed > 0; }
