/* Timed launches of kernels from a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/occupancy.h"
#include "gpu/state.h"

static bool check_dimensions(const struct trace_launch *l, struct status *status)
{
    enum { MOST = 1024 };
    uint64_t threads = 1, ctas = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!l->block[i] || l->block[i] > MOST || !l->grid[i] || l->grid[i] > INT32_MAX)
            return status_fail(status, STATUS_FORMAT,
                               "%s: a grid of %u x %u x %u CTAs of %u x %u x %u threads in the trace", l->name,
                               l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
        threads *= l->block[i];
        ctas = ctas > UINT32_MAX ? ctas : ctas * l->grid[i];
    }
    if (threads > MOST)
        return status_fail(status, STATUS_FORMAT, "%s: %" PRIu64 " threads a CTA in the trace", l->name, threads);
    if (l->code_count == 0)
        return status_fail(status, STATUS_FORMAT, "%s: the trace has no code", l->name);
    return true;
}

/* Control bits are those of an architecture; what a scoreboard keeps apart is not. */
static bool check_code(const struct gpu *gpu, const struct trace_launch *l, struct status *status)
{
    if (!l->control_bits || gpu->config.core.dependence == CONFIG_DEPENDENCE_SCOREBOARD ||
        gpu_fits(gpu, l->architecture))
        return true;
    return status_fail(
        status, STATUS_USAGE,
        "%s was traced with code for sm_%u, whose control bits %s, which is sm_%u, does not know: choose a "
        "GPU of that architecture with --gpu, or let a scoreboard handle dependences with --set "
        "core.dependence=scoreboard",
        l->name, l->architecture, gpu->config.gpu.name, gpu->config.gpu.architecture);
}

static void fill_facts(const struct gpu *gpu, const struct trace_launch *l, struct kernel_result *r)
{
    gpu_fill_facts(gpu, r);
    snprintf(r->kernel, sizeof r->kernel, "%s", l->name);
    r->code_architecture = l->architecture;
    memcpy(r->grid, l->grid, sizeof r->grid);
    memcpy(r->block, l->block, sizeof r->block);
    r->dynamic_shared = l->dynamic_shared;
    r->static_shared = l->static_shared;
    r->registers = l->registers;
    r->local_bytes = l->local_bytes;
    r->detailed = true;
    r->ctas = trace_launch_ctas(l);
}

static bool begin_hazards(struct gpu *gpu, const struct trace_launch *l, struct status *status)
{
    const struct hazard_launch launch = {
        .kernel = l->name,
        .architecture = l->architecture,
        .isa = &l->code[0].isa,
        .stride = sizeof l->code[0],
        .count = l->code_count,
        .sms = gpu->config.gpu.sms,
        .warps_per_cta = trace_launch_warps(l),
        .timed = true,
    };
    return gpu_begin_hazards(gpu, &launch, status);
}

static bool run(struct gpu *gpu, const struct trace_kernel *kernel, struct kernel_result *r, struct status *status)
{
    struct timed_launch launch;
    if (!gpu->replaying_ready)
        gpu->replaying_ready = replaying_init(&gpu->replaying, &gpu->config, status);
    if (!gpu->replaying_ready || !gpu_ready_timed(gpu, status) ||
        !replaying_begin(&gpu->replaying, kernel, gpu->options.passes_damage, &launch, status))
        return false;
    struct gpu_options options = gpu->options;
    options.limits = gpu_limits_left(gpu);
    r->ctas = launch.ctas;
    bool ok = timed_run(&gpu->timed, &launch, &r->occupancy, &options, r, status);
    gpu_limits_count(gpu, r);
    if (!ok || (r->stop != STOP_NONE && r->stop != STOP_CTAS))
        gpu_reset_timed(gpu);
    return ok;
}

/* Of a kernel that a limit has ended nothing is executed, but the trace knows what is left. */
static void count_rest(const struct trace_kernel *kernel, struct kernel_result *r)
{
    struct trace_summary summary;
    trace_kernel_summary(kernel, &summary);
    if (r->stop == STOP_NONE || summary.instructions < r->warp_instructions)
        return;
    r->rest_instructions = summary.instructions - r->warp_instructions;
    early_estimate(r);
}

bool gpu_replay(struct gpu *gpu, const struct trace_kernel *kernel, struct kernel_result *result, struct status *status)
{
    const struct trace_launch *l = trace_kernel_launch(kernel);
    memset(result, 0, sizeof *result);
    gpu->fault = (struct exec_fault_report){0};
    if (gpu->options.lines)
        line_profile_free(gpu->options.lines);
    if (!check_dimensions(l, status) || !check_code(gpu, l, status))
        return false;
    fill_facts(gpu, l, result);
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    if (!gpu_occupancy(&gpu->config, l->registers, threads, l->static_shared + l->dynamic_shared, &result->occupancy,
                       status) ||
        (l->cooperative && !gpu_check_cooperative(gpu, l->name, result->ctas, &result->occupancy, status)))
        return false;
    gpu_prefer_shared(gpu, l->shared_preferred, &result->occupancy);
    if (!begin_hazards(gpu, l, status))
        return false;
    double begin = gpu_seconds();
    bool ok = run(gpu, kernel, result, status);
    result->host_seconds = gpu_seconds() - begin;
    if (ok)
        count_rest(kernel, result);
    else
        gpu_name_fault(gpu, l->name, status);
    return gpu_end_hazards(gpu, ok, status);
}

uint64_t gpu_replay_damage(const struct gpu *gpu, struct status *first)
{
    *first = (struct status){0};
    return gpu->replaying_ready ? replaying_damaged(&gpu->replaying, first) : 0;
}
