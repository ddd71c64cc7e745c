#include "trace/verify.h"

#include <inttypes.h>

struct verification {
    struct trace_file *file;
    const struct trace_check *check;
    uint64_t done, all, damages;
    uint32_t kernel;
};

static void report(struct verification *v, bool whole, uint64_t cta, uint32_t warp, const char *text)
{
    const struct trace_damage damage = {whole, v->kernel, cta, warp, text};
    v->damages++;
    v->check->damage(v->check->self, &damage);
}

static bool stopped(const struct verification *v, uint64_t cta, struct status *status)
{
    if (!v->check->stop || !*v->check->stop)
        return false;
    status_fail(status, STATUS_INTERRUPTED, "%s: stopped after kernel %" PRIu32 ", CTA %" PRIu64, trace_path(v->file),
                v->kernel, cta);
    return true;
}

/* Decodes a stream, which may be long. False: status says why it cannot go on. */
static bool verify_stream(struct verification *v, struct trace_cursor *cursor, uint64_t cta, uint32_t warp,
                          struct status *status)
{
    enum { BETWEEN_POLLS = 1 << 16 };
    struct status found = {0};
    struct issued is;
    if (trace_cursor_seek(cursor, cta, warp, &found))
        while (trace_cursor_next(cursor, &is, &found))
            if (++v->done % BETWEEN_POLLS == 0 && stopped(v, cta, status))
                return false;
    if (found.code == STATUS_MEMORY) {
        *status = found;
        return false;
    }
    if (found.code)
        report(v, false, cta, warp, found.text);
    return true;
}

static bool verify_streams(struct verification *v, const struct trace_kernel *kernel, struct trace_cursor *cursor,
                           bool complete, struct status *status)
{
    const struct trace_launch *launch = trace_kernel_launch(kernel);
    uint64_t ctas = trace_launch_ctas(launch);
    uint32_t warps = trace_launch_warps(launch);
    for (uint64_t cta = complete ? 0 : trace_kernel_next_cta(kernel, 0); cta < ctas;
         cta = complete ? cta + 1 : trace_kernel_next_cta(kernel, cta + 1)) {
        for (uint32_t warp = 0; warp < warps; warp++) {
            if (!complete && trace_kernel_presence(kernel, cta, warp) == TRACE_ABSENT)
                continue;
            if (!verify_stream(v, cursor, cta, warp, status))
                return false;
        }
        if (v->check->progress)
            v->check->progress(v->check->self, v->done, v->all);
        if (stopped(v, cta, status))
            return false;
    }
    return true;
}

static bool verify_kernel(struct verification *v, struct status *status)
{
    struct trace_summary summary;
    struct status found = {0};
    trace_summary(v->file, v->kernel, &summary);
    struct trace_kernel *kernel = trace_kernel_open(v->file, v->kernel, &found);
    if (!kernel && found.code == STATUS_MEMORY) {
        *status = found;
        return false;
    }
    if (!kernel) {
        report(v, true, 0, 0, found.text);
        return true;
    }
    struct trace_cursor *cursor = trace_cursor_create(kernel);
    uint64_t before = v->damages, done = v->done;
    bool ok = cursor ? verify_streams(v, kernel, cursor, summary.complete, status)
                     : status_fail(status, STATUS_MEMORY, "%s: no memory to read a trace", trace_path(v->file));
    if (ok && v->damages == before && v->done - done != summary.instructions) {
        status_fail(&found, STATUS_FORMAT,
                    "%s: kernel %" PRIu32 " (%s): %" PRIu64 " instructions, and %" PRIu64 " by the index",
                    trace_path(v->file), v->kernel, summary.name, v->done - done, summary.instructions);
        report(v, true, 0, 0, found.text);
    }
    trace_cursor_destroy(cursor);
    trace_kernel_close(kernel);
    return ok;
}

bool trace_verify(struct trace_file *file, const struct trace_check *check, uint64_t *damages, struct status *status)
{
    struct verification v = {.file = file, .check = check, .all = trace_totals(file).instructions};
    bool ok = true;
    for (; ok && v.kernel < trace_kernels(file); v.kernel++)
        ok = verify_kernel(&v, status);
    *damages = v.damages;
    return ok;
}
