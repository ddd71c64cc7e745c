/* CTAs go to the SMs that a schedule names (gpu/cta_schedule.h), one each in turn while an SM has room. From then on a
 * CTA takes the slot of one that has ended on its SM. */
#include "gpu/placement_policy.h"

static bool first(struct placement_view *v, struct cta_place place[CTA_GROUP_MOST])
{
    for (; v->slot < v->slots; v->slot++, v->at = 0)
        for (; v->at < v->count; v->at++) {
            uint16_t sm = v->sm[v->at];
            if (v->scheduled[sm] > 0 && v->free[sm] >> v->slot & 1) {
                place[0] = (struct cta_place){sm, (uint16_t)v->slot};
                return true;
            }
        }
    return false;
}

static bool next(const struct placement_view *v, struct cta_place freed, struct cta_place place[CTA_GROUP_MOST])
{
    place[0] = freed;
    return v->scheduled[freed.sm] > 0;
}

const struct placement_policy placement_scheduled = {.name = "scheduled", .first = first, .next = next};
