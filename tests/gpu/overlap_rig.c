#include "overlap_rig.h"

#include "base/file.h"

void overlap_begin(struct overlap_rig *r, unsigned threads, const char *setting)
{
    char path[4096];
    struct file_bytes file;
    const struct gpu_options options = {.threads = threads};
    memset(r, 0, sizeof *r);
    assert_true(config_load(&r->config, "h200", &r->status));
    assert_true(config_set(&r->config, "gpu.memory=2", &r->status));
    if (setting && !config_set(&r->config, setting, &r->status))
        fail_msg("%s", r->status.text);
    r->gpu = gpu_create(&r->config, &options, &r->status);
    assert_non_null(r->gpu);
    assert_true(file_read(unit_path(path, "tests/gpu/cubin/overlap.sm_90.cubin"), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, "overlap", &r->status);
    assert_non_null(r->module);
    file_free(&file);
    for (int i = 0; i < LAUNCHES; i++)
        r->notes[i] = memory_alloc(gpu_memory(r->gpu), CTAS * sizeof(struct note));
    r->cells = memory_alloc(gpu_memory(r->gpu), 2 * CELLS * 4);
}

void overlap_end(struct overlap_rig *r) { gpu_destroy(r->gpu); }

static struct gpu_launch launch_of(struct overlap_rig *r, int i)
{
    struct wish *w = &r->wish[i];
    r->arguments[i].notes = r->notes[i];
    r->arguments[i].cells = r->cells + (w->own ? 4u * CELLS : 0);
    r->arguments[i].steps = w->steps;
    return (struct gpu_launch){.module = r->module,
                               .kernel = w->kernel,
                               .grid = {w->ctas, 1, 1},
                               .block = {w->threads, 1, 1},
                               .dynamic_shared_bytes = w->shared,
                               .parameters = &r->arguments[i],
                               .parameter_bytes = 20,
                               .mode = GPU_MODE_DETAILED};
}

static bool may_begin(const struct overlap_rig *r, const struct wish *w, uint64_t *cycle)
{
    *cycle = w->cycle;
    if (w->after < 0)
        return true;
    const struct wish *before = &r->wish[w->after];
    uint64_t from = w->programmatic ? before->preexit_cycle : before->end_cycle;
    *cycle = from > *cycle ? from : *cycle;
    return w->programmatic ? before->preexited : before->ended;
}

static bool next(void *self, uint64_t now, struct gpu_overlap *out, uint64_t *again, struct status *status)
{
    struct overlap_rig *r = self;
    (void)status;
    for (int i = 0; i < r->count; i++) {
        struct wish *w = &r->wish[i];
        uint64_t cycle;
        if (w->launched || !may_begin(r, w, &cycle))
            continue;
        if (cycle > now) {
            *again = cycle < *again ? cycle : *again;
            continue;
        }
        w->launched = true;
        w->waits = w->programmatic && !r->wish[w->after].ended;
        *out = (struct gpu_overlap){.tag = w,
                                    .launch = launch_of(r, i),
                                    .cycle = cycle,
                                    .priority = w->priority,
                                    .dependent = w->programmatic,
                                    .waits = w->waits};
        return true;
    }
    return true;
}

static void preexited(void *self, void *tag, uint64_t cycle)
{
    struct wish *w = tag;
    (void)self;
    assert_false(w->preexited || w->ended);
    w->preexited = true;
    w->preexit_cycle = cycle;
}

static bool ended(void *self, void *tag, const struct kernel_result *result, uint64_t cycle,
                  const struct status *status)
{
    struct overlap_rig *r = self;
    struct wish *w = tag;
    w->ended = true;
    w->end_cycle = cycle;
    w->result = *result;
    for (int i = 0; i < r->count; i++)
        if (r->wish[i].launched && r->wish[i].after == w - r->wish)
            gpu_acquire(r->gpu, &r->wish[i]);
    return status->code == STATUS_OK;
}

static void take_notes(struct overlap_rig *r)
{
    for (int i = 0; i < r->count; i++) {
        free(r->wish[i].note);
        r->wish[i].note = malloc(CTAS * sizeof(struct note));
        memcpy(r->wish[i].note, memory_at(gpu_memory(r->gpu), r->notes[i]), CTAS * sizeof(struct note));
    }
}

void overlap_run(struct overlap_rig *r, struct wish *wish, int count)
{
    r->wish = wish;
    r->count = count;
    memset(memory_at(gpu_memory(r->gpu), r->cells), 0, 8u * CELLS);
    for (int i = 0; i < count; i++)
        wish[i].launched = wish[i].ended = wish[i].preexited = false;
    const struct gpu_overlaps overlaps = {r, next, preexited, ended};
    for (bool again = true; again;) {
        if (!gpu_launch_all(r->gpu, &overlaps, &r->status))
            fail_msg("%s", r->status.text);
        again = false;
        for (int i = 0; i < count; i++)
            again |= !wish[i].launched;
        for (int i = 0; i < count && again; i++)
            wish[i].end_cycle = 0; /* cycles begin anew */
    }
    for (int i = 0; i < count; i++)
        assert_true(wish[i].ended && wish[i].result.complete);
    take_notes(r);
}

void overlap_forget(struct wish *wish, int count)
{
    for (int i = 0; i < count; i++)
        free(wish[i].note);
}

struct kernel_result overlap_alone(struct overlap_rig *r, struct wish *wish)
{
    struct kernel_result result;
    r->wish = wish;
    const struct gpu_launch launch = launch_of(r, 0);
    if (!gpu_launch(r->gpu, &launch, &result, &r->status))
        fail_msg("%s", r->status.text);
    return result;
}
