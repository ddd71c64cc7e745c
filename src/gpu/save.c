#include "gpu/save.h"

#include <string.h>

#include "base/hash.h"
#include "exec/launch/save.h"
#include "exec/memory/pending.h"
#include "gpu/state.h"
#include "mem/group.h"
#include "mem/save.h"
#include "sm/save.h"
#include "trace/predict.h"

uint64_t gpu_layout(const char *version)
{
    const size_t sizes[] = {sizeof(struct sm),
                            sizeof(struct access),
                            sizeof(struct group),
                            sizeof(struct l2_slice),
                            sizeof(struct dram_channel),
                            sizeof(struct gpc),
                            sizeof(struct exec_warp),
                            sizeof(struct exec_cta),
                            sizeof(struct exec_core),
                            sizeof(struct exec_pending),
                            plan_layout(),
                            sizeof(struct cta_scheduler),
                            sizeof(struct co_runner),
                            sizeof(struct trace_flow_slot),
                            sizeof(struct trace_access_slot),
                            sizeof(struct transfer),
                            sizeof(struct kernel_result)};
    return hash_bytes(hash_bytes(HASH_SEED, version, strlen(version)), sizes, sizeof sizes);
}

/* ---- what runs --------------------------------------------------------------------------------------------------- */

static void kernel_archive(struct archive *a, const char *name, uint64_t code, const uint32_t *dims, size_t bytes)
{
    archive_same(a, "kernel", hash_bytes(HASH_SEED, name, strlen(name)));
    archive_same(a, "code", code);
    archive_same(a, "grid or block", hash_bytes(HASH_SEED, dims, bytes));
}

/* The parameters are in bank 0. */
static void launch_archive(struct archive *a, const struct exec_launch *l)
{
    enum { BANK = 65536 };
    const uint32_t dims[] = {l->grid.x,       l->grid.y,        l->grid.z,    l->block.x,   l->block.y,  l->block.z,
                             l->shared_bytes, l->warps_per_cta, l->cluster.x, l->cluster.y, l->cluster.z};
    uint64_t code = HASH_SEED;
    for (uint32_t i = 0; i < l->kernel->count; i++)
        code = hash_bytes(code, &l->kernel->code[i].isa.word, sizeof(struct word128));
    kernel_archive(a, l->kernel->cubin->name, code, dims, sizeof dims);
    archive_same(a, "set of arguments", hash_bytes(HASH_SEED, l->bank0, BANK));
}

static void trace_archive(struct archive *a, const struct trace_launch *l)
{
    const uint32_t dims[] = {l->grid[0],    l->grid[1],    l->grid[2],       l->block[0],
                             l->block[1],   l->block[2],   l->static_shared, l->dynamic_shared,
                             l->cluster[0], l->cluster[1], l->cluster[2]};
    uint64_t code = HASH_SEED;
    for (uint32_t i = 0; i < l->code_count; i++)
        code = hash_bytes(code, &l->code[i].isa.word, sizeof(struct word128));
    kernel_archive(a, l->name, code, dims, sizeof dims);
}

static void exec_machine_archive(struct archive *a, struct exec_machine *e, uint32_t sms)
{
    for (uint32_t i = 0; i < sms && archive_ok(a); i++) {
        struct exec_machine_sm *s = &e->sms[i];
        uint32_t ctas = 0;
        while (ctas < SM_CTAS && s->cta[ctas])
            exec_cta_archive(a, s->cta[ctas++]);
        exec_core_archive(a, &s->core, s->cta, ctas);
    }
}

/* The warps of a restored CTA are found by their slots again. */
static void enter_warps(struct exec_machine_sm *s, struct exec_cta *cta)
{
    for (uint32_t w = 0; w < cta->launch->warps_per_cta; w++)
        if (cta->warps[w].generation > 0)
            s->warp[cta->warps[w].slot] = &cta->warps[w];
}

/* CTAs of a restored machine get to know their clusters again. */
static void join_clusters(struct exec_machine *e, const struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++) {
        for (uint32_t c = 0; c < SM_CTAS && e->sms[i].cta[c]; c++) {
            const struct cluster_place *place = &t->sms[i].sm.cta[c].cluster.place;
            enter_warps(&e->sms[i], e->sms[i].cta[c]);
            if (place->size > 1)
                exec_machine_join(e, e->sms[i].cta[c], place);
            else
                exec_cluster_form(&e->sms[i].cta[c], 1);
        }
    }
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

static void timed_archive(struct archive *a, struct timed *t)
{
    struct kernel_run *k = t->kernels; /* alone */
    archive_same(a, "number of timed CTAs", k->parts.first);
    archive_same(a, "number of SMs", t->used);
    archive_begin(a, "scheduler", &k->scheduler, sizeof k->scheduler);
    archive_end(a);
    archive_plain(a, &k->parts, sizeof k->parts);
    archive_plain(a, k->active, sizeof k->active);
    archive_plain(a, t->free_slots, sizeof t->free_slots);
    archive_plain(a, &t->now, sizeof t->now);
    archive_plain(a, &t->co_runner, sizeof t->co_runner);
    archive_plain(a, &k->last_cta_end, sizeof k->last_cta_end);
    archive_plain(a, &k->settled, sizeof k->settled);
    archive_plain(a, &k->preexits, sizeof k->preexits);
    archive_plain(a, &k->preexit_cycle, sizeof k->preexit_cycle);
    archive_plain(a, &t->answered, sizeof t->answered);
    archive_plain(a, t->front.wake, sizeof t->front.wake);
    plan_archive(t->plan, a);
    for (uint32_t i = 0; i < t->used && archive_ok(a); i++) {
        struct tenants *m = &t->sms[i].tenants;
        archive_plain(a, &t->sms[i].queue, sizeof t->sms[i].queue);
        archive_plain(a, m->cta, sizeof m->cta);
        archive_plain(a, m->ctas, sizeof m->ctas);
        archive_plain(a, &m->count, sizeof m->count);
        sm_archive(a, &t->sms[i].sm);
    }
    mem_archive(a, t->mem);
}

void gpu_archive(struct gpu *gpu, struct archive *a)
{
    void *machine = gpu->timed.kernels->launch.machine.self;
    struct trace_machine *traced = machine == &gpu->exec_machine.alone ? NULL : machine;
    archive_same(a, "configuration", gpu->config_hash);
    if (traced)
        trace_archive(a, traced->launch);
    else
        launch_archive(a, gpu->exec_machine.alone.launch);
    archive_plain(a, &gpu->past, sizeof gpu->past);
    if (archive_reading(a)) {
        gpu->timed.past = gpu->past;
        gpu->timed.bound = plan_bound(gpu->timed.plan, &gpu->past);
    }
    memory_archive(a, gpu->memory);
    timed_archive(a, &gpu->timed);
    if (traced)
        trace_machine_archive(a, traced, gpu->timed.used);
    else
        exec_machine_archive(a, &gpu->exec_machine, gpu->timed.used);
    if (!traced && archive_reading(a) && archive_ok(a))
        join_clusters(&gpu->exec_machine, &gpu->timed);
}
