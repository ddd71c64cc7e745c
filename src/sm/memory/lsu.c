#include "sm/memory/lsu.h"

#include <string.h>

#include "base/bits.h"
#include "base/order.h"
#include "sm/memory/load_order.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/memory/tensor_memory_unit.h"
#include "sm/memory/texture_unit.h"
#include "sm/memory/wavefronts.h"
#include "sm/warp.h"

bool lsu_init(struct lsu *lsu, const struct config *config, struct arena *arena)
{
    struct config_lsu places = config->lsu;
    places.queue += config->tex.queue;
    if (config->core.model == CONFIG_CORE_LEGACY) { /* whose accesses are in no queue */
        places.pending = config->legacy.accesses;
        places.queue = 0;
    }
    return pending_table_init(&lsu->table, &places, arena) && l1_init(&lsu->l1, &config->l1, config->sm.unified, arena);
}

void lsu_begin(struct lsu *lsu)
{
    pending_table_begin(&lsu->table);
    l1_begin(&lsu->l1, lsu->to.code->l1_bytes);
    acceptor_begin(&lsu->acceptor);
    lsu->shared.free = 0;
    lsu->global.tags_free = lsu->global.atomics_free = 0;
    lsu->global.stores = 0;
    lsu->fences.unacknowledged = (struct unacknowledged){0};
    memset(lsu->unwaited, 0, sizeof lsu->unwaited);
    memset(lsu->constants.order, 0, sizeof lsu->constants.order);
}

/* The access takes effect elsewhere, and is acknowledged. Operations on barrier objects are deferred at home. */
static bool travels(const struct access *a) { return a->deferred && a->space != ISA_SPACE_SHARED; }

/* ---- issue ------------------------------------------------------------------------------------------------------- */

/* LDSM, STSM: lane i in each group of 8 gives a 16-byte row, and each matrix takes a pass of its own (1.0, 0.5 and
 * 0.25 a cycle for one, two and four on a B300). */
static void note_banks(struct lsu *lsu, struct access *a, const struct issued *is, const uint32_t offset[32])
{
    unsigned matrices = a->code->matrices;
    uint32_t lanes = matrices ? is->active & (uint32_t)((UINT64_C(1) << (8 * matrices)) - 1) : is->active;
    a->bank = bank_memo_passes(&lsu->banks, shared_model(lsu->to.config->shared.model), offset, lanes,
                               matrices ? 16 : is->bytes, shared_memory_use(a->code, is->bytes));
}

static void note_copy(struct lsu *lsu, struct access *a, const struct issued *is, uint32_t lanes)
{
    note_banks(lsu, a, is, is->shared);
    unsigned tags = div_up32(a->lines, lsu->to.config->l1.tags_per_cycle);
    a->bank = wavefronts_copy(a->bank, wavefronts_global(is->address, lanes, is->bytes), tags);
}

static inline __attribute__((always_inline)) void note_addresses(struct lsu *lsu, struct access *a,
                                                                 const struct issued *is, uint8_t window)
{
    const struct config *config = lsu->to.config;
    uint32_t lanes = is->active & ~is->zero_fill;
    a->lines = 0;
    a->bank = (struct bank_passes){0, 0};
    if (a->code->memory == CODE_QUEUE_VALUES)
        a->lines = is->values ? is->values : ISA_LANES;
    if (code_only_passes(a->code))
        return;
    if (a->space == ISA_SPACE_CONSTANT) {
        a->lines = (uint8_t)constant_vl_blocks(&config->constant, is, window, a->line);
        return;
    }
    bool operates = a->code->memory == ISA_MEM_ATOMIC || a->code->memory == ISA_MEM_REDUCTION;
    unsigned operands = operates ? config->l2.atomic_bytes : 0;
    if (is->space == ISA_SPACE_GLOBAL) {
        a->lines = (uint8_t)address_memo_lines(&lsu->addresses, is, lanes, operands, a->line, &a->bank);
    } else if (is->space == ISA_SPACE_LOCAL) {
        a->lines = (uint8_t)coalesce_lines(is, lanes, a->line);
        a->bank = wavefronts_local(lanes, is->bytes);
        if (operates)
            coalesce_operations(is, a->line, a->lines, operands);
    }
    if (is->space == ISA_SPACE_CLUSTER)
        a->lines = (uint8_t)remote_path_split(&config->shared, a->code, is, a->line);
    if (a->code->memory == ISA_MEM_ASYNC_COPY) {
        note_copy(lsu, a, is, lanes);
    } else if (is->space == ISA_SPACE_SHARED) {
        uint32_t offset[32];
        for (unsigned i = 0; i < 32; i++)
            offset[i] = (uint32_t)is->address[i];
        note_banks(lsu, a, is, offset);
    }
}

static bool in_one_half(uint32_t lanes) { return lanes >> 16 == 0 || (lanes & 0xffff) == 0; }

/* A generic access goes the way of the space that it was found in, and an arrival at another CTA's object the way
 * there. Asynchronous stores know shared memory only. */
static enum isa_space space_of(const struct code *code, const struct issued *is)
{
    if (is->space == ISA_SPACE_CLUSTER)
        return ISA_SPACE_CLUSTER;
    if (code->pipe == ISA_PIPE_TEX)
        return ISA_SPACE_GLOBAL;
    if (code->space != ISA_SPACE_GENERIC)
        return code->space;
    if (is->space != ISA_SPACE_NONE)
        return is->space;
    return code->mbarrier ? ISA_SPACE_SHARED : ISA_SPACE_GLOBAL;
}

static inline __attribute__((always_inline)) void note(struct lsu *lsu, struct access *a, const struct code *code,
                                                       const struct issued *is, uint8_t window)
{
    a->code = code;
    a->deferred = is->deferred;
    a->space = (uint8_t)space_of(code, is);
    a->returns = code->memory == ISA_MEM_LOAD || code->memory == ISA_MEM_ATOMIC || code_only_passes(code);
    if (code->mbarrier == CODE_MBARRIER_COPIES || (code->mbarrier && a->space == ISA_SPACE_CLUSTER))
        a->returns = false;
    if (code->tensor == CODE_TENSOR_STORE)
        a->returns = false;
    a->bytes = (uint16_t)(32 * 4 * code->data_words);
    a->left = 0;
    a->posted = a->answered = false;
    a->halved = !code_only_passes(code) && a->space != ISA_SPACE_CONSTANT && in_one_half(is->active);
    a->cache_policy = code->flags & CODE_CACHE_POLICY ? is->cache_policy : 0;
    note_addresses(lsu, a, is, window);
    if (code->pipe == ISA_PIPE_TEX)
        texture_unit_note(lsu->to.config, a, is);
}

static inline __attribute__((always_inline)) const struct access *note_issue(struct lsu *lsu, uint32_t slot,
                                                                             const struct code *code,
                                                                             const struct issued *is, uint16_t token,
                                                                             uint64_t now)
{
    struct access *a = &lsu->table.access[token];
    struct sm_warp *w = &lsu->to.warp[slot];
    a->slot = (uint16_t)slot;
    a->life = w->life;
    a->window = w->window;
    a->subcore = (uint8_t)slot_subcore(slot);
    note(lsu, a, code, is, w->window);
    w->accesses++;
    if (code->memory == ISA_MEM_ASYNC_COPY)
        async_copy_join(&lsu->copies, token);
    if ((code->flags & CODE_IN_ORDER) && (a->space == ISA_SPACE_GLOBAL || a->space == ISA_SPACE_LOCAL))
        load_order_join(&w->order, &lsu->table, token);
    if (code->mbarrier == CODE_MBARRIER_COPIES) {
        a->left = 1;
        async_copy_arrive(&lsu->copies, slot, token, now);
    }
    if (travels(a))
        fence_sent(&lsu->fences, token);
    return a;
}

void lsu_note(struct lsu *lsu, uint32_t slot, const struct code *code, const struct issued *is, uint16_t token,
              uint64_t now)
{
    note_issue(lsu, slot, code, is, token, now);
}

void lsu_issue(struct lsu *lsu, uint32_t slot, const struct code *code, const struct issued *is, uint16_t token,
               uint64_t now)
{
    const struct access *a = note_issue(lsu, slot, code, is, token, now);
    if (code->class == CLASS_TEX) {
        texture_unit_issue(lsu->to.textures, token, now);
        return;
    }
    memory_queue_issue(lsu->to.queue[a->subcore], &lsu->to.config->lsu, a, token, now);
    if (!(lsu->acceptor.waiting >> a->subcore & 1))
        acceptor_new_head(&lsu->acceptor, a->subcore);
}

/* ---- the shared part --------------------------------------------------------------------------------------------- */

/* Operations of the memory queue without an address: SHFL, MATCH, S2R, QSPC, CCTL (artifact of the MICRO 2025 paper,
 * choice of units). The array of shared memory passes those that give each lane a value of its own. */
static void misc_operation(struct lsu *lsu, uint16_t token, uint64_t now)
{
    const struct code *code = lsu->table.access[token].code;
    if (code->flags & CODE_INVALIDATE)
        l1_invalidate(&lsu->l1);
    if (code_passes_array(code))
        shared_memory_lanes(&lsu->shared, now);
    uint64_t issue = now - lsu->to.config->lsu.to_shared_part;
    uint64_t latency = access_share(&lsu->table.access[token], code->latency);
    delivery_send(&lsu->delivery, token, RETURN_MISC, latest(now, issue + latency), 0, 0);
}

static inline __attribute__((always_inline)) void begin_access(struct lsu *lsu, uint16_t token, uint64_t now)
{
    const struct access *a = &lsu->table.access[token];
    if (a->code->tensor != CODE_TENSOR_STORE)
        retire_sources_read(lsu->to.retire, a->slot, a->code, address_sources_read(&lsu->to.config->lsu, a, now));
    if (a->code->tensor)
        tensor_memory_unit_access(lsu->to.tensor, token, now);
    else if (code_only_passes(a->code))
        misc_operation(lsu, token, now);
    else if (a->space == ISA_SPACE_CONSTANT)
        constant_load(&lsu->constants, token, now);
    else if (a->space == ISA_SPACE_CLUSTER)
        remote_path_access(&lsu->remote, token, now);
    else if (code_operates(a->code))
        mbarrier_unit_access(lsu->to.objects, token, now);
    else if (a->space == ISA_SPACE_SHARED)
        shared_memory_access(&lsu->shared, token, now);
    else
        global_path_access(&lsu->global, token, now);
    if (a->code->mbarrier == CODE_MBARRIER_STORE)
        mbarrier_unit_look(lsu->to.objects, now);
    if (a->posted && lsu->to.warp[a->slot].exited)
        retire_warp_drained(lsu->to.retire, a->slot);
}

void lsu_access(struct lsu *lsu, uint16_t token, uint64_t now) { begin_access(lsu, token, now); }

bool lsu_accept(struct lsu *lsu, uint64_t now)
{
    uint16_t token = acceptor_cycle(&lsu->acceptor, now);
    if (token == LSU_NO_TOKEN)
        return false;
    begin_access(lsu, token, now);
    return true;
}

void lsu_complete(struct lsu *lsu, uint16_t token, uint64_t now)
{
    const struct access *a = &lsu->table.access[token];
    const struct sm_source *source = lsu->to.source;
    struct sm_warp *w = &lsu->to.warp[a->slot];
    if (a->deferred)
        source->complete(source->self, token);
    if (travels(a))
        fence_acknowledged(&lsu->fences, token, now);
    if (a->code->mbarrier == CODE_MBARRIER_COPIES)
        mbarrier_unit_look(lsu->to.objects, now);
    if (a->code->memory == ISA_MEM_ASYNC_COPY)
        async_copy_landed(&lsu->copies, token, now);
    else if (!a->returns && a->code->write_sb != ISA_NO_SB) /* of a store; compilers name no counter there */
        retire_result_written(lsu->to.retire, a->slot, a->code, now);
    pending_table_release(&lsu->table, token);
    acceptor_room(&lsu->acceptor);
    if (a->life != w->life) {
        unwaited_acknowledged(&lsu->unwaited[a->window], now);
        return;
    }
    w->posted -= a->posted;
    w->remote -= a->posted && a->space == ISA_SPACE_CLUSTER;
    if (--w->accesses == w->posted)
        fence_try(&lsu->fences, a->slot, now);
    if (w->accesses == w->posted)
        retire_warp_drained(lsu->to.retire, a->slot);
}

void lsu_leave(struct lsu *lsu, uint32_t slot)
{
    struct sm_warp *w = &lsu->to.warp[slot];
    lsu->unwaited[w->window].count += w->posted;
    w->life++;
}

bool lsu_acknowledged(const struct lsu *lsu)
{
    for (unsigned window = 0; window < CODE_WINDOWS; window++)
        if (lsu->unwaited[window].count > 0)
            return false;
    return true;
}

/* ---- saves ------------------------------------------------------------------------------------------------------- */

void lsu_archive(struct archive *a, struct lsu *lsu)
{
    archive_keep(a, &lsu->to);
    archive_keep(a, &lsu->acceptor.to);
    archive_keep(a, &lsu->shared.to);
    archive_keep(a, &lsu->global.to);
    archive_keep(a, &lsu->remote);
    archive_keep(a, &lsu->constants.to);
    archive_keep(a, &lsu->copies);
    archive_keep(a, &lsu->fences.to);
    archive_keep(a, &lsu->delivery);
    archive_keep(a, &lsu->table.access);
    archive_array(a, &lsu->table.line, lsu->table.records * 32);
    l1_archive(a, &lsu->l1);
}

void lsu_archive_accesses(struct archive *a, struct lsu *lsu)
{
    const struct code_table *code = lsu->to.code;
    struct pending_table *t = &lsu->table;
    archive_begin(a, "accesses", t->access, t->records * sizeof *t->access);
    for (unsigned i = 0; i < t->records; i++) {
        archive_entry(a, &t->access[i].code, code->code, code->count + 1u);
        archive_keep(a, &t->access[i].line);
    }
    archive_end(a);
}
