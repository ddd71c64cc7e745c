#include "accelsim/export.h"

#include <inttypes.h>

#include "accelsim/line.h"

#define COPY_MOST (UINT64_C(1) << 40) /* bytes */

struct export
{
    struct trace_file *trace;
    const struct accelsim_export *options;
    struct accelsim_writer *writer;
    struct trace_cursor *cursor;
    const struct trace_launch *launch;
    uint64_t done, all, damaged;
    struct status *status;
};

/* Instructions of a long stream between two looks at the signal to stop. */
enum { BETWEEN_POLLS = 1 << 16 };

static bool stopped(struct export *e)
{
    if (e->options->progress)
        e->options->progress(e->options->context, e->done, e->all);
    if (!e->options->stop || !*e->options->stop)
        return false;
    status_fail(e->status, STATUS_INTERRUPTED, "%.300s: stopped", trace_path(e->trace));
    return true;
}

/* The number of instructions stands before them: a warp is read twice. */
static bool count(struct export *e, uint64_t cta, uint32_t warp, uint64_t *instructions, uint32_t *exited)
{
    struct issued is;
    struct status damage = {0};
    *instructions = 0;
    *exited = 0;
    bool ok = trace_cursor_seek(e->cursor, cta, warp, &damage);
    while (ok && trace_cursor_next(e->cursor, &is, &damage)) {
        uint32_t at = is.pc / 16;
        /* Traps have the flag of exits too. */
        if (at < e->launch->code_count && e->launch->code[at].isa.op == ISA_OP_EXIT)
            *exited |= is.active;
        if (++*instructions % BETWEEN_POLLS == 0 && stopped(e))
            return false;
    }
    if (damage.code == STATUS_OK)
        return true;
    e->damaged++;
    return e->options->keep_going || status_fail(e->status, damage.code, "%s", damage.text);
}

static bool export_warp(struct export *e, uint64_t cta, uint32_t warp)
{
    struct issued is;
    struct status damage = {0};
    uint64_t instructions;
    uint32_t exited;
    if (!count(e, cta, warp, &instructions, &exited))
        return false;
    accelsim_writer_warp(e->writer, instructions, exited);
    bool ok = instructions == 0 || trace_cursor_seek(e->cursor, cta, warp, &damage);
    for (uint64_t i = 0; ok && i < instructions; i++) {
        ok = trace_cursor_next(e->cursor, &is, &damage);
        if (i % BETWEEN_POLLS == BETWEEN_POLLS - 1 && stopped(e))
            return false;
        if (ok)
            accelsim_writer_add(e->writer, &is);
    }
    e->done += instructions;
    return ok || status_fail(e->status, damage.code, "%s", damage.text);
}

static bool export_warps(struct export *e, const struct trace_kernel *kernel)
{
    uint32_t warps = trace_launch_warps(e->launch);
    uint64_t cta = trace_kernel_next_cta(kernel, 0);
    for (; cta != UINT64_MAX; cta = trace_kernel_next_cta(kernel, cta + 1)) {
        if (stopped(e))
            return false;
        for (uint32_t warp = 0; warp < warps; warp++)
            if (!export_warp(e, cta, warp))
                return false;
    }
    return true;
}

/* The format cannot leave out a CTA of a grid: those that are there make one of their own. */
static struct trace_launch present(const struct trace_kernel *kernel)
{
    struct trace_launch launch = *trace_kernel_launch(kernel);
    uint64_t ctas = 0, cta = trace_kernel_next_cta(kernel, 0);
    for (; cta != UINT64_MAX; cta = trace_kernel_next_cta(kernel, cta + 1))
        ctas++;
    if (ctas < trace_launch_ctas(&launch)) {
        launch.grid[0] = (uint32_t)ctas;
        launch.grid[1] = launch.grid[2] = 1;
    }
    return launch;
}

/* Refuses features that version 5, if it is asked for, cannot express, and clusters that are not whole. */
static bool check_kernel(struct export *e, const struct trace_launch *l, bool whole)
{
    bool five = e->options->format.version == 5 && e->options->format.packing != ACCELSIM_TRACEZ;
    if (trace_launch_group(l) > 1 && !whole)
        return status_fail(e->status, STATUS_UNSUPPORTED,
                           "%.200s: launched in clusters, of which the trace does not have all CTAs", l->name);
    if (trace_launch_group(l) > 1 && five)
        return status_fail(e->status, STATUS_UNSUPPORTED,
                           "%.200s: launched in clusters, which a trace of Accel-Sim's version 5 cannot have", l->name);
    for (uint32_t i = 0; i < l->code_count && five; i++)
        if (isa_op_info((enum isa_op)l->code[i].isa.op)->way == ISA_WAY_ENGINE)
            return status_fail(e->status, STATUS_UNSUPPORTED,
                               "%.200s: has bulk or tensor copies (%s), which a trace of Accel-Sim's version 5 cannot "
                               "have",
                               l->name, isa_op_info((enum isa_op)l->code[i].isa.op)->name);
    return true;
}

static bool export_kernel(struct export *e, uint32_t number)
{
    struct trace_kernel *kernel = trace_kernel_open(e->trace, number, e->status);
    if (!kernel)
        return false;
    struct trace_launch launch = present(kernel);
    if (!check_kernel(e, &launch, trace_launch_ctas(&launch) == trace_launch_ctas(trace_kernel_launch(kernel)))) {
        trace_kernel_close(kernel);
        return false;
    }
    e->launch = &launch;
    if (trace_launch_ctas(&launch) == 0) {
        trace_kernel_close(kernel);
        return e->options->keep_going || status_fail(e->status, STATUS_FORMAT, "%.300s: kernel %" PRIu32 " has no CTA",
                                                     trace_path(e->trace), number);
    }
    e->cursor = trace_cursor_create(kernel);
    bool ok = e->cursor || status_fail(e->status, STATUS_MEMORY, "%.300s: no memory to read it", trace_path(e->trace));
    ok = ok && accelsim_writer_begin(e->writer, e->launch, e->status) && export_warps(e, kernel) &&
         accelsim_writer_end(e->writer, e->status);
    trace_cursor_destroy(e->cursor);
    trace_kernel_close(kernel);
    return ok;
}

/* A list has a line for each GiB of a copy, so that the length of a damaged one counts. */
static bool export_copy(struct export *e, const struct trace_copy *copy)
{
    if (copy->bytes > COPY_MOST)
        return e->options->keep_going ||
               status_fail(e->status, STATUS_FORMAT,
                           "%.300s: damaged: a copy of %" PRIu64 " bytes, more than the memory of any GPU",
                           trace_path(e->trace), copy->bytes);
    accelsim_writer_copy(e->writer, copy);
    return true;
}

static bool export_commands(struct export *e)
{
    for (uint32_t i = 0; i < trace_commands(e->trace); i++) {
        const struct trace_command *c = trace_command(e->trace, i);
        if (!(c->kind == TRACE_COPY ? export_copy(e, &c->copy) : export_kernel(e, c->kernel)))
            return false;
    }
    return true;
}

bool accelsim_export(struct trace_file *trace, const char *folder, const struct accelsim_export *options,
                     struct accelsim_written *report, uint64_t *damaged, struct status *status)
{
    struct export e = {.trace = trace, .options = options, .status = status};
    for (uint32_t k = 0; k < trace_kernels(trace); k++) {
        struct trace_summary summary;
        trace_summary(trace, k, &summary);
        e.all += summary.instructions;
    }
    e.writer = accelsim_writer_create(folder, &options->format, status);
    bool ok = e.writer && export_commands(&e) && accelsim_writer_finish(e.writer, status);
    if (e.writer)
        *report = *accelsim_writer_report(e.writer);
    *damaged = e.damaged;
    accelsim_writer_destroy(e.writer);
    return ok;
}
