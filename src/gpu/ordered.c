#include "gpu/ordered.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "exec/run.h"
#include "gpu/state.h"

bool ordered_run_fits(const struct gpu *gpu, const struct exec_launch *launch)
{
    const struct gpu_options *o = &gpu->options;
    const struct config *c = &gpu->config;
    bool observed = o->hazards || o->observer || o->strict_hazards || o->pause.begun || o->pause.save || o->schedule ||
                    o->places || launch->watch;
    bool plain = launch->cta_group == 1 && !launch->cooperative && launch->cta_count > 1 && c->gpu.sms > 1;
    return plan_has(o->plan, "hybrid") && plain && !observed && c->core.model != CONFIG_CORE_LEGACY &&
           c->launch.cta_order == CONFIG_CTA_ORDER_GRID && exec_kernel_order(launch->kernel) == EXEC_ORDERED;
}

static void issued(void *self, const struct exec_warp *warp, const struct issued *out)
{
    record_issued(self, warp->slot, warp, out);
}

/* The first pass. */
static bool execute(struct gpu *gpu, struct exec_launch *launch, const struct record_facts *facts,
                    struct trace_writer *writer, struct exec_totals *totals, struct status *status)
{
    struct record record;
    struct status own = {0};
    const struct exec_watch watch = {&record, issued, NULL};
    if (!record_begin(&record, writer, launch, facts, status))
        return false;
    launch->watch = &watch;
    bool ok = gpu_execute(gpu, launch, totals, status);
    launch->watch = NULL;
    gpu->fault = totals->fault;
    bool recorded = record_end(&record, ok, &own);
    if (ok && !recorded)
        *status = own;
    return ok && recorded;
}

/* The results of the replay. The launch has facts that a trace does not know. */
static void take(struct kernel_result *r, struct kernel_result *replayed)
{
    memcpy(replayed->kernel, r->kernel, sizeof r->kernel);
    memcpy(replayed->module, r->module, sizeof r->module);
    replayed->likeness = r->likeness;
    replayed->rest_executed = replayed->stop != STOP_NONE;
    *r = *replayed;
}

/* The second pass. */
static bool replay(struct gpu *gpu, const char *path, struct kernel_result *r, struct status *status)
{
    struct kernel_result replayed = {0};
    struct trace_file *file = trace_open(path, status);
    struct trace_kernel *kernel = file ? trace_kernel_open(file, 0, status) : NULL;
    bool ok = kernel && gpu_replay(gpu, kernel, &replayed, status);
    if (ok)
        take(r, &replayed);
    if (kernel)
        trace_kernel_close(kernel);
    if (file)
        trace_close(file);
    return ok;
}

enum { PLAIN = 1 << 26 }; /* 64 MiB stay in the host's page cache */

static bool record(struct gpu *gpu, struct exec_launch *launch, const struct record_facts *facts, const char *path,
                   struct kernel_result *r, struct status *status)
{
    struct exec_totals totals = {0};
    struct trace_writer *writer = trace_writer_create(path, NULL, status);
    if (writer)
        trace_writer_keep_plain(writer, PLAIN);
    bool ok = writer && execute(gpu, launch, facts, writer, &totals, status) && trace_writer_finish(writer, status);
    trace_writer_destroy(writer);
    r->warp_instructions = totals.warp_instructions;
    r->thread_instructions = totals.thread_instructions;
    r->ctas_done = totals.ctas;
    return ok;
}

bool ordered_run(struct gpu *gpu, struct exec_launch *launch, const struct record_facts *facts, struct kernel_result *r,
                 struct status *status)
{
    char folder[FILE_FOLDER], path[FILE_FOLDER + 16];
    if (!file_temporary_make(folder, "hybrid", status))
        return false;
    snprintf(path, sizeof path, "%s/trace", folder);
    bool ok = record(gpu, launch, facts, path, r, status) && replay(gpu, path, r, status);
    file_temporary_remove(folder);
    return ok;
}
