#include "sm/constant_load.h"

#include "sm/address_unit.h"
#include "sm/lsu.h"
#include "sm/sm.h"

void constant_load(struct sm *sm, uint16_t token, uint64_t now)
{
    const struct config_lsu *c = &sm->config->lsu;
    struct access *a = &sm->lsu.table.access[token];
    /* MICRO 2025 paper, table 2: 26 cycles with an immediate address, 29 with a register, whatever the size. */
    uint32_t latency = (access_vector(a) ? c->constant_latency_vector : c->constant_latency) - c->to_shared_part;
    uint64_t delay = constant_vl_access(&sm->ldc_constants, &sm->l1i, a->line, a->lines, now, &sm->n);
    lsu_return(sm, token, RETURN_CONSTANT, now + latency + delay, 0, 0);
}
