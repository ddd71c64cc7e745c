/* The GPU's CTA scheduler: counts the CTAs of a grid, and hands them out in grid order. An SM receives at most one CTA
 * per cycle, all SMs in the same cycle. Source: the artifact of the MICRO 2025 paper; the rate of real chips is not
 * published. gpu/placement_policy.h tells which SM and slot a CTA gets. */
#ifndef SUBCORE_GPU_CTA_SCHEDULER_H
#define SUBCORE_GPU_CTA_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

struct cta_start {
    uint64_t cycle;
    uint64_t linear;
    uint32_t cta_slot;
};

enum { CTA_QUEUE = 64 };

/* CTAs on their way to one SM, in order of cycle. */
struct cta_queue {
    struct cta_start start[CTA_QUEUE];
    uint32_t count;
    uint64_t port_free; /* an SM receives one CTA each so many cycles */
};

struct cta_scheduler {
    uint64_t next, total; /* CTAs handed out, CTAs of the grid */
    uint64_t done;
    uint32_t interval;
};

void cta_scheduler_begin(struct cta_scheduler *s, uint64_t total, uint32_t interval);

/* The next CTA, of which there is one left, goes to this SM and slot, at `from` or when the SM can receive it. */
void cta_scheduler_place(struct cta_scheduler *s, struct cta_queue *queue, uint32_t cta_slot, uint64_t from);

#endif
