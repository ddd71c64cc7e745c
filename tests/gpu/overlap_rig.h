/* Launches that overlap on an H200, and the places and times that their CTAs note. */
#ifndef SUBCORE_TESTS_GPU_OVERLAP_RIG_H
#define SUBCORE_TESTS_GPU_OVERLAP_RIG_H

#include "gpu/gpu.h"
#include "tests/unit.h"

enum { CTAS = 6000, CELLS = 1 << 20, LAUNCHES = 8, SMS = 132, WARP = 32 };

struct note {
    uint64_t begin, end;
    uint32_t sm, first;
};

/* A launch as a test wants it, and its result. */
struct wish {
    const char *kernel;
    uint32_t ctas, threads, steps, shared;
    uint64_t cycle;
    int priority;
    int after;         /* number of the launch that it depends on, whose end it waits for (-1: none) */
    bool programmatic; /* it may begin when that has preexited */
    bool own;          /* cells of its own */
    bool launched, ended, preexited, waits;
    uint64_t preexit_cycle, end_cycle;
    struct kernel_result result;
    struct note *note; /* [ctas] */
};

struct overlap_rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct config config;
    struct status status;
    uint64_t notes[LAUNCHES], cells;
    struct {
        uint64_t notes, cells;
        uint32_t steps, unused;
    } arguments[LAUNCHES];
    struct wish *wish;
    int count;
};

/* Makes an H200 with the kernels of overlap.cu. `setting` (NULL: none) is one of its configuration. */
void overlap_begin(struct overlap_rig *r, unsigned threads, const char *setting);
void overlap_end(struct overlap_rig *r);
/* Runs the launches together, from the state of a new GPU. Their notes are the caller's: overlap_forget frees them. */
void overlap_run(struct overlap_rig *r, struct wish *wish, int count);
void overlap_forget(struct wish *wish, int count);
/* Returns the result of one launch alone, by the ordinary way. */
struct kernel_result overlap_alone(struct overlap_rig *r, struct wish *wish);

static inline uint64_t first_begin(const struct wish *w)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < w->ctas; i++)
        first = w->note[i].begin < first ? w->note[i].begin : first;
    return first;
}

static inline uint64_t last_begin(const struct wish *w)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < w->ctas; i++)
        last = w->note[i].begin > last ? w->note[i].begin : last;
    return last;
}

static inline uint64_t last_end(const struct wish *w)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < w->ctas; i++)
        last = w->note[i].end > last ? w->note[i].end : last;
    return last;
}

static inline uint64_t end_of(const struct wish *wish, int count)
{
    uint64_t end = 0;
    for (int i = 0; i < count; i++)
        end = wish[i].end_cycle > end ? wish[i].end_cycle : end;
    return end;
}

static inline void assert_within_5_percent(uint64_t value, uint64_t expected)
{
    if (value * 100 < expected * 95 || value * 100 > expected * 105)
        fail_msg("%ju is not within 5 %% of %ju", (uintmax_t)value, (uintmax_t)expected);
}

#endif
