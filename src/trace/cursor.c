#include <stdlib.h>
#include <string.h>

#include "trace/check.h"
#include "trace/decode.h"
#include "trace/kernel.h"
#include "trace/save.h"
#include "trace/transfer.h"

struct trace_cursor {
    struct trace_kernel *kernel;
    uint64_t cta;
    uint32_t warp, part, frame;
    bool last;     /* the part is the last one */
    uint64_t left; /* instructions in this part */
    struct trace_decoder decoder;
    struct trace_bytes data; /* of the part */
};

struct trace_cursor *trace_cursor_create(const struct trace_kernel *kernel)
{
    struct trace_cursor *c = calloc(1, sizeof *c);
    if (!c || !trace_decoder_init(&c->decoder, &kernel->dictionary, kernel->launch.code_count)) {
        free(c);
        return NULL;
    }
    c->kernel = trace_kernel_of(kernel);
    c->last = true;
    return c;
}

void trace_cursor_destroy(struct trace_cursor *c)
{
    if (!c)
        return;
    trace_decoder_free(&c->decoder);
    trace_bytes_free(&c->data);
    free(c);
}

const struct trace_kernel *trace_cursor_kernel(const struct trace_cursor *c) { return c->kernel; }

/* The part c->part of the stream. */
static bool load(struct trace_cursor *c, struct trace_piece *piece, struct status *status)
{
    c->left = 0;
    c->last = true;
    if (!trace_kernel_piece(c->kernel, c->cta, c->warp, c->part, &c->frame, piece, &c->data, status))
        return false;
    if (c->data.failed)
        return status_fail(status, STATUS_MEMORY, "%s: no memory to read a stream", c->kernel->file->path);
    c->left = piece->instructions;
    c->last = piece->last;
    return true;
}

bool trace_cursor_seek(struct trace_cursor *c, uint64_t cta, uint32_t warp, struct status *status)
{
    struct trace_piece piece;
    c->cta = cta;
    c->warp = warp;
    c->part = c->frame = 0;
    if (!load(c, &piece, status))
        return false;
    trace_decoder_start(&c->decoder, piece.pc, piece.path);
    trace_decoder_feed(&c->decoder, c->data.data, piece.bytes);
    return true;
}

/* Returns whether folded addresses are in the lower half of the address space without a look at each of them. */
static bool is_low(const struct trace_cursor *c, const struct trace_folded *folded)
{
    return folded->base <= INT64_MAX / 2 &&
           (int64_t)folded->base + c->kernel->dictionary.pattern[folded->pattern].lowest >= 0;
}

/* Traces of version 1 have neither operands nor transfers: such instructions do nothing then. */
static const char *check(const struct trace_cursor *c, struct issued *out, struct trace_folded *folded)
{
    enum trace_reach reach = (enum trace_reach)c->kernel->code->reach[out->pc / 16];
    if (reach == TRACE_REACH_ENGINE) {
        if (!c->decoder.transfer)
            out->transfer = (struct transfer){.kind = TRANSFER_NONE};
        const char *wrong = out->active ? trace_transfer_wrong(&out->transfer, c->kernel->group) : NULL;
        if (wrong)
            return wrong;
    } else if (!c->decoder.second && (reach == TRACE_REACH_OBJECT || reach == TRACE_REACH_ASYNC)) {
        memset(out->operand, 0, sizeof out->operand);
    }
    bool folds = folded && folded->offset;
    if (folds && !is_low(c, folded))
        trace_decoder_unfold(out, folded);
    return trace_issued_wrong(out, reach, c->decoder.second, folds && folded->offset);
}

/* Takes an instruction for which the dictionary has no place, if it comes as expected. */
static bool take_plain(struct trace_cursor *c, struct issued *out)
{
    uint32_t pc = c->decoder.state.pc;
    if (!c->left || pc >= c->decoder.code_count || !c->kernel->plain[pc] || !trace_decoder_skip(&c->decoder, 1))
        return false;
    c->left--;
    c->decoder.second = c->decoder.transfer = false;
    issued_set_plain(out, pc * 16, c->decoder.state.path);
    return true;
}

static bool next(struct trace_cursor *c, struct issued *out, struct trace_folded *folded, struct status *status)
{
    if (take_plain(c, out))
        return true;
    while (!c->left) {
        struct trace_piece piece;
        if (c->last)
            return false;
        c->part++;
        if (!load(c, &piece, status))
            return false;
        trace_decoder_feed(&c->decoder, c->data.data, piece.bytes);
    }
    c->left--;
    const char *wrong = trace_decoder_next(&c->decoder, out, folded);
    if (!wrong)
        wrong = check(c, out, folded);
    if (!wrong)
        return true;
    c->left = 0;
    c->last = true;
    return trace_kernel_fail(c->kernel, c->cta, c->warp, wrong, status);
}

bool trace_cursor_next(struct trace_cursor *c, struct issued *out, struct status *status)
{
    return next(c, out, NULL, status);
}

bool trace_cursor_next_folded(struct trace_cursor *c, struct issued *out, struct trace_folded *folded,
                              struct status *status)
{
    folded->offset = NULL;
    return next(c, out, folded, status);
}

uint64_t trace_cursor_pass(struct trace_cursor *c, uint64_t most, uint32_t *path)
{
    uint32_t pc = c->decoder.state.pc, plain = pc < c->decoder.code_count ? c->kernel->plain[pc] : 0;
    most = most < plain ? most : plain;
    uint64_t count = trace_decoder_skip(&c->decoder, most < c->left ? most : c->left);
    c->left -= count;
    *path = c->decoder.state.path;
    return count;
}

/* Goes past an instruction with a place for its outcome only, if it comes as expected. */
static bool pass_expected(struct trace_cursor *c)
{
    const struct trace_kernel *k = c->kernel;
    uint32_t pc = c->decoder.state.pc;
    if (!c->left || pc >= c->decoder.code_count || k->code->reach[pc] != TRACE_REACH_NOTHING ||
        trace_place(&k->dictionary.access, pc * 2) || trace_place(&k->dictionary.access, pc * 2 + 1) ||
        !trace_decoder_pass(&c->decoder))
        return false;
    c->left--;
    return true;
}

uint64_t trace_cursor_skip(struct trace_cursor *c)
{
    uint64_t all = 0;
    uint32_t path;
    do
        all += trace_cursor_pass(c, UINT64_MAX, &path);
    while (pass_expected(c) && ++all);
    return all;
}

uint32_t trace_cursor_pc(const struct trace_cursor *c)
{
    return c->left || !c->last ? c->decoder.state.pc * 16 : UINT32_MAX;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

/* Goes on `at` bytes into the part that the cursor was in. */
static void reload(struct archive *a, struct trace_cursor *c, uint64_t at)
{
    struct trace_piece piece;
    struct status status = {0};
    uint64_t left = c->left;
    if (!load(c, &piece, &status)) {
        archive_fail(a, status.code, "%s", status.text);
    } else if (at > piece.bytes || left > piece.instructions) {
        c->left = 0;
        archive_fail(a, STATUS_FORMAT, "the saved run is at a place of a stream that is not there");
    } else {
        c->left = left;
        c->decoder.in = trace_view_of(c->data.data + at, piece.bytes - at);
    }
}

static void transfers_archive(struct archive *a, struct trace_predictor *p)
{
    bool some = p->transfer != NULL;
    archive_plain(a, &some, sizeof some);
    if (!some || !archive_ok(a))
        return;
    if (trace_predictor_transfers(p))
        archive_plain(a, p->transfer, TRACE_TRANSFERS * sizeof *p->transfer);
    else
        archive_fail(a, STATUS_MEMORY, "no host memory for the transfers of a stream");
}

void trace_cursor_archive(struct archive *a, struct trace_cursor *c)
{
    struct trace_decoder *d = &c->decoder;
    uint64_t at = c->left ? (uint64_t)(d->in.at - c->data.data) : 0;
    archive_plain(a, &at, sizeof at);
    archive_begin(a, "cursor", c, sizeof *c);
    archive_keep(a, &c->kernel);
    archive_keep(a, &c->data);
    archive_keep(a, &d->dictionary);
    archive_keep(a, &d->in);
    archive_array(a, &d->state.flow, d->state.flows);
    archive_array(a, &d->state.access, d->state.accesses);
    archive_keep(a, &d->state.transfer);
    archive_end(a);
    transfers_archive(a, &d->state);
    if (archive_reading(a) && archive_ok(a) && c->left)
        reload(a, c, at);
}
