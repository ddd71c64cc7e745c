#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/occupancy.h"
#include "gpu/timed.h"

struct gpu_module {
    struct exec_module module;
    struct gpu_module *next;
};

struct gpu {
    struct config config;
    struct gpu_options options;
    struct memory *memory;
    struct gpu_module *modules;
    struct timed timed; /* made at the first timed launch */
    bool timed_ready;
};

struct gpu *gpu_create(const struct config *config, const struct gpu_options *options, struct status *status)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) {
        status_fail(status, STATUS_MEMORY, "out of memory");
        return NULL;
    }
    gpu->config = *config;
    gpu->options = *options;
    uint64_t bytes = (uint64_t)(config->gpu.memory * 1024 * 1024 * 1024) / MEMORY_GRANULE * MEMORY_GRANULE;
    gpu->memory = memory_create(bytes, status);
    if (!gpu->memory) {
        free(gpu);
        return NULL;
    }
    return gpu;
}

void gpu_destroy(struct gpu *gpu)
{
    if (gpu->timed_ready)
        timed_free(&gpu->timed);
    while (gpu->modules) {
        struct gpu_module *m = gpu->modules;
        gpu->modules = m->next;
        exec_module_unload(&m->module);
        free(m);
    }
    memory_destroy(gpu->memory);
    free(gpu);
}

const struct config *gpu_config(const struct gpu *gpu) { return &gpu->config; }
struct memory *gpu_memory(struct gpu *gpu) { return gpu->memory; }

struct exec_module *gpu_load(struct gpu *gpu, struct cubin_bytes image, const char *path, struct status *status)
{
    struct gpu_module *m = calloc(1, sizeof *m);
    if (!m) {
        status_fail(status, STATUS_MEMORY, "out of memory");
        return NULL;
    }
    if (!exec_module_load(&m->module, gpu->memory, image, path, status)) {
        free(m);
        return NULL;
    }
    unsigned sm = m->module.sm, device = gpu->config.gpu.architecture;
    if (!gpu->options.functional && (sm / 10 != device / 10 || sm > device)) {
        status_fail(status, STATUS_USAGE, "%s is for sm_%u and does not run on %s, which is sm_%u", path, sm,
                    gpu->config.gpu.name, device);
        exec_module_unload(&m->module);
        free(m);
        return NULL;
    }
    m->next = gpu->modules;
    gpu->modules = m;
    return &m->module;
}

static void fill_facts(const struct gpu *gpu, const struct exec_launch *l, struct kernel_result *r)
{
    const struct config *c = &gpu->config;
    snprintf(r->gpu, sizeof r->gpu, "%s", c->gpu.name);
    snprintf(r->kernel, sizeof r->kernel, "%s", l->kernel->cubin->name);
    snprintf(r->module, sizeof r->module, "%s", l->module->cubin.path);
    r->architecture = c->gpu.architecture;
    r->code_architecture = l->module->sm;
    r->sms = c->gpu.sms;
    r->clock_mhz = c->gpu.clock;
    r->dram_peak_gbs = c->dram.bandwidth;
    memcpy(r->grid, &l->grid, sizeof r->grid);
    memcpy(r->block, &l->block, sizeof r->block);
    r->dynamic_shared = l->dynamic_shared_bytes;
    r->static_shared = l->kernel->cubin->static_shared_bytes;
    r->registers = l->kernel->cubin->registers;
    r->local_bytes = l->kernel->local_bytes;
    r->detailed = !gpu->options.functional;
    r->ctas = l->cta_count;
    r->config_hash = config_hash(c);
    r->threads = gpu->options.functional ? 1 : gpu->options.threads;
}

struct functional_progress {
    const struct gpu_options *options;
};

static void report_progress(void *context, uint64_t done, uint64_t total)
{
    const struct gpu_options *o = ((struct functional_progress *)context)->options;
    o->progress(o->progress_context, done, total, 0, 0);
}

static void watch_functional(void *self, const struct exec_warp *warp, const struct issued *issued)
{
    hazards_issued(self, 0, warp->slot, warp->cta->linear, issued->pc, issued->path, issued->active, 0);
}

static bool run_functional(struct gpu *gpu, const struct exec_launch *launch, struct kernel_result *r,
                           struct status *status)
{
    struct functional_progress progress = {&gpu->options};
    struct exec_totals totals = {0};
    bool ok =
        exec_run(launch, gpu->options.stop, gpu->options.progress ? report_progress : NULL, &progress, &totals, status);
    r->warp_instructions = totals.warp_instructions;
    r->thread_instructions = totals.thread_instructions;
    r->ctas_done = totals.ctas;
    r->complete = ok;
    return ok;
}

static bool run_timed(struct gpu *gpu, const struct exec_launch *launch, struct kernel_result *r, struct status *status)
{
    if (!gpu->timed_ready) {
        if (!timed_init(&gpu->timed, &gpu->config, gpu->memory, gpu->options.threads, status))
            return false;
        gpu->timed_ready = true;
    }
    return timed_run(&gpu->timed, launch, &r->occupancy, &gpu->options, r, status);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Static shared memory of sm_90 and later already holds the system's reserve, which the occupancy rule adds again. */
static uint32_t user_shared(const struct gpu *gpu, const struct exec_launch *l)
{
    uint32_t fixed = l->kernel->cubin->static_shared_bytes;
    if (l->module->sm >= 90)
        fixed = fixed > gpu->config.sm.shared_reserved ? fixed - gpu->config.sm.shared_reserved : 0;
    return fixed + l->dynamic_shared_bytes;
}

static bool begin_hazards(struct gpu *gpu, const struct exec_launch *l, struct status *status)
{
    const struct hazard_launch launch = {
        .kernel = l->kernel->cubin->name,
        .architecture = l->module->sm,
        .isa = &l->kernel->code[0].isa,
        .stride = sizeof l->kernel->code[0],
        .count = l->kernel->count,
        .sms = gpu->options.functional ? 1 : gpu->config.gpu.sms,
        .warps_per_cta = l->warps_per_cta,
        .timed = !gpu->options.functional,
    };
    return !gpu->options.hazards || hazards_begin(gpu->options.hazards, &launch) ||
           status_fail(status, STATUS_MEMORY, "out of memory for --check-hazards");
}

static bool end_hazards(struct gpu *gpu, bool ok, struct status *status)
{
    if (!gpu->options.hazards)
        return ok;
    hazards_end(gpu->options.hazards);
    if (gpu->options.hazards->failed)
        return status_fail(status, STATUS_MEMORY, "out of memory for --check-hazards");
    return ok;
}

bool gpu_launch(struct gpu *gpu, const struct gpu_launch *launch, struct kernel_result *result, struct status *status)
{
    memset(result, 0, sizeof *result);
    if (gpu->options.lines)
        line_profile_free(gpu->options.lines);
    const struct config *c = &gpu->config;
    struct exec_launch l;
    uint32_t slots = c->gpu.sms * c->sm.warps;
    if (!exec_launch_begin(&l, launch->module, launch->kernel, launch->grid, launch->block,
                           launch->dynamic_shared_bytes, launch->parameters, launch->parameter_bytes, c->gpu.sms, slots,
                           status))
        return false;
    if (gpu->options.output)
        l.output = gpu->options.output;
    const struct exec_watch watch = {gpu->options.hazards, watch_functional};
    l.watch = gpu->options.hazards ? &watch : NULL;
    fill_facts(gpu, &l, result);
    uint32_t threads = l.block.x * l.block.y * l.block.z;
    bool ok = gpu_occupancy(c, l.kernel->cubin->registers, threads, user_shared(gpu, &l), &result->occupancy, status);
    ok = ok && begin_hazards(gpu, &l, status);
    if (ok) {
        double begin = seconds();
        ok = gpu->options.functional ? run_functional(gpu, &l, result, status) : run_timed(gpu, &l, result, status);
        result->host_seconds = seconds() - begin;
        ok = end_hazards(gpu, ok, status);
    }
    exec_launch_end(&l);
    return ok;
}
