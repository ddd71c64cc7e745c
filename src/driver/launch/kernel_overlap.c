/* Kernels that run beside each other, on the executor thread: their simulated seconds are cycles of one run. */
#include <math.h>
#include <string.h>

#include "driver/launch/kernel_execute.h"
#include "driver/launch/launches.h"
#include "driver/module/module.h"
#include "driver/state/context.h"

struct overlap_run {
    struct together *together;
    struct gpu *gpu;
    double hz;
    bool explained; /* the reason that has ended all kernels in flight */
};

bool kernel_overlaps(const struct driver *driver, const struct CUctx_st *context, const struct command *command,
                     const struct range_place *place)
{
    const struct settings *s = &driver->settings;
    const struct kernel_command *kernel = &command->kernel;
    bool asked = place->choice == BLOCK_AS_ASKED, untimed = s->functional || *s->nvtx;
    bool timed = asked ? !untimed : place->choice == BLOCK_TIMED;
    bool alone = s->serial_streams || s->trace || *s->kernels || *s->fast_forward || s->partial;
    return timed && !alone && (context->streams != NULL || kernel->programmatic || kernel->preexits);
}

static double time_of(const struct overlap_run *r, uint64_t cycle)
{
    return r->together->begin + (double)cycle / r->hz;
}

static uint64_t cycle_of(const struct overlap_run *r, double time)
{
    double cycles = (time - r->together->begin) * r->hz;
    return cycles > 0 ? (uint64_t)llround(cycles) : 0;
}

/* An execution whose module is gone has failed. The next may begin. */
static bool next(void *self, uint64_t cycle, struct gpu_overlap *out, uint64_t *again, struct status *status)
{
    struct overlap_run *r = self;
    struct together *together = r->together;
    double until;
    (void)status;
    for (;;) {
        struct execution *e = together->next(together->self, time_of(r, cycle) + 0.5 / r->hz, &until);
        *again = isinf(until) ? UINT64_MAX : cycle_of(r, until);
        if (!e)
            return true;
        if (!kernel_describe(e, &out->launch)) {
            together->ended(together->self, e, e->begin, CUDA_ERROR_INVALID_HANDLE);
            continue;
        }
        out->launch.start_ns = (uint64_t)(together->begin * 1e9);
        out->tag = e;
        out->cycle = cycle_of(r, e->begin);
        out->priority = e->priority;
        out->dependent = e->dependent;
        out->waits = e->waits;
        return true;
    }
}

static void preexited(void *self, void *tag, uint64_t cycle)
{
    const struct overlap_run *r = self;
    r->together->released(r->together->self, tag, time_of(r, cycle));
}

/* One of the kernels in flight has the fault, all of which it ends. */
static bool is_other(const struct overlap_run *r, const char *kernel)
{
    const struct exec_fault_report *fault = gpu_fault(r->gpu);
    return r->explained || (fault->kind != EXEC_FAULT_NONE && fault->kernel[0] && strcmp(fault->kernel, kernel) != 0);
}

static bool ended(void *self, void *tag, const struct kernel_result *result, uint64_t cycle,
                  const struct status *status)
{
    struct overlap_run *r = self;
    struct execution *e = tag;
    const struct driver *driver = e->driver;
    double begin = time_of(r, result->begin_cycle), end = time_of(r, cycle);
    bool stopped = status->code != STATUS_OK && driver->device.stop; /* no caller remains to receive the error */
    const char *kernel = e->command->kernel.function->cubin->name;
    bool other = is_other(r, kernel);
    CUresult error = stopped ? CUDA_ERROR_LAUNCH_FAILED : kernel_over(e, kernel, begin, end, result, status, other);
    r->explained |= !other && error != CUDA_SUCCESS;
    r->together->ended(r->together->self, e, end, error);
    return error == CUDA_SUCCESS;
}

static void acquire(void *runner, struct execution *execution)
{
    const struct overlap_run *r = runner;
    gpu_acquire(r->gpu, execution);
}

void kernels_run(struct together *together)
{
    struct driver *driver = together->driver;
    struct overlap_run r = {
        .together = together, .gpu = driver->device.gpu, .hz = driver->device.config.gpu.clock * 1e6};
    const struct gpu_overlaps overlaps = {&r, next, preexited, ended};
    struct status status = {0};
    together->runner = &r;
    together->acquire = acquire;
    launches_get(driver);
    progress_start(&driver->device.progress, "kernels of several streams");
    process_schedule_enter(&driver->device.schedule);
    gpu_launch_all(r.gpu, &overlaps, &status);
    process_schedule_leave(&driver->device.schedule);
    progress_end(&driver->device.progress);
}
