/* The life of an SM: made once, begun for each kernel. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/issue/scoreboard.h"
#include "sm/legacy/core.h"
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
    bool legacy = config->core.model == CONFIG_CORE_LEGACY;
    sm->id = id;
    sm->config = config;
    sm->legacy = legacy ? arena_take(arena, sizeof *sm->legacy) : NULL;
    if (legacy && !sm->legacy)
        return false;
    sm_wire(sm);
    bool ok = calendar_init(&sm->calendar, arena) && l15_init(&sm->l15, &config->l15, arena) &&
              l1i_init(&sm->l1i, &config->icache, arena) &&
              constant_vl_init(&sm->ldc_constants, &config->constant, arena) && lsu_init(&sm->lsu, config, arena) &&
              port_init(&sm->port, config, quantum, arena) && tma_init(&sm->tma, arena) &&
              warpgroup_unit_init(&sm->products, arena);
    ok = ok && (!legacy || legacy_core_init(sm->legacy, arena));
    if (legacy || config->core.dependence != CONFIG_DEPENDENCE_CONTROL_BITS)
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
    const struct code_window *w = &code->window[0];
    return sm->config->icache.keep && sm->last_code.address == w->address && sm->last_code.base == w->base &&
           sm->last_code.count == w->end - w->base;
}

/* Clears the places of an array that `used` has a bit for. */
static void clear_used(void *array, size_t size, uint64_t used)
{
    for (; used; used &= used - 1)
        memset((uint8_t *)array + lowest_bit64(used) * size, 0, size);
}

void sm_begin_kernel(struct sm *sm, const struct code_table *code, struct sm_source source)
{
    clear_used(sm->warp, sizeof sm->warp[0], sm->started_warps);
    clear_used(sm->cta, sizeof sm->cta[0], sm->started_ctas);
    sm->started_warps = sm->started_ctas = 0;
    memset(sm->window, 0, sm->code.windows * sizeof sm->window[0]);
    sm->code = *code;
    sm->source = source;
    sm->now = sm->last_progress = 0;
    sm->ctas = sm->warps = sm->finished_count = 0;
    sm->next_age = 0;
    sm->active = false;
    memset(&sm->n, 0, sizeof sm->n);
    sm->queues_at = UINT64_MAX;
    bool keep = keeps_code(sm, code);
    const struct code_window *w = &code->window[0];
    sm->last_code = (struct code_identity){w->address, w->base, w->end - w->base};
#define BEGIN_OWN(name, type) type##_begin(&sm->name);
#define BEGIN_KEEP(name, type) type##_begin(&sm->name, keep);
#define BEGIN_NONE(name, type)
#define X(name, type, begin, next, save, text) BEGIN_##begin(name, type)
    SM_UNITS(X)
#undef X
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        subcore_begin(&sm->subcore[p]);
    if (sm->legacy)
        legacy_core_begin(sm->legacy);
}

/* Constants that another kernel has left under the number of this window go. */
static void drop_constants(struct sm *sm, uint32_t window)
{
    uint64_t first = (uint64_t)window << L15_WINDOW_SHIFT, end = first + (UINT64_C(1) << L15_WINDOW_SHIFT);
    uint32_t line = sm->config->constant.line, l15_line = sm->config->l15.line;
    tags_drop(&sm->l15.tags, (L15_CONSTANTS + first) / l15_line, (L15_CONSTANTS + end) / l15_line);
    tags_drop(&sm->ldc_constants.tags, first / line, end / line);
    for (unsigned p = 0; p < SM_SUBCORES; p++) {
        struct constant_fl *c = &sm->subcore[p].constants;
        tags_drop(&c->tags, first / line, end / line);
        c->recent = TAGS_EMPTY;
    }
}

void sm_add_window(struct sm *sm, uint32_t window, const struct code_table *code)
{
    assert(code_table_shares(&sm->code, code) && window <= sm->code.windows && window < CODE_WINDOWS);
    drop_constants(sm, window);
    sm->code.window[window] = code->window[0];
    if (window == sm->code.windows)
        sm->code.windows++;
    if (code->count > sm->code.count)
        sm->code.count = code->count;
    sm->last_code = (struct code_identity){0}; /* the caches no longer hold data of one kernel only */
}
