/* Launches that are executed without time. */
#include "exec/run.h"
#include "gpu/state.h"

struct functional_progress {
    const struct gpu_options *options;
};

static void report_progress(void *context, uint64_t done, uint64_t total, uint64_t instructions)
{
    const struct gpu_options *o = ((struct functional_progress *)context)->options;
    o->progress(o->progress_context, done, total, 0, instructions);
}

bool gpu_execute(const struct gpu *gpu, struct exec_launch *launch, struct exec_totals *totals, struct status *status)
{
    struct functional_progress progress = {&gpu->options};
    const struct config *c = &gpu->config;
    uint64_t schedulers = (uint64_t)c->gpu.sms * c->sm.subcores, warps = launch->cta_count * launch->warps_per_cta;
    launch->timer_width = (uint32_t)(warps < schedulers ? warps : schedulers);
    launch->clock_hz = (uint64_t)(c->gpu.clock * 1e6);
    launch->spins = gpu->options.spins.tell ? &gpu->options.spins : NULL;
    return exec_run(launch, gpu->options.stop, gpu->options.progress ? report_progress : NULL, &progress, totals,
                    status);
}
