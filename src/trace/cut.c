#include "trace/cut.h"

#include <inttypes.h>

#include "trace/copying.h"
#include "trace/kernel.h"

struct cutting {
    struct trace_file *file;
    const struct trace_cut *cut;
    struct trace_writer *writer;
    uint64_t done, all;
};

static bool wanted(const struct trace_cut *cut, uint64_t cta)
{
    return cta >= cut->first_cta && (!cut->ctas || cta - cut->first_cta < cut->ctas);
}

static bool cut_frame(struct cutting *c, struct trace_kernel *k, uint32_t number, struct status *status)
{
    const struct trace_frame_entry *entry = &k->frames.frame[number];
    const struct trace_frame *frame;
    if (entry->last_cta < c->cut->first_cta ||
        (c->cut->ctas && entry->first_cta >= c->cut->first_cta && !wanted(c->cut, entry->first_cta)))
        return true;
    const char *wrong = trace_kernel_frame(k, number, &frame);
    if (wrong)
        return trace_kernel_fail(k, entry->first_cta, entry->first_warp, wrong, status);
    for (uint32_t i = 0; i < frame->pieces; i++) {
        const struct trace_piece *p = &frame->piece[i];
        c->done += p->instructions;
        if (wanted(c->cut, p->cta) && !trace_writer_piece(c->writer, p, frame->data.data + p->at, status))
            return false;
    }
    if (c->cut->progress)
        c->cut->progress(c->cut->self, c->done, c->all);
    if (c->cut->stop && *c->cut->stop)
        return status_fail(status, STATUS_INTERRUPTED, "%s: stopped in kernel %" PRIu32, trace_path(c->file),
                           k->number);
    return true;
}

static bool cut_kernel(struct cutting *c, uint32_t number, struct status *status)
{
    struct trace_kernel *k = trace_kernel_open(c->file, number, status);
    bool ok = k && trace_writer_begin(c->writer, &k->launch, status) &&
              trace_writer_dictionary(c->writer, &k->dictionary, status);
    for (uint32_t i = 0; ok && i < k->frames.frames; i++)
        ok = cut_frame(c, k, i, status);
    ok = ok && trace_writer_end(c->writer, false, status);
    trace_kernel_close(k);
    return ok;
}

static bool keeps(const struct trace_cut *cut, uint32_t kernel) { return !cut->keep || cut->keep(cut->self, kernel); }

bool trace_cut(struct trace_file *file, const char *path, const struct trace_cut *cut, struct status *status)
{
    const struct trace_origin origin = {trace_origin_program(file), trace_origin_gpu(file), trace_origin_source(file)};
    struct cutting c = {.file = file,
                        .cut = cut,
                        .writer = trace_writer_create(path, &origin, status),
                        .all = trace_totals(file).instructions};
    bool ok = c.writer != NULL;
    for (uint32_t i = 0; ok && i < trace_commands(file); i++) {
        const struct trace_command *command = trace_command(file, i);
        if (command->kind == TRACE_COPY)
            ok = trace_writer_copy(c.writer, &command->copy, status);
        else if (keeps(cut, command->kernel))
            ok = cut_kernel(&c, command->kernel, status);
    }
    ok = ok && trace_writer_finish(c.writer, status);
    trace_writer_destroy(c.writer);
    return ok;
}
