#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/code.h"
#include "experiment/experiment.h"
#include "experiment/judge.h"
#include "experiment/timeline.h"
#include "isa/contract.h"

enum { DATA_BYTES = 1 << 20 };

struct runner {
    struct experiment_run *run;
    const struct experiment *e;
    const struct config *config;
    struct judge judge;
    struct gpu *gpu;
    struct timeline timeline;
    struct exec_module *module;
    uint64_t out, data; /* device addresses */
    struct status *status;
};

/* ---- one row ----------------------------------------------------------------------------------------------------- */

static bool launch(struct runner *r, unsigned row, struct stored *stored, struct kernel_result *result)
{
    char kernel[EXPERIMENT_TEXT];
    uint64_t parameters[2] = {r->out, r->data};
    struct gpu_launch launch = {
        .module = r->module,
        .kernel = kernel,
        .grid = {1, 1, 1},
        .block = {stored->warps * ISA_LANES, 1, 1},
        .parameters = parameters,
        .parameter_bytes = sizeof parameters,
    };
    experiment_kernel(kernel, row);
    timeline_clear(&r->timeline);
    return gpu_launch(r->gpu, &launch, result, r->status) &&
           (memory_read(gpu_memory(r->gpu), stored->word, r->out, sizeof stored->word) ||
            status_fail(r->status, STATUS_MEMORY, "the results of experiment %s cannot be read", r->e->name));
}

static bool run_row(struct runner *r, unsigned row)
{
    struct experiment_row *out = &r->run->row[row];
    struct kernel_result result;
    struct stored stored = {.e = r->e, .timeline = &r->timeline, .counters = &result.sm};
    if (!code_warps(r->e, row, r->config->gpu.architecture, &stored.warps, r->status) ||
        !launch(r, row, &stored, &result) || !judge_row(&r->judge, row, &stored, out, r->status))
        return false;
    r->run->ok += out->verdict == VERDICT_OK;
    r->run->missed += out->verdict == VERDICT_MISS;
    r->run->open += out->verdict == VERDICT_OPEN;
    r->run->unjudged += out->verdict == VERDICT_NONE;
    return true;
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

bool experiment_record_is(const struct experiment_record *record, const struct experiment *e, unsigned row)
{
    return record->row == row && strcmp(record->experiment, e->name) == 0;
}

static bool prepare(struct runner *r, const struct gpu_options *options, const struct sm_observer *observer)
{
    struct gpu_options own = *options;
    own.observer = observer;
    own.functional = false;
    own.strict_hazards = r->e->hazards && strcmp(r->e->hazards, "strict") == 0;
    r->gpu = gpu_create(r->config, &own, r->status);
    if (!r->gpu)
        return false;
    struct memory *memory = gpu_memory(r->gpu);
    r->out = memory_alloc(memory, EXPERIMENT_WARPS * EXPERIMENT_STORES * sizeof(uint32_t));
    r->data = memory_alloc(memory, DATA_BYTES);
    if (!r->out || !r->data)
        return status_fail(r->status, STATUS_MEMORY, "no device memory for an experiment");
    r->module = gpu_load(r->gpu, (struct cubin_bytes){r->run->cubin, r->run->cubin_bytes}, r->e->name, r->status);
    return r->module != NULL;
}

bool experiment_run(struct experiment_run *run, const struct experiment *e, unsigned from, unsigned to,
                    const struct experiment_site *site, struct status *status)
{
    const struct config *config = site->config;
    unsigned arch = config->gpu.architecture;
    struct experiment_code code = {0};
    *run = (struct experiment_run){.experiment = e, .from = from, .to = to, .hardware = site->hardware != NULL};
    struct runner r = {
        .run = run, .e = e, .config = config, .judge = {e, site->name, site->hardware}, .status = status};
    run->row = calloc(e->rows, sizeof *run->row);
    if (!run->row)
        return status_fail(status, STATUS_MEMORY, "no memory for the rows of an experiment");
    bool ok = code_suits(e, arch, status) && code_assemble(e, from, to, arch, &code, status);
    run->cubin = code.cubin;
    run->cubin_bytes = code.bytes;
    if (!ok || !timeline_init(&r.timeline, status))
        return false;
    struct sm_observer observer = timeline_observer(&r.timeline);
    ok = prepare(&r, &site->options, &observer);
    for (unsigned row = from; ok && row < to; row++)
        ok = run_row(&r, row);
    if (r.gpu)
        gpu_destroy(r.gpu);
    timeline_free(&r.timeline);
    return ok;
}

void experiment_run_free(struct experiment_run *run)
{
    free(run->cubin);
    free(run->row);
    run->cubin = NULL;
    run->row = NULL;
}
