/* A resident CTA: shared memory, its warps, its cluster. */
#ifndef SUBCORE_EXEC_CTA_H
#define SUBCORE_EXEC_CTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "exec/sizes.h"

struct exec_cta;
struct exec_launch;
struct exec_warp;
struct proxy_shadow;
struct tensor_memory;

/* The values that BAR.RED combines until the barrier completes. */
struct exec_reduction {
    uint32_t arrived, released; /* threads; equal: the next arrival begins a new use */
    uint32_t count;             /* threads whose predicate is true */
    uint8_t function;           /* as in BAR.RED */
};

/* A CTA's view of its cluster. Without clusters a CTA is one by itself. In a timed run the peers belong to other
 * SMs of the GPC, which other threads may run: only a functional run may touch them here. */
struct exec_cluster {
    uint8_t size, rank;
    struct exec_cta *peer[EXEC_CTA_GROUP]; /* [size] by rank, the CTA itself included */
};

struct exec_cta {
    const struct exec_launch *launch;
    struct exec_dim index;
    uint64_t linear;         /* x fastest */
    uint64_t order;          /* number of the CTA in the order in which they begin: cluster by cluster, then by rank */
    uint8_t *shared;         /* shared_bytes, zeroed at start */
    struct exec_warp *warps; /* launch->warps_per_cta */
    struct proxy_shadow *shadow;  /* of `shared`, NULL without launch->findings */
    struct tensor_memory *tensor; /* exec/tensor/tensor_memory.h (NULL: the kernel allocates none) */
    uint32_t *sm_units;           /* of tensor memory that the SM's CTAs have, a bit each (NULL: a functional run) */
    struct exec_cluster cluster;
    uint32_t pool; /* registers of a thread that warps have given up (setmaxnreg), one warp's each */
    struct exec_reduction reduction[EXEC_BARRIERS];
};

/* Returns whether a thread of the CTA has not exited. */
bool exec_cta_lives(const struct exec_cta *cta);

/* Storage for one resident CTA of the launch, in one block, reused from CTA to CTA. */
struct exec_cta *exec_cta_create(const struct exec_launch *launch, struct status *status);
void exec_cta_destroy(struct exec_cta *cta);
/* The same in memory of the caller's, which begins with a line of the host's cache; a multiple of its size. */
size_t exec_cta_bytes(const struct exec_launch *launch);
struct exec_cta *exec_cta_place(void *storage, const struct exec_launch *launch);
/* Makes the storages of `launch->cta_group` CTAs one cluster, by rank; before they start. */
void exec_cluster_form(struct exec_cta *const *cta, uint32_t count);
/* Puts the CTA that is `order`-th to begin into the storage. Warp w gets SM slot first_slot + w. */
void exec_cta_start(struct exec_cta *cta, uint64_t order, uint32_t first_slot);
/* Returns the place in the grid of the CTA that is `order`-th to begin. */
struct exec_dim exec_cta_index(const struct exec_launch *launch, uint64_t order);

#endif
