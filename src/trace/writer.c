#include "trace/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/hash.h"
#include "trace/block.h"
#include "trace/copying.h"
#include "trace/encode.h"
#include "trace/index.h"
#include "trace/metadata.h"

struct trace_stream {
    struct trace_writer *writer;
    uint64_t cta;
    uint32_t warp, part;
    uint32_t pc, path; /* where it begins */
    bool started;
    struct trace_encoder encoder;
    struct trace_stream *next; /* in its bucket, or in the list of unused ones */
};

struct trace_writer {
    struct file_output file;
    struct trace_out out;
    struct trace_index index;
    struct status failed; /* the first error of a stream */
    bool in_kernel;
    /* The kernel that is written. */
    struct trace_launch launch;
    uint32_t warps, code_end; /* warps of a CTA; one more than the highest pc / 16 */
    uint64_t begins_at;       /* in the file */
    struct trace_coder *coder;
    struct trace_written written;
    struct trace_frames frames;
    struct trace_frame frame;
    struct trace_bytes scratch;
    /* Streams that are open, by hash of CTA and warp; and the numbers of those that have ended. */
    struct trace_stream **bucket, *unused;
    uint32_t buckets, open;
    uint64_t *ended, ended_words, warps_ended, instructions;
};

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static bool fail_memory(struct trace_writer *w, struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "%s: no memory to write a trace", w->file.path);
}

static bool fail_stream(const struct trace_stream *s, const char *what)
{
    struct trace_writer *w = s->writer;
    return status_fail(&w->failed, STATUS_USAGE, "%s: kernel %s, CTA %" PRIu64 ", warp %" PRIu32 ": %s", w->file.path,
                       w->launch.name, s->cta, s->warp, what);
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
    w->index.origin_at = trace_out_block(&w->out, TRACE_BLOCK_ORIGIN, 0, &w->scratch).at;
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
    if (!trace_out_open(&w->out, fileno(w->file.stream)))
        fail_memory(w, status);
    else
        write_origin(w, origin);
    if (w->out.context && check_file(w, status))
        return w;
    trace_writer_destroy(w);
    return NULL;
}

bool trace_writer_copy(struct trace_writer *w, const struct trace_copy *copy, struct status *status)
{
    struct trace_command *command = trace_index_add_command(&w->index);
    if (!command)
        return fail_memory(w, status);
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
    uint64_t at = trace_out_block(&w->out, TRACE_BLOCK_INDEX, 0, &w->scratch).at;
    w->scratch.size = 0;
    trace_put(&w->scratch, magic, sizeof magic);
    trace_put_fixed(&w->scratch, at, 8);
    trace_put_fixed(&w->scratch, w->out.at + TRACE_TAIL_BYTES, 8);
    if (w->scratch.failed)
        return fail_memory(w, status);
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
    return trace_launch_copy(&w->launch, launch) || fail_memory(w, status);
}

bool trace_writer_begin(struct trace_writer *w, const struct trace_launch *launch, struct status *status)
{
    if (w->in_kernel)
        return status_fail(status, STATUS_USAGE, "%s: kernel %s has not ended", w->file.path, w->launch.name);
    if (!take_launch(w, launch, false, status))
        return false;
    w->in_kernel = true;
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
        return fail_memory(w, status);
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

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static uint64_t stream_number(const struct trace_writer *w, uint64_t cta, uint32_t warp)
{
    return cta * w->warps + warp;
}

static struct trace_stream **bucket_of(struct trace_writer *w, uint64_t number)
{
    return &w->bucket[hash_mix(number) & (w->buckets - 1)];
}

static bool has_ended(const struct trace_writer *w, uint64_t number)
{
    return number / 64 < w->ended_words && w->ended[number / 64] >> number % 64 & 1;
}

static bool mark_ended(struct trace_writer *w, uint64_t number)
{
    if (number / 64 >= w->ended_words) {
        uint64_t words = w->ended_words ? w->ended_words : 16;
        while (words <= number / 64)
            words *= 2;
        uint64_t *ended = realloc(w->ended, words * sizeof *ended);
        if (!ended)
            return false;
        memset(ended + w->ended_words, 0, (words - w->ended_words) * sizeof *ended);
        w->ended = ended;
        w->ended_words = words;
    }
    w->ended[number / 64] |= UINT64_C(1) << number % 64;
    w->warps_ended++;
    return true;
}

static bool more_buckets(struct trace_writer *w)
{
    uint32_t count = w->buckets ? w->buckets * 2 : 64, before = w->buckets;
    struct trace_stream **from = w->bucket, **bucket = calloc(count, sizeof *bucket);
    if (!bucket)
        return false;
    w->bucket = bucket;
    w->buckets = count;
    for (uint32_t i = 0; i < before; i++) {
        for (struct trace_stream *s = from[i], *next; s; s = next) {
            struct trace_stream **to = bucket_of(w, stream_number(w, s->cta, s->warp));
            next = s->next;
            s->next = *to;
            *to = s;
        }
    }
    free(from);
    return true;
}

static struct trace_stream *new_stream(struct trace_writer *w)
{
    struct trace_stream *s = w->unused;
    if (s) {
        w->unused = s->next;
        return s;
    }
    s = calloc(1, sizeof *s);
    if (s && !trace_encoder_init(&s->encoder, w->coder)) {
        free(s);
        return NULL;
    }
    return s;
}

struct trace_stream *trace_writer_stream(struct trace_writer *w, uint64_t cta, uint32_t warp)
{
    uint64_t number = stream_number(w, cta, warp);
    for (struct trace_stream *s = w->buckets ? *bucket_of(w, number) : NULL; s; s = s->next)
        if (s->cta == cta && s->warp == warp)
            return s;
    if (!w->in_kernel || warp >= w->warps || cta >= trace_launch_ctas(&w->launch) || has_ended(w, number)) {
        status_fail(&w->failed, STATUS_USAGE,
                    "%s: kernel %s has no CTA %" PRIu64 " with a warp %" PRIu32 ", or it has ended", w->file.path,
                    w->in_kernel ? w->launch.name : "(none)", cta, warp);
        return NULL;
    }
    if (w->open >= w->buckets && !more_buckets(w)) {
        fail_memory(w, &w->failed);
        return NULL;
    }
    struct trace_stream *s = new_stream(w);
    if (!s) {
        fail_memory(w, &w->failed);
        return NULL;
    }
    struct trace_stream **bucket = bucket_of(w, number);
    s->writer = w;
    s->cta = cta;
    s->warp = warp;
    s->part = s->pc = 0;
    s->path = UINT32_MAX;
    s->started = false;
    s->next = *bucket;
    *bucket = s;
    w->open++;
    trace_encoder_start(&s->encoder, 0, 0);
    return s;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* What the dictionary has gained goes in front of the frame. */
static void flush_dictionary(struct trace_writer *w)
{
    struct trace_written now = trace_dictionary_state(&w->coder->dictionary);
    if (!memcmp(&now, &w->written, sizeof now))
        return;
    w->scratch.size = 0;
    trace_dictionary_put(&w->coder->dictionary, &w->written, &w->scratch);
    struct trace_block block = trace_out_block(&w->out, TRACE_BLOCK_DICTIONARY, w->index.kernels, &w->scratch);
    if (!trace_frames_add_dictionary(&w->frames, block.at))
        fail_memory(w, &w->failed);
    w->written = now;
}

static void flush_frame(struct trace_writer *w)
{
    if (!w->frame.pieces)
        return;
    flush_dictionary(w);
    w->scratch.size = 0;
    trace_frame_put(&w->frame, &w->scratch);
    struct trace_frame_entry entry = trace_frame_ranges(&w->frame);
    entry.at = trace_out_block(&w->out, TRACE_BLOCK_FRAME, w->index.kernels, &w->scratch).at;
    if (!trace_frames_add(&w->frames, &entry))
        fail_memory(w, &w->failed);
    w->frame.pieces = 0;
    w->frame.data.size = 0;
}

static void add_piece(struct trace_writer *w, const struct trace_piece *piece, const uint8_t *data)
{
    if (!trace_frame_add(&w->frame, piece, data))
        fail_memory(w, &w->failed);
    w->instructions += piece->instructions;
    if (piece->last && !mark_ended(w, stream_number(w, piece->cta, piece->warp)))
        fail_memory(w, &w->failed);
    if (trace_frame_full(&w->frame))
        flush_frame(w);
}

/* What the encoder has becomes a piece. */
static void cut_piece(struct trace_stream *s, bool last)
{
    struct trace_encoder *e = &s->encoder;
    struct trace_piece piece = {.cta = s->cta,
                                .warp = s->warp,
                                .part = s->part++,
                                .instructions = e->instructions,
                                .bytes = (uint32_t)e->out.size,
                                .pc = s->pc,
                                .path = s->path,
                                .last = last};
    if (e->out.failed)
        fail_memory(s->writer, &s->writer->failed);
    else
        add_piece(s->writer, &piece, e->out.data);
    trace_encoder_cut(e);
}

bool trace_writer_dictionary(struct trace_writer *w, const struct trace_dictionary *dictionary, struct status *status)
{
    w->scratch.size = 0;
    trace_dictionary_put(dictionary, &w->written, &w->scratch);
    struct trace_view v = trace_view_of(w->scratch.data, w->scratch.size);
    return (!w->scratch.failed && trace_dictionary_take(&w->coder->dictionary, &v)) || fail_memory(w, status);
}

bool trace_writer_piece(struct trace_writer *w, const struct trace_piece *piece, const uint8_t *data,
                        struct status *status)
{
    if (piece->warp >= w->warps || piece->cta >= trace_launch_ctas(&w->launch) ||
        has_ended(w, stream_number(w, piece->cta, piece->warp)))
        return status_fail(status, STATUS_FORMAT,
                           "%s: kernel %s: a stream of CTA %" PRIu64 ", warp %" PRIu32 ", which is not of the grid",
                           w->file.path, w->launch.name, piece->cta, piece->warp);
    add_piece(w, piece, data);
    if (w->failed.code)
        *status = w->failed;
    return !w->failed.code;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void add(struct trace_stream *s, const struct issued *is, bool two)
{
    struct trace_writer *w = s->writer;
    uint32_t pc = is->pc / 16;
    if (w->failed.code)
        return;
    if (is->pc % 16 || pc >= TRACE_CODE_MOST) {
        fail_stream(s, "a pc that is not a multiple of 16, or beyond 64 MiB");
        return;
    }
    if (!s->started) {
        s->started = true;
        s->pc = pc;
        s->path = is->path;
        trace_encoder_start(&s->encoder, pc, is->path);
    } else {
        trace_encoder_settle(&s->encoder, pc, is->path);
        if (s->encoder.out.size >= TRACE_PIECE_FULL)
            cut_piece(s, false);
    }
    w->code_end = pc >= w->code_end ? pc + 1 : w->code_end;
    trace_encoder_add(&s->encoder, is, two);
}

void trace_stream_add(struct trace_stream *s, const struct issued *issued)
{
    const struct trace_launch *l = &s->writer->launch;
    bool two = issued->space == ISA_SPACE_GLOBAL && issued->pc / 16 < l->code_count &&
               isa_op_info((enum isa_op)l->code[issued->pc / 16].isa.op)->memory == ISA_MEM_ASYNC_COPY;
    add(s, issued, two);
}

void trace_stream_add_copy(struct trace_stream *s, const struct issued *issued) { add(s, issued, true); }

static void release(struct trace_stream *s)
{
    struct trace_writer *w = s->writer;
    struct trace_stream **at = bucket_of(w, stream_number(w, s->cta, s->warp));
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->next = w->unused;
    w->unused = s;
    w->open--;
}

void trace_stream_end(struct trace_stream *s)
{
    if (s->started)
        trace_encoder_end(&s->encoder);
    cut_piece(s, true);
    release(s);
}

/* ---- the end of a kernel ----------------------------------------------------------------------------------------- */

static void end_open_streams(struct trace_writer *w)
{
    for (uint32_t i = 0; i < w->buckets; i++)
        while (w->bucket[i])
            trace_stream_end(w->bucket[i]);
}

/* CTAs of which there is a stream. */
static uint64_t count_ctas(const struct trace_writer *w)
{
    uint64_t ctas = 0, before = UINT64_MAX;
    for (uint64_t i = 0; i < w->ended_words; i++)
        for (uint64_t left = w->ended[i]; left; left &= left - 1) {
            uint64_t cta = (i * 64 + (unsigned)__builtin_ctzll(left)) / w->warps;
            ctas += cta != before;
            before = cta;
        }
    return ctas;
}

static bool write_kernel(struct trace_writer *w, bool complete, struct status *status)
{
    uint32_t number = w->index.kernels;
    struct trace_kernel_entry *k = trace_index_add_kernel(&w->index);
    if (!k || !(k->name = strdup(w->launch.name)))
        return fail_memory(w, status);
    w->scratch.size = 0;
    trace_metadata_put(&w->launch, &w->scratch);
    w->frames.kernel_at = trace_out_block(&w->out, TRACE_BLOCK_KERNEL, number, &w->scratch).at;
    k->ctas = count_ctas(w);
    k->warps = w->warps_ended;
    k->instructions = w->instructions;
    k->complete = complete;
    w->scratch.size = 0;
    trace_frames_put(&w->frames, &w->scratch);
    k->frames_at = trace_out_block(&w->out, TRACE_BLOCK_FRAMES, number, &w->scratch).at;
    k->bytes = w->out.at - w->begins_at;
    struct trace_command *command = trace_index_add_command(&w->index);
    if (!command)
        return fail_memory(w, status);
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
        return fail_memory(w, status);
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
        end_open_streams(w);
    flush_frame(w);
    bool ok = check_kernel(w, complete, status) && write_kernel(w, complete || all, status);
    end_open_streams(w);
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
    for (struct trace_stream *s = w->unused, *next; s; s = next) {
        next = s->next;
        trace_encoder_free(&s->encoder);
        free(s);
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
