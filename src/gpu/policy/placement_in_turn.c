/* CTAs go to the SMs one each in turn until all are full. From then on a CTA takes the slot of one that has ended.
 * Source: the artifact of the MICRO 2025 paper. The order of real chips is not published.
 *
 * A group goes where its first CTA goes by this rule, and its other CTAs to the next free slots of the same GPC, in the
 * same order: ASSUMED. When a CTA has ended, a group of several waits until its GPC has enough free slots. */
#include "gpu/placement_policy.h"

static bool is_free(const struct placement_view *v, uint32_t at, uint32_t slot)
{
    return v->free[v->sm[at]] >> slot & 1;
}

/* Adds free slots of a GPC, one on each SM in turn from (slot, at) on, until the group is complete. */
static bool complete(const struct placement_view *v, uint32_t gpc, uint32_t slot, uint32_t at, uint32_t have,
                     struct cta_place place[CTA_GROUP_MOST])
{
    const struct cta_place begun = place[0];
    for (; slot < v->slots && have < v->group; slot++, at = 0) {
        for (; at < v->count && have < v->group; at++) {
            bool taken = have > 0 && v->sm[at] == begun.sm && slot == begun.slot;
            if (!taken && v->gpc[v->sm[at]] == gpc && is_free(v, at, slot))
                place[have++] = (struct cta_place){v->sm[at], (uint16_t)slot};
        }
    }
    return have == v->group;
}

static bool first(struct placement_view *v, struct cta_place place[CTA_GROUP_MOST])
{
    for (; v->slot < v->slots; v->slot++, v->at = 0)
        for (; v->at < v->count; v->at++)
            if (is_free(v, v->at, v->slot) && complete(v, v->gpc[v->sm[v->at]], v->slot, v->at, 0, place))
                return true;
    return false;
}

static bool next(const struct placement_view *v, struct cta_place freed, struct cta_place place[CTA_GROUP_MOST])
{
    place[0] = freed;
    return v->group == 1 || complete(v, v->gpc[freed.sm], 0, 0, 1, place);
}

const struct placement_policy placement_in_turn = {.name = "in_turn", .first = first, .next = next};
