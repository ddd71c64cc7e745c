#include "gpu/trace_part.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "gpu/timed.h"

/* Returns which instructions of the code can have accesses that are shown; NULL: no memory. */
static bool *regarded(const struct trace_launch *launch)
{
    bool *regards = calloc(launch->code_count + 1u, sizeof *regards);
    for (uint32_t i = 0; regards && i < launch->code_count; i++)
        regards[i] = warming_regards(&launch->code[i].isa);
    return regards;
}

/* Shows the accesses of a warp. Returns its instructions: of a damaged stream those before the damage. */
static uint64_t show(const struct trace_machine *r, struct trace_cursor *cursor, uint64_t cta, uint32_t warp,
                     const bool *regards, struct warming *warming)
{
    struct issued issued;
    struct trace_folded folded;
    struct status lost = {0};
    uint64_t instructions = 0;
    if (!trace_cursor_seek(cursor, cta, warp, &lost))
        return 0;
    for (;;) {
        instructions += trace_cursor_skip(cursor);
        if (!trace_cursor_next_folded(cursor, &issued, &folded, &lost))
            break;
        instructions++;
        const struct isa_inst *inst = &r->launch->code[issued.pc / 16].isa;
        if (folded.offset)
            warming_see_folded(warming, inst, &issued, &folded, cta);
        else if (regards[issued.pc / 16])
            warming_see(warming, inst, &issued, cta);
    }
    warming_count(warming, cta, instructions);
    return instructions;
}

static uint64_t cta_of(const struct trace_machine *r, const struct timed *t, uint64_t index)
{
    uint64_t order = t->hybrid.on ? share_number(&t->hybrid.share, index) : index;
    return r->cta ? r->cta[order] : trace_launch_cta(r->launch, order);
}

static bool fail_stopped(const struct trace_machine *r, struct status *status)
{
    return status_fail(status, STATUS_INTERRUPTED, "kernel %.200s: stopped", r->launch->name);
}

/* Returns the end of the CTAs from `first` on that are in the order of the grid or, in whole waves of a hybrid launch,
 * are at least the same ones. Behind `first` itself: it is looked up. */
static uint64_t rows_of(const struct trace_machine *r, const struct timed *t, uint64_t first, uint64_t end)
{
    uint64_t wave = (uint64_t)t->hybrid.share.sms * t->hybrid.share.slots;
    if (r->cta || trace_launch_group(r->launch) > 1)
        return first + 1;
    if (!t->hybrid.on)
        return end;
    return first % wave == 0 && end >= first + wave ? first + (end - first) / wave * wave : first + 1;
}

/* Counts the instructions of CTAs that are left out. */
static bool leave_out(const struct trace_machine *r, const struct timed *t, uint64_t first, uint64_t end,
                      const struct gpu_options *options, struct kernel_result *result, struct status *status)
{
    for (uint64_t index = first, behind; index < end; index = behind) {
        behind = rows_of(r, t, index, end);
        uint64_t cta = behind > index + 1 ? index : cta_of(r, t, index);
        result->rest_instructions += trace_kernel_instructions_of(r->kernel, cta, cta + (behind - index - 1));
        if (options->stop && *options->stop)
            return fail_stopped(r, status);
    }
    return true;
}

bool trace_part(void *machine, const struct timed *t, uint64_t first, uint64_t end, struct warming *warming,
                const struct gpu_options *options, struct kernel_result *result, struct status *status)
{
    const struct trace_machine *r = machine;
    if (!warming)
        return leave_out(r, t, first, end, options, result, status);
    struct trace_cursor *cursor = trace_cursor_create(r->kernel);
    bool *regards = regarded(r->launch), stopped = false;
    bool ok = cursor && regards;
    for (uint64_t index = first; ok && index < end && !stopped; index++) {
        uint64_t cta = cta_of(r, t, index);
        for (uint32_t warp = 0; warp < r->warps_per_cta; warp++)
            result->rest_instructions += show(r, cursor, cta, warp, regards, warming);
        stopped = options->stop && *options->stop;
    }
    trace_cursor_destroy(cursor);
    free(regards);
    if (!ok)
        return status_fail(status, STATUS_MEMORY, "%s: out of memory for a stream", r->launch->name);
    return !stopped || fail_stopped(r, status);
}
