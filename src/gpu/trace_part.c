#include "gpu/trace_part.h"

#include "gpu/gpu.h"
#include "gpu/timed.h"

static void show(const struct trace_machine *r, struct trace_cursor *cursor, uint64_t cta, uint32_t warp,
                 struct warming *warming)
{
    struct issued issued;
    struct status lost = {0}; /* the whole parts of a damaged stream count */
    if (!trace_cursor_seek(cursor, cta, warp, &lost))
        return;
    while (trace_cursor_next(cursor, &issued, &lost)) {
        issued.deferred = false;
        if (issued.pc / 16 < r->launch->code_count)
            warming_see(warming, &r->launch->code[issued.pc / 16].isa, &issued, cta);
    }
}

bool trace_part(void *machine, const struct timed *t, uint64_t first, uint64_t end, struct warming *warming,
                const struct gpu_options *options, struct kernel_result *result, struct status *status)
{
    const struct trace_machine *r = machine;
    struct trace_cursor *cursor = warming ? trace_cursor_create(r->kernel) : NULL;
    bool stopped = false;
    if (warming && !cursor)
        return status_fail(status, STATUS_MEMORY, "%s: out of memory for a stream", r->launch->name);
    for (uint64_t index = first; index < end && !stopped; index++) {
        uint64_t order = t->hybrid.on ? share_number(&t->hybrid.share, index) : index;
        uint64_t cta = r->cta ? r->cta[order] : trace_launch_cta(r->launch, order);
        for (uint32_t warp = 0; warp < r->warps_per_cta; warp++) {
            result->rest_instructions += trace_kernel_instructions(r->kernel, cta, warp);
            if (warming)
                show(r, cursor, cta, warp, warming);
        }
        stopped = options->stop && *options->stop;
    }
    if (cursor)
        trace_cursor_destroy(cursor);
    return !stopped || status_fail(status, STATUS_INTERRUPTED, "kernel %.200s: stopped", r->launch->name);
}
