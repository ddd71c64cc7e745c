/* The socket of CTA placement: which CTA slots the next group of CTAs gets.
 *
 * The GPU places a CTA group as a whole: all of its CTAs get slots on SMs in one GPC, at once, or none does. A
 * group is one CTA unless the launch says otherwise (clusters). CTAs are handed out in grid order, a group's one behind
 * the other. A policy chooses places only. It keeps no state but the cursor, so that a saved run has none of it. */
#ifndef SUBCORE_GPU_PLACEMENT_POLICY_H
#define SUBCORE_GPU_PLACEMENT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

enum { CTA_GROUP_MOST = 16 }; /* CTAs of a group */

struct cta_place {
    uint16_t sm, slot;
};

/* The view of a policy. */
struct placement_view {
    uint32_t group;       /* CTAs of a group, 1..CTA_GROUP_MOST */
    uint32_t slots;       /* CTA slots of an SM that the kernel can fill */
    uint32_t count;       /* SMs of the kernel that have free slots */
    const uint16_t *sm;   /* [count], those first that have been free for longer */
    const uint32_t *free; /* [SMs of the GPU] free slots of an SM, a bit each */
    const uint8_t *gpc;   /* [SMs of the GPU] of an SM */
    uint32_t slot, at;    /* the policy's own, 0 when a round begins */

    /* [SMs of the GPU] CTAs that a schedule has left for an SM. NULL: there is none. */
    const uint32_t *scheduled;
};

struct placement_policy {
    const char *name;
    /* Chooses places for the next group of the first round. Returns false when no group fits any more. */
    bool (*first)(struct placement_view *view, struct cta_place place[CTA_GROUP_MOST]);
    /* Chooses places for the next group when a CTA has ended in `freed`. Returns false when none fits yet. */
    bool (*next)(const struct placement_view *view, struct cta_place freed, struct cta_place place[CTA_GROUP_MOST]);
};

/* The default. */
extern const struct placement_policy placement_in_turn;
/* For launches that follow a schedule. */
extern const struct placement_policy placement_scheduled;

#endif
