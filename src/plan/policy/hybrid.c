/* --fidelity hybrid: the CTAs of one SM are timed. The CTAs of other SMs are executed, and their accesses go to a
 * memory model. Long launches have gaps without either (plan/hybrid_waves.h). gpu/hybrid.h tells which launches are
 * hybrid. The others are timed whole. */
#include <math.h>

#include "plan/hybrid_waves.h"
#include "plan/policy.h"
#include "plan/share.h"

static bool parse(void *state, const char *option, const char *text, struct status *status)
{
    (void)state, (void)option, (void)text, (void)status;
    return true;
}

static struct hybrid_mark mark_of(const struct plan_grid *grid)
{
    const struct hybrid_result *h = grid->traffic;
    const struct hybrid_counts *n = &h->counts;
    return (struct hybrid_mark){(double)(grid->instructions + grid->rest),
                                {[HYBRID_CYCLES] = (double)grid->handed,
                                 [HYBRID_L1_LOADS] = (double)n->l1_loads,
                                 [HYBRID_L1_HITS] = (double)n->l1_hits,
                                 [HYBRID_L2_LOADS] = (double)n->l2_loads,
                                 [HYBRID_L2_LOAD_HITS] = (double)n->l2_load_hits,
                                 [HYBRID_L2_SECTORS] = (double)n->l2_sectors,
                                 [HYBRID_L2_HITS] = (double)n->l2_hits,
                                 [HYBRID_READS] = (double)n->memory_reads,
                                 [HYBRID_DIRTIED] = (double)n->dirtied,
                                 [HYBRID_L2_CYCLES] = h->l2,
                                 [HYBRID_ATOMIC_CYCLES] = h->atomics}};
}

static enum plan_action ctas(void *state, const struct plan_grid *grid, uint64_t first, uint64_t *end)
{
    const struct share *share = grid->share;
    if (!share)
        return PLAN_TIME;
    uint64_t own, wave = (uint64_t)share->sms * share->slots;
    if (first == 0)
        hybrid_waves_begin(state, (share->ctas + wave - 1) / wave);
    bool timed = share_part(share, first, &own);
    if (timed && !grid->traffic->paper) {
        const struct hybrid_mark now = mark_of(grid);
        uint64_t behind = hybrid_waves_ask(state, &now, first / wave);
        if (behind) {
            *end = behind * wave < *end ? behind * wave : *end;
            return PLAN_EXECUTE;
        }
    }
    *end = own < *end ? own : *end;
    return timed ? PLAN_TIME : PLAN_WARM;
}

static void add(uint64_t *count, double more) { *count += (uint64_t)round(more); }

/* Adds the gaps to the counts of the other waves. All dirty sectors are written, except those in the L2 at the end. The
 * windows lack the timed SM's own loads: its loads in gaps count like those of another SM. */
static void note(const void *state, struct kernel_result *result)
{
    const struct hybrid_waves *w = state;
    struct hybrid_result *h = &result->hybrid;
    struct hybrid_counts *n = &h->counts;
    double sectors = (double)(n->memory_reads + n->memory_writes), l1 = h->sms / (h->sms - 1.0);
    if (h->sms == 0 || !(w->work > 0))
        return;
    h->seen = 1 - w->work / (double)(result->warp_instructions + result->rest_instructions);
    add(&n->l1_loads, w->value[HYBRID_L1_LOADS] * l1);
    add(&n->l1_hits, w->value[HYBRID_L1_HITS] * l1);
    add(&n->l2_loads, w->value[HYBRID_L2_LOADS]);
    add(&n->l2_load_hits, w->value[HYBRID_L2_LOAD_HITS]);
    add(&n->l2_sectors, w->value[HYBRID_L2_SECTORS]);
    add(&n->l2_hits, w->value[HYBRID_L2_HITS]);
    add(&n->memory_reads, w->value[HYBRID_READS]);
    add(&n->memory_writes, w->value[HYBRID_DIRTIED]);
    add(&n->dirtied, w->value[HYBRID_DIRTIED]);
    h->compute += w->value[HYBRID_CYCLES] * h->imbalance;
    h->l2 += w->value[HYBRID_L2_CYCLES];
    h->atomics += w->value[HYBRID_ATOMIC_CYCLES];
    if (sectors > 0)
        h->memory *= (double)(n->memory_reads + n->memory_writes) / sectors;
}

static bool estimate(const void *state, const struct kernel_result *result, struct estimate *out)
{
    const struct hybrid_result *h = &result->hybrid;
    (void)state;
    if (h->sms == 0)
        return false;
    *out = (struct estimate){.value =
                                 round((double)h->launch + fmax(fmax(h->compute, h->l2), fmax(h->memory, h->atomics))),
                             .error = ESTIMATE_UNKNOWN,
                             .kind = ESTIMATE_PROJECTED,
                             .method = "hybrid"};
    return true;
}

const struct plan_policy plan_hybrid = {.name = "hybrid",
                                        .alone = true,
                                        .flows = true,
                                        .stop = STOP_HYBRID,
                                        .state_bytes = sizeof(struct hybrid_waves),
                                        .parse = parse,
                                        .ctas = ctas,
                                        .note = note,
                                        .estimate = estimate};
