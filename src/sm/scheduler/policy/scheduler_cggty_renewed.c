#include "base/bits.h"
#include "sm/scheduler/scheduler.h"

struct ranks {
    uint8_t younger[SUBCORE_WARPS]; /* resident warps that are younger than the warp of this slot */
};

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    const struct ranks *ranks = state;
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    unsigned count = s->residents, renewed = s->renewal && count ? (unsigned)(now / s->renewal % count) : 0;
    unsigned first = UINT32_MAX;
    int chosen = SCHEDULER_NONE;
    for (uint32_t m = eligible; m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        unsigned rank = ranks->younger[i] + (ranks->younger[i] < renewed ? count : 0) - renewed;
        if (rank < first) {
            first = rank;
            chosen = i;
        }
    }
    return chosen;
}

static void event(const struct scheduler *s, void *state, enum scheduler_event what, unsigned warp, uint64_t line)
{
    (void)line;
    struct ranks *ranks = state;
    bool starts = what == SCHEDULER_STARTS;
    ranks->younger[warp] = 0;
    for (uint32_t m = s->resident & ~(UINT32_C(1) << warp); m; m &= m - 1) {
        unsigned i = lowest_bit32(m);
        bool older = s->age[i] < s->age[warp];
        if (older)
            ranks->younger[i] = (uint8_t)(starts ? ranks->younger[i] + 1 : ranks->younger[i] - 1);
        ranks->younger[warp] = (uint8_t)(ranks->younger[warp] + !older);
    }
}

/* CGGTY whose ages are renewed: each `core.scheduler_renewal` cycles the youngest warp becomes the oldest. In the short
 * run it is CGGTY, and in the long run each warp is the youngest for as long. The renewal is assumed (docs/core.md). */
const struct scheduler_policy scheduler_cggty_renewed = {
    .name = "cggty-renewed",
    .summary = "cggty, where each `core.scheduler_renewal` cycles the youngest becomes the oldest",
    .state_bytes = sizeof(struct ranks),
    .greedy = true,
    .residency = true,
    .choose = choose,
    .event = event,
};
