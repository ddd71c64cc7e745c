#include "sm/lines.h"

#include "sm/sm.h"

/* Code from byte `address` to `end`: the L1 has it next, then the L0s and the warps that wait to fetch. */
static void code_arrives(struct sm *sm, uint64_t address, uint64_t end)
{
    uint64_t bytes = sm->l1i.config->line;
    for (uint64_t line = (address + bytes - 1) / bytes; line * bytes < end; line++) {
        uint64_t ready = l1i_arrive(&sm->l1i, line, sm->now);
        for (unsigned p = 0; p < SM_SUBCORES; p++) {
            l0i_arrive(&sm->subcore[p].l0i, line, ready);
            fetch_line_arrives(&sm->subcore[p].fetch, line, ready);
        }
    }
}

/* Both L0s, the warps and LDCs that wait for the line, and the heads of the queued units. */
static void constants_arrive(struct sm *sm, uint64_t line)
{
    uint64_t ready = constant_way_at_l0(&sm->ldc_constants.way, sm->now);
    tags_arrive(&sm->ldc_constants.tags, line, ready);
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        tags_arrive(&p->constants.tags, line, ready);
        eligible_constant_arrives(&p->eligibility, line, ready);
        constant_load_arrives(&sm->lsu.constants, subcore, line, ready);
        if (queued_units_arrives(&p->queues, line, ready))
            queue_clock_wake(&p->clock, sm->now);
    }
}

static void line_of_window(struct sm *sm, uint64_t address)
{
    uint64_t end = address + sm->l15.config->line;
    if (address < L15_CONSTANTS) {
        code_arrives(sm, address, end);
        return;
    }
    uint64_t bytes = sm->config->constant.line, first = address - L15_CONSTANTS, last = end - L15_CONSTANTS;
    for (uint64_t line = (first + bytes - 1) / bytes; line * bytes < last; line++)
        constants_arrive(sm, line);
}

void sm_line_arrives(void *self, const struct reply *reply, uint64_t now)
{
    struct sm *sm = self;
    uint64_t address;
    for (uint32_t i = 0; i < sm->code.windows; i++)
        if (l15_fill(&sm->l15, i, reply, now, &address))
            line_of_window(sm, address);
}
