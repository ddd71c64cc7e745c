#include "trace/writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "trace/metadata.h"
#include "trace/writing.h"

/* ---- errors ------------------------------------------------------------------------------------------------------ */

bool trace_writer_fail_memory(struct trace_writer *w, struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "%s: no memory to write a trace", w->file.path);
}

static bool check_file(struct trace_writer *w, struct status *status)
{
    if (!w->out.error)
        return true;
    return status_fail(status, STATUS_IO, "%s: %s", w->file.path, strerror(w->out.error));
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void write_origin(struct trace_writer *w, const struct trace_origin *origin)
{
    uint8_t head[TRACE_HEAD_BYTES] = TRACE_MAGIC;
    head[8] = TRACE_VERSION;
    trace_out_write(&w->out, head, sizeof head);
    w->scratch.size = 0;
    trace_put_text(&w->scratch, origin ? origin->program : NULL);
    trace_put_text(&w->scratch, origin ? origin->gpu : NULL);
    trace_put_text(&w->scratch, origin ? origin->source : NULL);
    w->index.origin_at = trace_out_block(&w->out, TRACE_BLOCK_ORIGIN, 0, TRACE_EFFORT_USUAL, &w->scratch).at;
}

struct trace_writer *trace_writer_create(const char *path, const struct trace_origin *origin, struct status *status)
{
    if (strcmp(path, "-") == 0) {
        status_fail(status, STATUS_USAGE, "a trace cannot be written to standard output: name a file");
        return NULL;
    }
    struct trace_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->coder = malloc(sizeof *w->coder))) {
        free(w);
        status_fail(status, STATUS_MEMORY, "%s: no memory to write a trace", path);
        return NULL;
    }
    if (!file_output_open(&w->file, path, status)) {
        free(w->coder);
        free(w);
        return NULL;
    }
    if (!trace_out_open(&w->out, file_output_descriptor(&w->file)))
        trace_writer_fail_memory(w, status);
    else
        write_origin(w, origin);
    if (w->out.context && check_file(w, status))
        return w;
    trace_writer_destroy(w);
    return NULL;
}

void trace_writer_keep_plain(struct trace_writer *w, uint64_t bytes) { w->out.plain = bytes; }

bool trace_writer_copy(struct trace_writer *w, const struct trace_copy *copy, struct status *status)
{
    struct trace_command *command = trace_index_add_command(&w->index);
    if (!command)
        return trace_writer_fail_memory(w, status);
    *command = (struct trace_command){.kind = TRACE_COPY, .copy = *copy};
    return true;
}

bool trace_writer_finish(struct trace_writer *w, struct status *status)
{
    uint8_t magic[8] = TRACE_TAIL_MAGIC;
    if (w->in_kernel)
        return status_fail(status, STATUS_USAGE, "%s: kernel %s has not ended", w->file.path, w->launch.name);
    w->scratch.size = 0;
    trace_index_put(&w->index, &w->scratch);
    uint64_t at = trace_out_block(&w->out, TRACE_BLOCK_INDEX, 0, TRACE_EFFORT_USUAL, &w->scratch).at;
    w->scratch.size = 0;
    trace_put(&w->scratch, magic, sizeof magic);
    trace_put_fixed(&w->scratch, at, 8);
    trace_put_fixed(&w->scratch, w->out.at + TRACE_TAIL_BYTES, 8);
    if (w->scratch.failed)
        return trace_writer_fail_memory(w, status);
    trace_put_fixed(&w->scratch, hash_bytes(HASH_SEED, w->scratch.data, w->scratch.size), 8);
    trace_out_write(&w->out, w->scratch.data, w->scratch.size);
    return check_file(w, status) && file_output_commit(&w->file, status);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static bool take_launch(struct trace_writer *w, const struct trace_launch *launch, bool code, struct status *status)
{
    const char *wrong = trace_launch_wrong(launch, code);
    if (wrong)
        return status_fail(status, STATUS_USAGE, "%s: kernel %s: %s", w->file.path, launch->name, wrong);
    trace_launch_free(&w->launch);
    return trace_launch_copy(&w->launch, launch) || trace_writer_fail_memory(w, status);
}

bool trace_writer_begin(struct trace_writer *w, const struct trace_launch *launch, struct status *status)
{
    if (w->in_kernel)
        return status_fail(status, STATUS_USAGE, "%s: kernel %s has not ended", w->file.path, w->launch.name);
    if (!take_launch(w, launch, false, status))
        return false;
    w->in_kernel = true;
    w->effort = TRACE_EFFORT_USUAL;
    w->failed = (struct status){0};
    w->begins_at = w->out.at;
    w->warps = trace_launch_warps(launch);
    w->code_end = 0;
    w->warps_ended = w->instructions = 0;
    w->ended_words = 0;
    w->written = (struct trace_written){0};
    w->frame.pieces = 0;
    w->frame.data.size = 0;
    if (!trace_coder_init(w->coder))
        return trace_writer_fail_memory(w, status);
    w->written = trace_dictionary_state(&w->coder->dictionary);
    return true;
}

bool trace_writer_code(struct trace_writer *w, const struct trace_launch *launch, struct status *status)
{
    if (!w->in_kernel)
        return status_fail(status, STATUS_USAGE, "%s: no kernel has begun", w->file.path);
    if (memcmp(launch->grid, w->launch.grid, sizeof launch->grid) ||
        memcmp(launch->block, w->launch.block, sizeof launch->block))
        return status_fail(status, STATUS_USAGE, "%s: kernel %s: another grid than it began with", w->file.path,
                           launch->name);
    return take_launch(w, launch, true, status);
}

/* ---- the end of a kernel ----------------------------------------------------------------------------------------- */

static bool write_kernel(struct trace_writer *w, bool complete, struct status *status)
{
    uint32_t number = w->index.kernels;
    struct trace_kernel_entry *k = trace_index_add_kernel(&w->index);
    if (!k || !(k->name = strdup(w->launch.name)))
        return trace_writer_fail_memory(w, status);
    w->scratch.size = 0;
    trace_metadata_put(&w->launch, &w->scratch);
    w->frames.kernel_at = trace_out_block(&w->out, TRACE_BLOCK_KERNEL, number, TRACE_EFFORT_USUAL, &w->scratch).at;
    k->ctas = trace_writer_count_ctas(w);
    k->warps = w->warps_ended;
    k->instructions = w->instructions;
    k->complete = complete;
    w->scratch.size = 0;
    trace_frames_put(&w->frames, &w->scratch);
    k->frames_at = trace_out_block(&w->out, TRACE_BLOCK_FRAMES, number, TRACE_EFFORT_USUAL, &w->scratch).at;
    k->bytes = w->out.at - w->begins_at;
    struct trace_command *command = trace_index_add_command(&w->index);
    if (!command)
        return trace_writer_fail_memory(w, status);
    *command = (struct trace_command){.kind = TRACE_LAUNCH, .kernel = number};
    return check_file(w, status);
}

static bool check_kernel(struct trace_writer *w, bool complete, struct status *status)
{
    const char *wrong = trace_launch_wrong(&w->launch, true);
    uint64_t all = trace_launch_ctas(&w->launch) * w->warps;
    if (w->failed.code) {
        *status = w->failed;
        return false;
    }
    if (w->coder->failed)
        return trace_writer_fail_memory(w, status);
    if (wrong)
        return status_fail(status, STATUS_USAGE, "%s: kernel %s: %s", w->file.path, w->launch.name, wrong);
    if (w->code_end > w->launch.code_count)
        return status_fail(status, STATUS_USAGE, "%s: kernel %s: an instruction at 0x%" PRIx32 ", behind its code",
                           w->file.path, w->launch.name, (w->code_end - 1) * 16);
    if (complete && w->warps_ended != all)
        return status_fail(status, STATUS_USAGE, "%s: kernel %s: %" PRIu64 " of %" PRIu64 " warps have a stream",
                           w->file.path, w->launch.name, w->warps_ended, all);
    return true;
}

bool trace_writer_end(struct trace_writer *w, bool complete, struct status *status)
{
    if (!w->in_kernel)
        return status_fail(status, STATUS_USAGE, "%s: no kernel has begun", w->file.path);
    bool all = !w->open && w->warps_ended == trace_launch_ctas(&w->launch) * w->warps;
    if (!complete)
        trace_writer_end_streams(w);
    trace_writer_flush(w);
    bool ok = check_kernel(w, complete, status) && write_kernel(w, complete || all, status);
    trace_writer_end_streams(w);
    trace_writer_free_streams(w);
    w->in_kernel = false;
    trace_launch_free(&w->launch);
    trace_coder_free(w->coder);
    trace_frames_free(&w->frames);
    free(w->ended);
    w->ended = NULL;
    return ok;
}

void trace_writer_destroy(struct trace_writer *w)
{
    if (!w)
        return;
    if (w->in_kernel) {
        struct status ignored = {0};
        trace_writer_end(w, false, &ignored);
    }
    file_output_abandon(&w->file);
    trace_out_close(&w->out);
    trace_index_free(&w->index);
    trace_frame_free(&w->frame);
    trace_bytes_free(&w->scratch);
    free(w->bucket);
    free(w->coder);
    free(w);
}
