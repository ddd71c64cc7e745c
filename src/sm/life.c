/* The life of an SM: made once, begun for each kernel. */
#include <stdlib.h>
#include <string.h>

#include "sm/issue/scoreboard.h"
#include "sm/sm.h"
#include "sm/wire.h"

bool sm_make_scoreboard(struct sm *sm)
{
    if (!sm->scoreboard)
        sm->scoreboard = calloc(SM_WARPS, sizeof *sm->scoreboard);
    return sm->scoreboard != NULL;
}

bool sm_init(struct sm *sm, uint16_t id, const struct config *config, uint32_t quantum, struct arena *arena)
{
    sm->id = id;
    sm->config = config;
    sm_wire(sm);
    bool ok = l15_init(&sm->l15, &config->l15, arena) && l1i_init(&sm->l1i, &config->icache, arena) &&
              constant_vl_init(&sm->ldc_constants, &config->constant, arena) && lsu_init(&sm->lsu, config, arena) &&
              port_init(&sm->port, config, quantum, arena);
    if (config->core.dependence != CONFIG_DEPENDENCE_CONTROL_BITS)
        ok = ok && sm_make_scoreboard(sm);
    for (unsigned p = 0; p < SM_SUBCORES; p++) {
        struct subcore *part = &sm->subcore[p];
        ok = ok && l0i_init(&part->l0i, &config->icache, p, arena) &&
             constant_fl_init(&part->constants, &config->constant, arena);
    }
    if (!ok)
        sm_free(sm);
    return ok;
}

void sm_free(struct sm *sm)
{
    port_free(&sm->port);
    free(sm->scoreboard);
    sm->scoreboard = NULL;
}

/* The same kernel again, and the GPU does not empty its instruction caches in between. */
static bool keeps_code(const struct sm *sm, const struct code_table *code)
{
    return sm->config->icache.keep && sm->last_code.address == code->address && sm->last_code.count == code->count;
}

void sm_begin_kernel(struct sm *sm, const struct code_table *code, struct sm_source source)
{
    sm->code = *code;
    sm->source = source;
    sm->now = sm->last_progress = 0;
    sm->ctas = sm->warps = sm->finished_count = 0;
    sm->next_age = 0;
    memset(sm->warp, 0, sizeof sm->warp);
    memset(sm->cta, 0, sizeof sm->cta);
    sm->active = false;
    memset(&sm->n, 0, sizeof sm->n);
    sm->queues_at = UINT64_MAX;
    bool keep = keeps_code(sm, code);
    sm->last_code = (struct code_identity){code->address, code->count};
#define BEGIN_OWN(name, type) type##_begin(&sm->name);
#define BEGIN_KEEP(name, type) type##_begin(&sm->name, keep);
#define BEGIN_NONE(name, type)
#define X(name, type, begin, next, save, text) BEGIN_##begin(name, type)
    SM_UNITS(X)
#undef X
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        subcore_begin(&sm->subcore[p]);
}
