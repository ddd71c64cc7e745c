#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/hash.h"
#include "trace/copying.h"
#include "trace/writing.h"

static bool fail_stream(const struct trace_stream *s, const char *what)
{
    struct trace_writer *w = s->writer;
    return status_fail(&w->failed, STATUS_USAGE, "%s: kernel %s, CTA %" PRIu64 ", warp %" PRIu32 ": %s", w->file.path,
                       w->launch.name, s->cta, s->warp, what);
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
        trace_writer_fail_memory(w, &w->failed);
        return NULL;
    }
    struct trace_stream *s = new_stream(w);
    if (!s) {
        trace_writer_fail_memory(w, &w->failed);
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
    return s;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* New entries of the dictionary go in front of the frame. */
static void flush_dictionary(struct trace_writer *w)
{
    struct trace_written now = trace_dictionary_state(&w->coder->dictionary);
    if (!memcmp(&now, &w->written, sizeof now))
        return;
    w->scratch.size = 0;
    trace_dictionary_put(&w->coder->dictionary, &w->written, &w->scratch);
    struct trace_block block =
        trace_out_block(&w->out, TRACE_BLOCK_DICTIONARY, w->index.kernels, TRACE_EFFORT_USUAL, &w->scratch);
    if (!trace_frames_add_dictionary(&w->frames, block.at))
        trace_writer_fail_memory(w, &w->failed);
    w->written = now;
}

/* A block that hardly became smaller has addresses without a pattern, and so, mostly, has the next. */
static enum trace_effort effort_after(const struct trace_block *b)
{
    return b->stored > b->raw / 2 ? TRACE_EFFORT_LITTLE : TRACE_EFFORT_USUAL;
}

void trace_writer_flush(struct trace_writer *w)
{
    if (!w->frame.pieces)
        return;
    flush_dictionary(w);
    w->scratch.size = 0;
    trace_frame_put(&w->frame, &w->scratch);
    struct trace_frame_entry entry = trace_frame_ranges(&w->frame);
    struct trace_block block = trace_out_block(&w->out, TRACE_BLOCK_FRAME, w->index.kernels, w->effort, &w->scratch);
    entry.at = block.at;
    w->effort = effort_after(&block);
    if (!trace_frames_add(&w->frames, &entry))
        trace_writer_fail_memory(w, &w->failed);
    w->frame.pieces = 0;
    w->frame.data.size = 0;
}

static void add_piece(struct trace_writer *w, const struct trace_piece *piece, const uint8_t *data)
{
    if (!trace_frame_add(&w->frame, piece, data))
        trace_writer_fail_memory(w, &w->failed);
    w->instructions += piece->instructions;
    if (piece->last && !mark_ended(w, stream_number(w, piece->cta, piece->warp)))
        trace_writer_fail_memory(w, &w->failed);
    if (trace_frame_full(&w->frame))
        trace_writer_flush(w);
}

/* The encoder's bytes become a piece. */
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
        trace_writer_fail_memory(s->writer, &s->writer->failed);
    else
        add_piece(s->writer, &piece, e->out.data);
    trace_encoder_cut(e);
}

bool trace_writer_dictionary(struct trace_writer *w, const struct trace_dictionary *dictionary, struct status *status)
{
    w->scratch.size = 0;
    trace_dictionary_put(dictionary, &w->written, &w->scratch);
    struct trace_view v = trace_view_of(w->scratch.data, w->scratch.size);
    return (!w->scratch.failed && trace_dictionary_take(&w->coder->dictionary, &v)) ||
           trace_writer_fail_memory(w, status);
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

static void add(struct trace_stream *s, const struct issued *is, enum trace_extra extra)
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
    trace_encoder_add(&s->encoder, is, extra);
}

static enum trace_extra extra_of(const struct trace_launch *l, const struct issued *is)
{
    if (is->pc / 16 >= l->code_count)
        return TRACE_EXTRA_NONE;
    enum isa_op op = (enum isa_op)l->code[is->pc / 16].isa.op;
    const struct isa_op_info *info = isa_op_info(op);
    if (info->way == ISA_WAY_ENGINE)
        return TRACE_EXTRA_TRANSFER;
    if (is->space == ISA_SPACE_GLOBAL && info->memory == ISA_MEM_ASYNC_COPY)
        return TRACE_EXTRA_SHARED;
    bool operand = issued_has_operand(op) || issued_is_texture(op);
    return is->space != ISA_SPACE_NONE && operand ? TRACE_EXTRA_OPERAND : TRACE_EXTRA_NONE;
}

void trace_stream_add(struct trace_stream *s, const struct issued *issued)
{
    add(s, issued, extra_of(&s->writer->launch, issued));
}

void trace_stream_add_copy(struct trace_stream *s, const struct issued *issued) { add(s, issued, TRACE_EXTRA_SHARED); }

void trace_stream_add_operation(struct trace_stream *s, const struct issued *issued)
{
    add(s, issued, TRACE_EXTRA_OPERAND);
}

void trace_stream_add_transfer(struct trace_stream *s, const struct issued *issued)
{
    add(s, issued, TRACE_EXTRA_TRANSFER);
}

void trace_stream_add_plain(struct trace_stream *s, const struct issued *issued)
{
    uint32_t pc = issued->pc / 16;
    bool full = s->encoder.out.size >= TRACE_PIECE_FULL, known = pc < s->writer->code_end;
    if (full || !known || s->writer->failed.code || !trace_encoder_go_on(&s->encoder, pc, issued->path))
        trace_stream_add(s, issued);
}

bool trace_stream_add_plain_run(struct trace_stream *s, const struct issued *issued, uint32_t count)
{
    uint32_t pc = issued->pc / 16;
    bool full = s->encoder.out.size >= TRACE_PIECE_FULL, known = pc + count <= s->writer->code_end;
    return !full && known && !s->writer->failed.code && trace_encoder_go_far(&s->encoder, pc, count, issued->path);
}

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

/* ---- all of them ------------------------------------------------------------------------------------------------- */

void trace_writer_end_streams(struct trace_writer *w)
{
    for (uint32_t i = 0; i < w->buckets; i++)
        while (w->bucket[i])
            trace_stream_end(w->bucket[i]);
}

uint64_t trace_writer_count_ctas(const struct trace_writer *w)
{
    uint64_t ctas = 0, before = UINT64_MAX;
    for (uint64_t i = 0; i < w->ended_words; i++)
        for (uint64_t left = w->ended[i]; left; left &= left - 1) {
            uint64_t cta = (i * 64 + lowest_bit64(left)) / w->warps;
            ctas += cta != before;
            before = cta;
        }
    return ctas;
}

void trace_writer_free_streams(struct trace_writer *w)
{
    for (struct trace_stream *s = w->unused, *next; s; s = next) {
        next = s->next;
        trace_encoder_free(&s->encoder);
        free(s);
    }
    w->unused = NULL;
}
