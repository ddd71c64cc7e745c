#include "gpu/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/memory/undefined.h"
#include "gpu/occupancy.h"
#include "gpu/state.h"

struct gpu *gpu_create(const struct config *config, const struct gpu_options *options, struct status *status)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) {
        status_fail(status, STATUS_MEMORY, "out of memory");
        return NULL;
    }
    gpu->config = *config;
    gpu->config_hash = config_hash(config);
    gpu->options = *options;
    uint64_t bytes = (uint64_t)(config->gpu.memory * 1024 * 1024 * 1024) / MEMORY_GRANULE * MEMORY_GRANULE;
    gpu->memory = options->visible_memory ? memory_create_visible(bytes, status) : memory_create(bytes, status);
    if (!gpu->memory) {
        free(gpu);
        return NULL;
    }
    if (options->check && options->check->checks & CHECK_SET(INIT) && !memory_watch(gpu->memory)) {
        status_fail(status, STATUS_MEMORY, "the host has no addresses for the record of written bytes");
        gpu_destroy(gpu);
        return NULL;
    }
    return gpu;
}

void gpu_destroy(struct gpu *gpu)
{
    gpu_reset_timed(gpu);
    while (gpu->modules) {
        struct gpu_module *m = gpu->modules;
        gpu->modules = m->next;
        exec_module_unload(&m->module);
        free(m);
    }
    memory_destroy(gpu->memory);
    repeats_free(&gpu->repeats);
    free(gpu);
}

const struct config *gpu_config(const struct gpu *gpu) { return &gpu->config; }
struct memory *gpu_memory(struct gpu *gpu) { return gpu->memory; }

void gpu_set_trace(struct gpu *gpu, struct trace_writer *trace) { gpu->options.trace = trace; }

bool gpu_trace_copy(struct gpu *gpu, uint64_t address, uint64_t bytes, uint64_t stream, struct status *status)
{
    const struct trace_copy copy = {.address = address, .bytes = bytes, .stream = stream};
    return !gpu->options.trace || trace_writer_copy(gpu->options.trace, &copy, status);
}

bool gpu_fits(const struct gpu *gpu, unsigned sm)
{
    unsigned device = gpu->config.gpu.architecture;
    return sm / 10 == device / 10 && sm <= device;
}

bool gpu_check_fit(const struct gpu *gpu, const char *path, unsigned sm, struct status *status)
{
    return gpu_fits(gpu, sm) ||
           status_fail(status, STATUS_USAGE, "%s is for sm_%u and does not run on %s, which is sm_%u", path, sm,
                       gpu->config.gpu.name, gpu->config.gpu.architecture);
}

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
    if (!gpu->options.functional && !gpu_check_fit(gpu, path, m->module.sm, status)) {
        exec_module_unload(&m->module);
        free(m);
        return NULL;
    }
    m->next = gpu->modules;
    gpu->modules = m;
    return &m->module;
}

void gpu_unload(struct gpu *gpu, struct exec_module *module)
{
    for (struct gpu_module **link = &gpu->modules; *link; link = &(*link)->next) {
        struct gpu_module *m = *link;
        if (&m->module != module)
            continue;
        *link = m->next;
        exec_module_unload(&m->module);
        free(m);
        return;
    }
}

const struct exec_fault_report *gpu_fault(const struct gpu *gpu) { return &gpu->fault; }

void gpu_fill_facts(const struct gpu *gpu, struct kernel_result *r)
{
    const struct config *c = &gpu->config;
    snprintf(r->gpu, sizeof r->gpu, "%s", c->gpu.name);
    r->architecture = c->gpu.architecture;
    r->sms = c->gpu.sms;
    r->clock_mhz = c->gpu.clock;
    r->dram_peak_gbs = c->dram.bandwidth;
    r->config_hash = gpu->config_hash;
    r->threads = gpu->options.threads;
}

bool gpu_ready_timed(struct gpu *gpu, struct status *status)
{
    if (!gpu->timed_ready) {
        gpu->timed_ready =
            timed_init(&gpu->timed, &gpu->config, gpu->options.trace_timed ? 1 : gpu->options.threads, status);
        gpu->timed.numbered = gpu->numbered;
    }
    gpu->timed.past = gpu->past;
    return gpu->timed_ready;
}

uint64_t gpu_unwritten_sectors(const struct gpu *gpu)
{
    return gpu->timed_ready ? mem_dirty_sectors(gpu->timed.mem) : 0;
}

void gpu_reset_timed(struct gpu *gpu)
{
    if (gpu->timed_ready) {
        gpu->numbered = gpu->timed.numbered;
        timed_free(&gpu->timed);
    }
    if (gpu->exec_machine_ready)
        exec_machine_free(&gpu->exec_machine);
    gpu->timed_ready = gpu->exec_machine_ready = false;
}

double gpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void gpu_prefer_shared(const struct gpu *gpu, uint32_t bytes, struct occupancy *occupancy)
{
    const struct config *config = &gpu->config;
    uint32_t preferred = occupancy_carveout(config, bytes < config->sm.shared ? bytes : config->sm.shared);
    if (bytes > 0 && preferred > occupancy->carveout)
        occupancy->carveout = preferred;
}

bool gpu_begin_hazards(struct gpu *gpu, const struct hazard_launch *launch, struct status *status)
{
    return !gpu->options.hazards || hazards_begin(gpu->options.hazards, launch) ||
           status_fail(status, STATUS_MEMORY, "out of memory for --check-hazards");
}

bool gpu_end_hazards(struct gpu *gpu, bool ok, struct status *status)
{
    if (!gpu->options.hazards)
        return ok;
    hazards_end(gpu->options.hazards);
    if (gpu->options.hazards->failed)
        return status_fail(status, STATUS_MEMORY, "out of memory for --check-hazards");
    return ok;
}

bool gpu_check_cooperative(const struct gpu *gpu, const char *kernel, uint64_t ctas, const struct occupancy *occupancy,
                           struct status *status)
{
    uint64_t most = occupancy_resident(&gpu->config, occupancy->ctas_per_sm, 1);
    return ctas <= most ||
           status_fail(status, STATUS_USAGE,
                       "%s: the cooperative grid has %" PRIu64 " CTAs; %s can hold at most %" PRIu64 " at once", kernel,
                       ctas, gpu->config.gpu.name, most);
}

void gpu_name_fault(struct gpu *gpu, const char *kernel, const struct status *status)
{
    struct exec_fault_report *fault = &gpu->fault;
    if (fault->kind == EXEC_FAULT_NONE && status->code == STATUS_DEADLOCK) {
        *fault = (struct exec_fault_report){.kind = EXEC_FAULT_DEADLOCK, .lane = EXEC_LANES};
        snprintf(fault->text, sizeof fault->text, "%s", status->text);
    }
    if (fault->kind != EXEC_FAULT_NONE && !fault->kernel[0])
        snprintf(fault->kernel, sizeof fault->kernel, "%s", kernel);
}
