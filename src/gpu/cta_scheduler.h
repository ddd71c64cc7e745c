/* The GPU's CTA scheduler: hands out CTAs in grid order, at first one to each SM in turn until all are full, then one
 * in place of each that ends. An SM receives at most one CTA a cycle, all SMs in the same cycle. Source: the artifact
 * of the MICRO 2025 paper; order and rate of real chips are not published. */
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

/* First round: the next CTA, if there is one left, goes to this SM and slot, at `from` or when the SM can receive
 * it. */
void cta_scheduler_place(struct cta_scheduler *s, struct cta_queue *queue, uint32_t cta_slot, uint64_t from);

/* The CTA in this slot has ended: another one, if there is one left, takes its place at `cycle` or later. */
void cta_scheduler_replace(struct cta_scheduler *s, struct cta_queue *queue, uint32_t cta_slot, uint64_t cycle);

#endif
