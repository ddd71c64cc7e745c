/* The state of CTAs that run. */
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

static struct check_cta **slot_of(struct check *check, const struct exec_cta *cta)
{
    struct check_launch *l = check->launch;
    uint32_t slot = cta->warps[0].slot / l->of->warps_per_cta;
    if (slot < l->ctas)
        return &l->cta[slot];
    uint32_t ctas = 2 * slot + 16;
    struct check_cta **grown = realloc(l->cta, ctas * sizeof *grown);
    if (!grown)
        return NULL;
    memset(grown + l->ctas, 0, (ctas - l->ctas) * sizeof *grown);
    l->cta = grown;
    l->ctas = ctas;
    return &l->cta[slot];
}

/* The cluster of a CTA: that of a peer which has it already, or a new one. */
static struct check_cluster *join_cluster(struct check_launch *l, uint64_t order)
{
    uint32_t group = l->of->cta_group;
    struct check_cluster *cluster = NULL;
    for (uint32_t i = 0; group > 1 && !cluster && i < l->ctas; i++)
        if (l->cta[i] && l->cta[i]->order / group == order / group)
            cluster = l->cta[i]->cluster;
    if (group > 1 && !cluster)
        cluster = calloc(1, sizeof *cluster);
    if (cluster)
        cluster->users++;
    return cluster;
}

struct check_cta *check_cta_of(struct check *check, const struct exec_cta *cta)
{
    struct check_cta **at = slot_of(check, cta);
    struct check_launch *l = check->launch;
    if (at && *at && (*at)->order == cta->order)
        return *at;
    if (at && *at) /* it has ended by a fault */
        check_cta_end(l, *at);
    struct check_cta *c = at ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        check->failed = true;
        return NULL;
    }
    c->cluster = join_cluster(l, cta->order);
    *at = c;
    c->linear = cta->linear;
    c->order = cta->order;
    c->rank = cta->cluster.rank;
    for (uint32_t w = 0; w < l->of->warps_per_cta; w++) {
        order_warp_begin(&c->know[w], c->linear, w, l->of->warps_per_cta);
        c->live |= UINT32_C(1) << w;
    }
    return c;
}

void check_cta_end(struct check_launch *l, struct check_cta *cta)
{
    for (uint32_t w = 0; w < ORDER_WARPS; w++) {
        order_warp_end(&cta->know[w]);
        free(cta->warp[w].local);
    }
    shadow_clear(&cta->shared);
    if (cta->cluster && --cta->cluster->users == 0) {
        clock_drop(cta->cluster->gathers);
        clock_drop(cta->cluster->done);
        free(cta->cluster);
    }
    for (uint32_t i = 0; i < l->ctas; i++)
        l->cta[i] = l->cta[i] == cta ? NULL : l->cta[i];
    free(cta);
}
