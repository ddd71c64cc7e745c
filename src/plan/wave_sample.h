/* The choice of CTAs that a sampled launch times, and the cycles of all.
 *
 *   | fill|warm|window|  gap  |warm|window|    gap    |warm|window|  ...  |warm|window|end|      time -->
 *
 * A wave has as many CTAs as the GPU holds at once. A gap takes no simulated time: its CTAs are executed without timing
 * while those before it are still resident, and the CTAs after it take their slots. After a gap one wave of CTAs
 * replaces the resident ones. The hand-out of the waves after it is the window, a measurement. A window has whole
 * waves, so that CTAs that end together do not bias it: one wave, or as many as take WINDOW_CYCLES, up to four. The
 * begin and the end of the grid are timed.
 *
 * The gaps grow from the begin on, up to the length that follows from the number of windows. That number is the one
 * that the requested error needs, or a least number. A gap has whole waves, with a random part by a hash, so that no
 * period of the grid can coincide with it.
 *
 * plan/wave_estimate.h has the estimate. */
#ifndef SUBCORE_PLAN_WAVE_SAMPLE_H
#define SUBCORE_PLAN_WAVE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WAVE_WINDOWS = 256, WAVE_LEAST = 24 /* waves of a grid that is sampled */ };

/* The state of the launch when a CTA is the next one to begin. */
struct wave_state {
    uint64_t handed;       /* cycle in which the CTA before it was handed out */
    uint64_t cycle;        /* up to which is known: */
    uint64_t instructions; /* warp instructions that have issued */
    uint64_t sectors;      /* that the L2 has served */
    uint64_t moved;        /* that device memory has read and written */
    uint64_t dirty;        /* sectors in the L2 that memory does not have */
    uint64_t rest;         /* warp instructions of the CTAs without time */
    uint64_t refill;       /* CTAs whose accesses fill the L2 */
};

/* A window, and the gap behind it. */
struct wave_window {
    double ctas, cycles;                              /* handed out, and the cycles for that */
    double instructions, sectors, moved, dirty, span; /* changes of the state, and the cycles for that */
    double gap, gap_instructions, gap_dirty;          /* CTAs; changes over the gap */
};

/* That ends before the next CTA. */
enum wave_phase { WAVE_WHOLE, WAVE_FILLED, WAVE_FIRST, WAVE_WARMED, WAVE_MEASURED, WAVE_GAP, WAVE_JUMPED };

struct wave_sample {
    double error; /* the asked one, as a share */
    double pin;   /* cycles that memory takes, at its pins, for a sector */
    uint64_t ctas, wave;
    uint64_t window_ctas; /* of a window */
    enum wave_phase phase;
    uint64_t gap_end, passed; /* CTAs in gaps */
    struct wave_state mark;   /* when the window, or the gap, began */
    struct wave_state origin; /* when the first window began */
    uint64_t origin_ctas;     /* timed ones before it */
    double sectors_per_cta;   /* of those since */
    double moved_per_cta;     /* the same, with those that are dirty yet */
    double gaps_dirty;        /* changes over all gaps */
    uint32_t windows;
    struct wave_window window[WAVE_WINDOWS];
};

enum wave_action { WAVE_TIME, WAVE_WARM, WAVE_EXECUTE };

/* Begins a launch of so many CTAs. `wave` of them are resident at once. */
void wave_sample_begin(struct wave_sample *s, uint64_t ctas, uint64_t wave, double pin);
/* Answers for the CTAs from `first` on, up to *end. All before them have been handed out, or have no time. */
enum wave_action wave_sample_ask(struct wave_sample *s, const struct wave_state *state, uint64_t first, uint64_t *end);
/* Returns whether some CTAs have no time. */
bool wave_sample_has_gaps(const struct wave_sample *s);

#endif
