/* Launches that are executed and timed beside each other. */
#include <stdlib.h>
#include <string.h>

#include "exec/memory/window.h"
#include "gpu/state.h"

/* A launch in flight. */
struct overlap {
    struct overlap *next;
    void *tag;
    struct exec_launch exec;
    struct exec_grid grid;
    struct timed_launch timed;
    struct kernel_result result;
};

struct overlaps {
    struct gpu *gpu;
    const struct gpu_overlaps *feed;
    struct overlap *first; /* in no order */
    uint64_t start_ns;     /* of cycle 0 */
    uint64_t again, end;
    bool begun;
    double since; /* wall clock of the last end */
};

bool gpu_can_overlap(const struct gpu *gpu)
{
    const struct gpu_options *o = &gpu->options;
    return !o->hazards && !o->strict_hazards && !o->lines && !o->observer && !o->trace && !o->pause.begun &&
           !o->pause.save && !plan_alone(o->plan);
}

static void forget(struct overlaps *all, struct overlap *o)
{
    struct overlap **link = &all->first;
    while (*link != o)
        link = &(*link)->next;
    *link = o->next;
    free(o);
}

/* Tells of it and forgets it. */
static bool end(struct overlaps *all, struct overlap *o, uint64_t cycle, struct status *status)
{
    struct gpu *gpu = all->gpu;
    double now = gpu_seconds();
    bool failed = status->code != STATUS_OK;
    o->result.host_seconds = now - all->since;
    all->since = now;
    if (failed)
        gpu_name_fault(gpu, o->result.kernel, status);
    bool goes_on = all->feed->ended(all->feed->self, o->tag, &o->result, cycle, status) && !failed;
    forget(all, o);
    return goes_on;
}

static bool prepare(struct overlaps *all, struct overlap *o, const struct gpu_overlap *what, struct status *status)
{
    struct gpu_launch launch = what->launch;
    if (!all->begun)
        all->start_ns = launch.start_ns;
    all->begun = true;
    launch.start_ns = all->start_ns;
    if (!gpu_prepare_shared(all->gpu, &launch, &o->exec, &o->result, status))
        return false;
    exec_machine_add(&all->gpu->exec_machine, &o->exec, &o->grid, &o->timed);
    return true;
}

static bool next(void *self, uint64_t now, struct kernel_start *out, struct status *status)
{
    struct overlaps *all = self;
    struct gpu_overlap what = {0};
    all->again = UINT64_MAX;
    if (!all->feed->next(all->feed->self, now, &what, &all->again, status))
        return false;
    if (!what.tag)
        return true;
    struct overlap *o = calloc(1, sizeof *o);
    if (!o)
        return status_fail(status, STATUS_MEMORY, "out of memory for a launch");
    o->tag = what.tag;
    o->next = all->first;
    all->first = o;
    if (!prepare(all, o, &what, status))
        return end(all, o, now, status);
    *out = (struct kernel_start){.launch = &o->timed,
                                 .occupancy = &o->result.occupancy,
                                 .result = &o->result,
                                 .cycle = what.cycle,
                                 .waits = what.waits,
                                 .priority = what.priority,
                                 .latency = what.dependent ? all->gpu->config.launch.dependent_latency : 0};
    return true;
}

static uint64_t again(void *self) { return ((const struct overlaps *)self)->again; }

static struct overlap *of_run(const struct kernel_run *k)
{
    return (struct overlap *)((char *)k->result - offsetof(struct overlap, result));
}

static void preexited(void *self, const struct kernel_run *k, uint64_t cycle)
{
    const struct overlaps *all = self;
    all->feed->preexited(all->feed->self, of_run(k)->tag, cycle);
}

static bool ended(void *self, const struct kernel_run *k, uint64_t cycle, struct status *status)
{
    struct overlaps *all = self;
    struct overlap *o = of_run(k);
    struct gpu *gpu = all->gpu;
    all->end = all->end > cycle ? all->end : cycle;
    gpu->past.instructions += o->result.warp_instructions;
    gpu->fault = exec_machine_fault(&gpu->exec_machine);
    gpu_end_shared(gpu, &o->exec);
    memory_windows_flush(gpu->memory);
    return end(all, o, cycle, status);
}

void gpu_acquire(struct gpu *gpu, const void *tag)
{
    for (struct kernel_run *k = gpu->timed.kernels; k; k = k->next)
        if (!k->ended && of_run(k)->tag == tag)
            kernel_run_acquire(&gpu->timed, k);
}

static bool make_space(struct timed *t, struct status *status)
{
    enum { PLACES = 1 << 19 };
    return t->code.code || code_space_init(&t->code, PLACES) ||
           status_fail(status, STATUS_MEMORY, "out of memory for the code of launches that overlap");
}

bool gpu_launch_all(struct gpu *gpu, const struct gpu_overlaps *feed, struct status *status)
{
    struct overlaps all = {.gpu = gpu, .feed = feed, .since = gpu_seconds()};
    gpu->fault = (struct exec_fault_report){0};
    if (!gpu->exec_machine_ready)
        gpu->exec_machine_ready = exec_machine_init(&gpu->exec_machine, &gpu->config, gpu->memory, status);
    if (!gpu->exec_machine_ready || !gpu_ready_timed(gpu, status) || !make_space(&gpu->timed, status))
        return false;
    exec_machine_begin_shared(&gpu->exec_machine);
    gpu->timed.shares = true;
    bool ok = timed_run(&gpu->timed, &(struct timed_feed){&all, next, again, preexited, ended}, &gpu->options, status);
    gpu->timed.shares = false;
    gpu->past.cycles += all.end;
    while (all.first) { /* it could not begin */
        gpu_end_shared(gpu, &all.first->exec);
        end(&all, all.first, all.end, status);
    }
    if (!ok)
        gpu_reset_timed(gpu);
    return ok;
}
