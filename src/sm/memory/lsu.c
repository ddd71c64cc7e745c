#include "sm/memory/lsu.h"

#include <string.h>

#include "base/bits.h"
#include "sm/issue/dependence.h"
#include "sm/issue/issue.h"
#include "sm/memory/constant_load.h"
#include "sm/memory/wavefronts.h"
#include "sm/sm.h"

bool lsu_init(struct lsu *lsu, const struct config_lsu *config, struct arena *arena)
{
    memset(lsu, 0, sizeof *lsu);
    return pending_table_init(&lsu->table, config, arena);
}

void lsu_begin(struct lsu *lsu)
{
    pending_table_begin(&lsu->table);
    lsu->acceptor = (struct acceptor){0};
    lsu->shared = (struct shared_memory){0};
    lsu->global = (struct global_path){0};
    lsu->unacknowledged = (struct unacknowledged){0};
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

/* LDSM, STSM: lane i of each group of 8 gives a row of 16 bytes, and each matrix takes a pass of its own (1.0, 0.5 and
 * 0.25 a cycle for one, two and four on a B300). */
static void note_banks(const struct shared_model *model, struct access *a, const struct issued *is,
                       const uint32_t offset[32])
{
    unsigned matrices = a->code->matrices;
    uint32_t lanes = matrices ? is->active & (uint32_t)((UINT64_C(1) << (8 * matrices)) - 1) : is->active;
    a->bank = model->passes(offset, lanes, matrices ? 16 : is->bytes, shared_memory_use(a->code, is->bytes));
}

static void note_copy(struct sm *sm, struct access *a, uint32_t lanes)
{
    const struct issued *is = &sm->issued;
    note_banks(shared_model(sm->config->shared.model), a, is, is->shared);
    unsigned tags = div_up32(a->lines, sm->config->l1.tags_per_cycle);
    a->bank = wavefronts_copy(a->bank, wavefronts_global(is->address, lanes, is->bytes), tags);
}

static void note_addresses(struct sm *sm, struct access *a)
{
    const struct issued *is = &sm->issued;
    uint32_t lanes = is->active & ~is->zero_fill;
    a->lines = 0;
    a->bank = (struct bank_passes){0, 0};
    if (a->code->memory == ISA_MEM_SHUFFLE)
        return;
    if (a->space == ISA_SPACE_CONSTANT) {
        a->lines = (uint8_t)constant_vl_blocks(&sm->config->constant, is, a->line);
        return;
    }
    if (is->space == ISA_SPACE_GLOBAL || is->space == ISA_SPACE_LOCAL) {
        a->lines = (uint8_t)coalesce_lines(is, lanes, a->line);
        a->bank = is->space == ISA_SPACE_LOCAL ? wavefronts_local(lanes, is->bytes)
                                               : wavefronts_global(is->address, lanes, is->bytes);
    }
    if (a->code->memory == ISA_MEM_ASYNC_COPY) {
        note_copy(sm, a, lanes);
    } else if (is->space == ISA_SPACE_SHARED) {
        uint32_t offset[32];
        for (unsigned i = 0; i < 32; i++)
            offset[i] = (uint32_t)is->address[i];
        note_banks(shared_model(sm->config->shared.model), a, is, offset);
    }
}

void lsu_issue(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.table.access[token];
    a->code = code;
    a->slot = (uint16_t)slot_of(subcore, warp);
    a->subcore = (uint8_t)subcore;
    a->deferred = sm->issued.deferred;
    /* A generic access goes the way of the space that it was found in. */
    bool generic = code->space == ISA_SPACE_GENERIC;
    a->space = !generic ? code->space : sm->issued.space != ISA_SPACE_NONE ? sm->issued.space : ISA_SPACE_GLOBAL;
    a->returns = code->memory == ISA_MEM_LOAD || code->memory == ISA_MEM_ATOMIC || code->memory == ISA_MEM_SHUFFLE;
    a->bytes = (uint16_t)(32 * 4 * code->data_words);
    a->left = 0;
    a->posted = a->answered = false;
    a->cache_policy = code->flags & CODE_CACHE_POLICY ? sm->issued.cache_policy : 0;
    note_addresses(sm, a);
    sm->warp[a->slot].accesses++;
    if (code->memory == ISA_MEM_ASYNC_COPY)
        async_copy_join(sm, token);
    if (code->flags & CODE_IN_ORDER)
        load_order_join(sm, token);
    if (a->deferred)
        fence_sent(sm, token);
    memory_queue_issue(&sm->subcore[subcore].memory, &sm->config->lsu, a, token, now);
    if (!(sm->lsu.acceptor.waiting >> subcore & 1))
        acceptor_new_head(sm, subcore);
}

/* ---- the shared part --------------------------------------------------------------------------------------------- */

uint32_t lsu_interval(const struct config_lsu *config, const struct access *a)
{
    uint32_t interval = config->accept_interval;
    if (a->code->memory == ISA_MEM_SHUFFLE && a->code->interval > interval)
        interval = a->code->interval;
    return interval;
}

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Operations of the memory queue without an address: SHFL, MATCH, S2R, QSPC, CCTL (artifact of the MICRO 2025 paper,
 * choice of units). */
static void misc_operation(struct sm *sm, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.table.access[token];
    if (a->code->flags & CODE_INVALIDATE)
        l1_invalidate(&sm->l1);
    uint64_t issue = now - sm->config->lsu.to_shared_part;
    lsu_return(sm, token, RETURN_MISC, max64(now, issue + a->code->latency), 0, 0);
}

void lsu_accept(struct sm *sm, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.table.access[token];
    retire_sources_read(&sm->retire, a->slot, a->code, address_sources_read(&sm->config->lsu, a, now));
    if (a->code->memory == ISA_MEM_SHUFFLE)
        misc_operation(sm, token, now);
    else if (a->space == ISA_SPACE_CONSTANT)
        constant_load(sm, token, now);
    else if (a->space == ISA_SPACE_SHARED)
        shared_memory_access(sm, token, now);
    else
        global_path_access(sm, token, now);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

void lsu_complete_at(struct sm *sm, uint16_t token, uint64_t when)
{
    retire_access_done(&sm->retire, sm->lsu.table.access[token].slot, token, when);
}

uint64_t lsu_return(struct sm *sm, uint16_t token, enum return_class class, uint64_t ready, uint32_t bytes_per_cycle,
                    uint32_t least)
{
    struct access *a = &sm->lsu.table.access[token];
    struct subcore *p = &sm->subcore[a->subcore];
    uint32_t cycles = bytes_per_cycle ? (a->bytes + bytes_per_cycle - 1) / bytes_per_cycle : 0;
    uint64_t end = return_path_deliver(&p->returns, class, ready, cycles < least ? least : cycles);
    if (cycles && a->code->write_words) {
        calendar_add(&sm->calendar, end, (struct event){EVENT_WRITE, (uint8_t)a->slot, token});
    } else {
        retire_result_written(&sm->retire, a->slot, a->code, end);
        lsu_complete_at(sm, token, end);
    }
    return end;
}

void lsu_complete(struct sm *sm, uint16_t token)
{
    struct access *a = &sm->lsu.table.access[token];
    struct sm_warp *w = &sm->warp[a->slot];
    if (a->deferred) {
        sm->source.complete(sm->source.self, token);
        fence_acknowledged(sm, token);
    }
    if (a->code->memory == ISA_MEM_ASYNC_COPY)
        async_copy_landed(sm, token);
    else if (!a->returns && a->code->write_sb != ISA_NO_SB) /* of a store; compilers name no counter there */
        retire_result_written(&sm->retire, a->slot, a->code, sm->now);
    pending_table_release(&sm->lsu.table, token);
    w->posted -= a->posted;
    if (--w->accesses == w->posted)
        fence_try(sm, a->slot);
    if (w->accesses == 0)
        retire_warp_drained(&sm->retire, a->slot);
}
