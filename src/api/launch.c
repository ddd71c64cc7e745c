/* Launches, and their results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "port/message.h"

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static bool gather(const struct subcore_launch *launch, uint8_t *block, struct subcore_error *error)
{
    const struct cubin_kernel *k = launch->kernel->cubin;
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct cubin_parameter *p = &k->parameters[i];
        if (!launch->arguments[i])
            return api_fail(error, SUBCORE_ARGUMENT, "subcore_run: %s: argument %u of %u is NULL", k->name, i,
                            k->parameter_count);
        if (p->offset <= k->parameter_bytes && p->size <= k->parameter_bytes - p->offset)
            memcpy(block + p->offset, launch->arguments[i], p->size);
    }
    return true;
}

/* The block of parameters, owned by the caller where it is put together here. */
static bool parameters(const struct subcore_launch *launch, struct gpu_launch *to, uint8_t **owned,
                       struct subcore_error *error)
{
    const struct cubin_kernel *k = launch->kernel->cubin;
    to->parameters = launch->parameters;
    to->parameter_bytes = launch->parameter_bytes;
    if (launch->arguments && launch->parameters)
        return api_fail(error, SUBCORE_ARGUMENT, "subcore_run: %s: both arguments and a block of parameters", k->name);
    if (!launch->arguments && !launch->parameters && k->parameter_bytes)
        return api_fail(error, SUBCORE_ARGUMENT, "subcore_run: %s takes %u bytes of parameters", k->name,
                        k->parameter_bytes);
    if (!launch->arguments)
        return true;
    *owned = calloc(1, k->parameter_bytes + 1u);
    if (!*owned)
        return api_fail(error, SUBCORE_MEMORY, "subcore_run: %s: out of memory", k->name);
    to->parameters = *owned;
    to->parameter_bytes = k->parameter_bytes;
    return gather(launch, *owned, error);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static struct exec_dim dim(const uint32_t v[3]) { return (struct exec_dim){v[0], v[1] ? v[1] : 1, v[2] ? v[2] : 1}; }

/* Of a hybrid launch the model of memory knows the traffic of all SMs. */
static void fill_traffic(const struct hybrid_counts *n, struct subcore_statistics *s)
{
    s->dram_read_bytes = n->memory_reads * PORT_SECTOR;
    s->dram_write_bytes = n->memory_writes * PORT_SECTOR;
    s->l2_read_sectors = n->l2_loads;
    s->l2_read_hit_sectors = n->l2_load_hits;
    s->l1_load_sectors = n->l1_loads;
    s->l1_load_hit_sectors = n->l1_hits;
}

static void fill_statistics(const struct kernel_result *r, struct subcore_statistics *s)
{
    *s = (struct subcore_statistics){
        .detailed = r->detailed,
        .complete = r->complete,
        .ctas = r->ctas,
        .ctas_done = r->ctas_done,
        .warp_instructions = r->warp_instructions,
        .thread_instructions = r->thread_instructions,
        .cycles = result_cycles(r),
        .launch_cycles = r->launch_cycles,
        .seconds = r->clock_mhz > 0 ? (double)result_cycles(r) / (r->clock_mhz * 1e6) : 0,
        .sms_used = r->sms_used,
        .ctas_per_sm = r->occupancy.ctas_per_sm,
        .warps_per_sm = r->occupancy.warps_per_sm,
        .dram_read_bytes = r->mem.dram_bytes_read,
        .dram_write_bytes = r->mem.dram_bytes_written,
        .l2_read_sectors = r->mem.l2_sectors_read,
        .l2_read_hit_sectors = r->mem.l2_sectors_read_hit,
        .l1_load_sectors = r->sm.l1_sectors_load,
        .l1_load_hit_sectors = r->sm.l1_sectors_load_hit,
        .host_seconds = r->host_seconds,
        .sampled = result_is_chosen(r),
        .half_width = r->stop == STOP_SAMPLED  ? r->estimate.error
                      : r->stop == STOP_HYBRID ? (double)INFINITY
                                               : 0,
        .untimed_instructions = r->rest_instructions,
    };
    if (r->stop == STOP_HYBRID)
        fill_traffic(&r->hybrid.counts, s);
}

static bool is(const struct subcore_launch *launch, const char *fidelity)
{
    return launch->fidelity && strcmp(launch->fidelity, fidelity) == 0;
}

static bool check_fidelity(const struct subcore_launch *launch, struct subcore_error *error)
{
    bool sampled = is(launch, "sampled"), hybrid = is(launch, "hybrid");
    if (launch->fidelity && !sampled && !hybrid && !is(launch, "detailed") && !is(launch, "functional"))
        return api_fail(error, SUBCORE_ARGUMENT,
                        "subcore_run: fidelity '%.40s': detailed, sampled, hybrid or functional is expected",
                        launch->fidelity);
    if (launch->functional && (sampled || hybrid || is(launch, "detailed")))
        return api_fail(error, SUBCORE_ARGUMENT, "subcore_run: fidelity %s does not go with functional",
                        launch->fidelity);
    if ((sampled || hybrid) && launch->watch)
        return api_fail(error, SUBCORE_ARGUMENT, "subcore_run: a %s launch cannot be watched", launch->fidelity);
    return sampled || launch->error == 0 ||
           api_fail(error, SUBCORE_ARGUMENT, "subcore_run: `error` is the error of fidelity sampled");
}

static bool begin_plan(struct subcore_gpu *gpu, const struct subcore_launch *launch, struct status *status)
{
    char percent[32];
    snprintf(percent, sizeof percent, "%.9g", launch->error == 0 ? 3 : launch->error);
    if (is(launch, "hybrid"))
        return plan_add(&gpu->plan, "hybrid", "subcore_run: fidelity", "hybrid", status);
    return !is(launch, "sampled") || plan_add(&gpu->plan, "sample-ctas", "subcore_run: error", percent, status);
}

static bool run_watched(struct subcore_gpu *gpu, const struct subcore_launch *launch, struct gpu_launch *l,
                        struct status *status)
{
    struct api_watch watch;
    const struct exec_kernel *code = exec_module_function(l->module, l->function, status);
    if (!code)
        return false;
    api_watch_begin(&watch, launch, code);
    l->watch = &watch.functional;
    l->observer = &watch.detailed;
    bool ok = gpu_launch(gpu->gpu, l, &gpu->result, status);
    api_watch_end(&watch);
    return ok;
}

bool subcore_run(struct subcore_gpu *gpu, const struct subcore_launch *launch, struct subcore_statistics *statistics,
                 struct subcore_error *error)
{
    struct status status = {0};
    uint8_t *owned = NULL;
    memset(&gpu->result, 0, sizeof gpu->result);
    if (statistics)
        *statistics = (struct subcore_statistics){0};
    if (!launch->kernel)
        return api_fail(error, SUBCORE_ARGUMENT, "subcore_run: the launch names no kernel");
    if (!check_fidelity(launch, error))
        return false;
    struct gpu_launch l = {
        .module = launch->kernel->code,
        .kernel = launch->kernel->cubin->name,
        .function = launch->kernel->cubin,
        .grid = dim(launch->grid),
        .block = dim(launch->block),
        .dynamic_shared_bytes = launch->shared_bytes,
        .mode = launch->functional || is(launch, "functional") ? GPU_MODE_FUNCTIONAL : GPU_MODE_DETAILED,
        .stack_limit = launch->stack_bytes,
        .start_ns = launch->start_ns,
        .cooperative = launch->cooperative,
    };
    if (launch->cluster[0])
        l.cluster = dim(launch->cluster);
    if (!parameters(launch, &l, &owned, error)) {
        free(owned);
        return false;
    }
    gpu->stop = false;
    bool ok = begin_plan(gpu, launch, &status) &&
              (launch->watch ? run_watched(gpu, launch, &l, &status) : gpu_launch(gpu->gpu, &l, &gpu->result, &status));
    plan_free(&gpu->plan);
    free(owned);
    if (statistics)
        fill_statistics(&gpu->result, statistics);
    return ok || api_fail_status(error, &status);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

_Static_assert((int)SUBCORE_FAULT_OTHER == (int)EXEC_FAULT_OTHER, "the kinds are the same, in the same order");
_Static_assert((int)SUBCORE_FAULT_STACK == (int)EXEC_FAULT_STACK, "the kinds are the same, in the same order");

bool subcore_last_fault(const struct subcore_gpu *gpu, struct subcore_fault *fault)
{
    const struct exec_fault_report *r = gpu_fault(gpu->gpu);
    *fault = (struct subcore_fault){
        .kind = (enum subcore_fault_kind)r->kind,
        .kind_name = exec_fault_name(r->kind),
        .has_place = r->has_place,
        .pc = r->pc,
        .cta = {r->cta.x, r->cta.y, r->cta.z},
        .warp = r->warp,
        .lane = r->has_place && r->lane < EXEC_LANES ? (int)r->lane : -1,
        .has_address = r->has_address,
        .address = r->address,
    };
    snprintf(fault->kernel, sizeof fault->kernel, "%s", r->kernel);
    snprintf(fault->sass, sizeof fault->sass, "%s", r->sass);
    snprintf(fault->text, sizeof fault->text, "%s", r->text);
    return r->kind != EXEC_FAULT_NONE;
}
