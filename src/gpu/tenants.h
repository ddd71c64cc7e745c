/* The kernels of which an SM has CTAs, and the resources of the SM that these CTAs take.
 *
 * An SM begins with one kernel, and is empty then. Another may get CTAs beside it when the rest suffices: CTA
 * slots, warp slots, registers of each sub-core, and shared memory within the carve-out with which the SM has begun.
 * The warps of a CTA are in warp slots that follow each other.
 *
 * ASSUMED: that the carve-out changes on empty SMs only, and that the L1 keeps its lines when another kernel comes.
 *
 * Counters. Instructions, warp-cycles and stall reasons are those of a kernel's own warps. Of the events that an SM
 * counts as a whole (caches, pipes, cycles of sub-cores) each kernel that it has gets a part as large as its part of
 * the issued instructions. Cycles with a resident warp count for each. */
#ifndef SUBCORE_GPU_TENANTS_H
#define SUBCORE_GPU_TENANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sm/sm.h"

struct kernel_run;
struct timed;
struct timed_sm;

struct tenant_cta {
    bool used;
    struct cta_placement place;
};

struct tenants {
    struct kernel_run *grid[CODE_WINDOWS]; /* by window of code (NULL: none) */
    uint8_t ctas[CODE_WINDOWS];            /* that are there, or on their way */
    struct tenant_cta cta[SM_CTAS];        /* by slot */
    uint32_t count;                        /* of these */
    uint32_t carveout;                     /* bytes of shared memory */
    bool shared;                           /* there have been several kernels since it has begun */
};

/* The SM begins with this kernel. */
void tenants_begin(struct timed_sm *s, struct kernel_run *k);
/* An SM on which nothing is under way leaves the kernels that it belongs to. */
void tenants_leave(struct timed *t, uint32_t sm);

/* Returns the kernel to which the SM belongs, one of them where they are several (NULL: to none). */
struct kernel_run *tenants_first(const struct timed_sm *s);
/* Returns whether it belongs to this one. */
bool tenants_has(const struct timed_sm *s, const struct kernel_run *k);
/* Returns whether it belongs to this one, and has belonged to no other since it has begun. */
bool tenants_alone(const struct timed_sm *s, const struct kernel_run *k);
/* Returns what its CTAs that have left the SM wait for; NULL: the SM does not belong to it. */
const struct unwaited *tenants_unwaited(const struct timed_sm *s, const struct kernel_run *k);
/* Returns the kernel of the CTA in this slot, which is there or has just ended. */
struct kernel_run *tenants_of_slot(const struct timed_sm *s, uint32_t cta_slot);

/* Returns how many CTAs of this kernel, which shares, the SM can take beside those that it has. */
uint32_t tenants_room(const struct timed *t, uint32_t sm, const struct kernel_run *k);
/* Chooses a place for a CTA, for which there is room, and makes the kernel one of the SM's. False, with status, when
 * the host has no memory. Between two quanta. */
bool tenants_choose(struct timed *t, uint32_t sm, struct kernel_run *k, struct cta_placement *place,
                    struct status *status);
/* A CTA of this kernel gets the place, or has ended there. */
void tenants_take(struct timed_sm *s, const struct cta_placement *place);
void tenants_release(struct timed *t, uint32_t sm, uint32_t cta_slot);

/* A kernel of the SM is done: it leaves the SM to the others that are there. */
void tenants_settle(struct timed *t, uint32_t sm);

/* The SM's counts go into the results of its kernels that have not ended. */
void tenants_count(struct timed *t, uint32_t sm);
/* Returns the warp instructions of this kernel that have not gone into its result. */
uint64_t tenants_instructions(const struct timed_sm *s, const struct kernel_run *k);

/* The launches that the kernel depends on are complete at `now`. Returns whether a warp continues. */
bool tenants_acquire(struct timed_sm *s, const struct kernel_run *k, uint64_t now);

#endif
