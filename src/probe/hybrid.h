/* The results of a hybrid launch: one SM was timed, and reuse distances replaced the memory behind all SMs. */
#ifndef SUBCORE_PROBE_HYBRID_H
#define SUBCORE_PROBE_HYBRID_H

#include <stdbool.h>
#include <stdint.h>

/* Sectors of all SMs and waves, as the model of reuse distances sees them. */
struct hybrid_counts {
    uint64_t l1_loads, l1_hits;      /* of global loads */
    uint64_t l2_loads, l2_load_hits; /* that loads asked of the L2 */
    uint64_t l2_sectors, l2_hits;    /* of all accesses */
    uint64_t dirtied;                /* that had been clean, or were not there */
    uint64_t memory_reads, memory_writes;
};

/* The cycles of the kernel are launch + max(compute, l2, memory, atomics). */
struct hybrid_result {
    uint32_t sms;     /* that have CTAs; 0: the launch was not hybrid */
    bool paper;       /* by the formulas of HyFiSS */
    uint64_t launch;  /* cycles before the first CTA; with them, the overhead of the launch and of its CTAs */
    double seen;      /* the share of the warp instructions that the model saw; the rest is like them */
    double imbalance; /* of the SM with the most warp instructions (plan/share.h) */
    double compute;   /* cycles of the timed SM, with the imbalance */
    double l2, memory,
        atomics; /* cycles that the L2's bandwidth, memory and the busiest slice's atomics take at least */
    struct hybrid_counts counts;
};

#endif
