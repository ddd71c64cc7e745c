#include "trace/kernel.h"

#include <inttypes.h>
#include <stdlib.h>

#include "trace/check.h"
#include "trace/metadata.h"

static bool fail_kernel(const struct trace_kernel *k, const char *where, const char *what, struct status *status)
{
    return status_fail(status, STATUS_FORMAT, "%s: kernel %" PRIu32 " (%s): %s: %s", k->file->path, k->number,
                       k->file->index.kernel[k->number].name, where, what);
}

static bool fail_memory(const struct trace_kernel *k, struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "%s: kernel %" PRIu32 ": no memory to read a trace", k->file->path,
                       k->number);
}

bool trace_kernel_fail(const struct trace_kernel *k, uint64_t cta, uint32_t warp, const char *what,
                       struct status *status)
{
    return status_fail(status, STATUS_FORMAT, "%s: kernel %" PRIu32 " (%s), CTA %" PRIu64 ", warp %" PRIu32 ": %s",
                       k->file->path, k->number, k->launch.name, cta, warp, what);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool read_frames(struct trace_kernel *k, struct status *status)
{
    struct trace_bytes raw = {0};
    uint64_t at = k->file->index.kernel[k->number].frames_at;
    const char *wrong = trace_in_block(&k->in, at, TRACE_BLOCK_FRAMES, k->number, &raw);
    struct trace_view v = trace_view_of(raw.data, raw.size);
    if (!wrong && !trace_frames_take(&k->frames, &v, k->file->version >= TRACE_VERSION_COUNTED))
        wrong = "it is damaged";
    trace_bytes_free(&raw);
    return !wrong || fail_kernel(k, "its index", wrong, status);
}

static bool decode(struct trace_kernel *k, struct status *status)
{
    struct trace_file *f = k->file;
    uint32_t sm = k->launch.architecture;
    if (!isa_table(sm))
        return status_fail(status, STATUS_UNSUPPORTED, "%s: kernel %" PRIu32 " (%s): code of sm_%" PRIu32, f->path,
                           k->number, k->launch.name, sm);
    pthread_mutex_lock(&f->lock);
    bool ok = trace_codes_decode(&f->codes, k->code, status);
    pthread_mutex_unlock(&f->lock);
    return ok;
}

/* Tells whether the file's index and the kernel's own fit the grid and each other. */
static const char *index_wrong(const struct trace_kernel *k)
{
    const struct trace_kernel_entry *entry = &k->file->index.kernel[k->number];
    uint64_t ctas = trace_launch_ctas(&k->launch), warps = ctas * k->warps;
    if (entry->ctas > ctas || entry->warps > warps)
        return "more streams than its grid has warps";
    if (entry->warps > (uint64_t)k->frames.frames * TRACE_FRAME_PIECES)
        return "more streams than its frames can hold";
    if (entry->complete && entry->warps != warps)
        return "it is complete, and does not have a stream of each warp";
    for (uint32_t i = 0; i < k->frames.frames; i++)
        if (k->frames.frame[i].last_cta >= ctas || k->frames.frame[i].last_warp >= k->warps)
            return "a frame of warps that its grid does not have";
    return NULL;
}

static bool take_code(struct trace_kernel *k, struct trace_view *rest)
{
    struct trace_file *f = k->file;
    pthread_mutex_lock(&f->lock);
    k->code = trace_codes_take(&f->codes, k->launch.architecture, rest);
    pthread_mutex_unlock(&f->lock);
    if (!k->code)
        return false;
    k->launch.code = k->code->inst;
    k->launch.code_count = k->code->count;
    return true;
}

static void leave_code(struct trace_kernel *k)
{
    k->launch.code = NULL;
    k->launch.code_count = 0;
    pthread_mutex_lock(&k->file->lock);
    trace_code_leave(k->code);
    pthread_mutex_unlock(&k->file->lock);
}

static bool read_launch(struct trace_kernel *k, struct status *status)
{
    struct trace_bytes raw = {0};
    const char *wrong = trace_in_block(&k->in, k->frames.kernel_at, TRACE_BLOCK_KERNEL, k->number, &raw);
    struct trace_view v = trace_view_of(raw.data, raw.size);
    if (!wrong && !(trace_metadata_take(&k->launch, &v) && take_code(k, &v)))
        wrong = "it is damaged";
    trace_bytes_free(&raw);
    wrong = wrong ? wrong : trace_launch_wrong(&k->launch, true);
    if (wrong)
        return fail_kernel(k, "its launch and code", wrong, status);
    k->warps = trace_launch_warps(&k->launch);
    k->group = trace_launch_group(&k->launch);
    wrong = index_wrong(k);
    return wrong ? fail_kernel(k, "its index", wrong, status) : decode(k, status);
}

static bool read_dictionaries(struct trace_kernel *k, struct status *status)
{
    if (!trace_dictionary_init(&k->dictionary))
        return fail_memory(k, status);
    for (uint32_t i = 0; i < k->frames.dictionaries; i++) {
        struct trace_bytes raw = {0};
        const char *wrong = trace_in_block(&k->in, k->frames.dictionary_at[i], TRACE_BLOCK_DICTIONARY, k->number, &raw);
        struct trace_view v = trace_view_of(raw.data, raw.size);
        if (!wrong && !trace_dictionary_take(&k->dictionary, &v))
            wrong = "it is damaged";
        trace_bytes_free(&raw);
        if (wrong)
            return fail_kernel(k, "its dictionary", wrong, status);
    }
    return true;
}

static bool is_plain(const struct trace_kernel *k, uint32_t pc)
{
    const struct trace_dictionary *d = &k->dictionary;
    return k->code->reach[pc] == TRACE_REACH_NOTHING && !trace_place(&d->flow, pc) &&
           !trace_place(&d->access, pc * 2) && !trace_place(&d->access, pc * 2 + 1);
}

static bool find_plain(struct trace_kernel *k, struct status *status)
{
    uint32_t length = 0;
    k->plain = malloc(k->launch.code_count * sizeof *k->plain);
    if (!k->plain)
        return fail_memory(k, status);
    for (uint32_t pc = k->launch.code_count; pc-- > 0;)
        k->plain[pc] = length = is_plain(k, pc) ? length + 1 : 0;
    return true;
}

static int compare_frames(const void *a, const void *b, void *context)
{
    const struct trace_frames *f = context;
    const uint32_t *i = a, *j = b;
    uint64_t x = f->frame[*i].first_cta, y = f->frame[*j].first_cta;
    if (x != y)
        return x < y ? -1 : 1;
    return *i < *j ? -1 : *i > *j;
}

static bool sort_frames(struct trace_kernel *k, struct status *status)
{
    uint32_t count = k->frames.frames;
    uint64_t highest = 0;
    k->order = calloc(count + 1u, sizeof *k->order);
    k->last_cta = calloc(count + 1u, sizeof *k->last_cta);
    if (!k->order || !k->last_cta)
        return fail_memory(k, status);
    for (uint32_t i = 0; i < count; i++)
        k->order[i] = i;
    qsort_r(k->order, count, sizeof *k->order, compare_frames, &k->frames);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t last = k->frames.frame[k->order[i]].last_cta;
        k->last_cta[i] = highest = last > highest ? last : highest;
    }
    return true;
}

/* A program's kernels are opened one after another: a context for each would be 96 KB of fresh memory (zstd
 * 1.5.4). */
static bool take_input(struct trace_file *file, struct trace_in *in)
{
    pthread_mutex_lock(&file->lock);
    *in = file->spare;
    file->spare = (struct trace_in){0};
    pthread_mutex_unlock(&file->lock);
    return in->context || trace_in_open(in, file->in.fd, file->in.size);
}

static void leave_input(struct trace_file *file, struct trace_in *in)
{
    pthread_mutex_lock(&file->lock);
    struct trace_in before = file->spare;
    file->spare = *in;
    pthread_mutex_unlock(&file->lock);
    trace_in_close(&before);
}

struct trace_kernel *trace_kernel_open(struct trace_file *file, uint32_t kernel, struct status *status)
{
    struct trace_kernel *k = calloc(1, sizeof *k);
    if (!k || kernel >= file->index.kernels) {
        free(k);
        status_fail(status, k ? STATUS_USAGE : STATUS_MEMORY, "%s: kernel %" PRIu32 ": %s", file->path, kernel,
                    k ? "the trace does not have it" : "no memory");
        return NULL;
    }
    k->file = file;
    k->number = kernel;
    k->until.cta = UINT64_MAX;
    pthread_mutex_init(&k->lock, NULL);
    if (!take_input(file, &k->in))
        fail_memory(k, status);
    else if (read_frames(k, status) && read_launch(k, status) && read_dictionaries(k, status) &&
             find_plain(k, status) && sort_frames(k, status))
        return k;
    trace_kernel_close(k);
    return NULL;
}

void trace_kernel_close(struct trace_kernel *k)
{
    if (!k)
        return;
    for (unsigned i = 0; i < TRACE_CACHED; i++)
        trace_frame_free(&k->cached[i].contents);
    leave_input(k->file, &k->in);
    trace_frames_free(&k->frames);
    trace_dictionary_free(&k->dictionary);
    leave_code(k);
    trace_launch_free(&k->launch);
    pthread_mutex_destroy(&k->lock);
    free(k->plain);
    free(k->order);
    free(k->last_cta);
    free(k);
}

const struct trace_launch *trace_kernel_launch(const struct trace_kernel *k) { return &k->launch; }

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Compares a frame that was read with its entry in the kernel's index. */
static bool is_as_indexed(const struct trace_frame *f, const struct trace_frame_entry *e, bool counted)
{
    if (!f->pieces)
        return false;
    struct trace_frame_entry r = trace_frame_ranges(f);
    if (counted && r.instructions != e->instructions)
        return false;
    return r.first_cta == e->first_cta && r.last_cta == e->last_cta && r.first_warp == e->first_warp &&
           r.last_warp == e->last_warp && r.first_part == e->first_part && r.last_part == e->last_part;
}

const char *trace_kernel_frame(struct trace_kernel *k, uint32_t number, const struct trace_frame **out)
{
    struct trace_cached *c = k->cached, *end = k->cached + TRACE_CACHED, *oldest = c;
    for (; c < end && c->frame != number + 1; c++)
        oldest = c->used < oldest->used ? c : oldest;
    if (c == end) {
        struct trace_bytes raw = {0};
        c = oldest;
        trace_frame_free(&c->contents);
        c->frame = number + 1;
        c->wrong = trace_in_block(&k->in, k->frames.frame[number].at, TRACE_BLOCK_FRAME, k->number, &raw);
        if (!c->wrong && !trace_frame_take(&c->contents, &raw))
            c->wrong = "a frame is damaged";
        else if (!c->wrong && !is_as_indexed(&c->contents, &k->frames.frame[number], k->frames.counted))
            c->wrong = "a frame differs from its row in the index";
        trace_bytes_free(&raw);
    }
    c->used = ++k->clock;
    *out = &c->contents;
    return c->wrong;
}

struct wanted {
    uint64_t cta;
    uint32_t warp, part;
};

/* Returns a frame's piece (NULL: it does not have it). Warps are mostly asked for in the order of their pieces. */
static const struct trace_piece *find_piece(struct trace_kernel *k, const struct trace_frame *frame,
                                            const struct wanted *w)
{
    const struct trace_piece *next = k->next_piece < frame->pieces ? &frame->piece[k->next_piece] : NULL;
    bool in_order = next && next->cta == w->cta && next->warp == w->warp && next->part == w->part;
    const struct trace_piece *p = in_order ? next : trace_frame_find(frame, w->cta, w->warp, w->part);
    if (p)
        k->next_piece = (uint32_t)(p - frame->piece) + 1;
    return p;
}

/* Looks for it in a frame. NULL, or the error of the frame; *found tells. */
static const char *look(struct trace_kernel *k, const struct wanted *w, uint32_t number, struct trace_piece *piece,
                        struct trace_bytes *data, bool *found)
{
    const struct trace_frame_entry *e = &k->frames.frame[number];
    if (w->cta < e->first_cta || w->cta > e->last_cta || w->warp < e->first_warp || w->warp > e->last_warp ||
        w->part < e->first_part || w->part > e->last_part)
        return NULL;
    const struct trace_frame *frame;
    const char *wrong = trace_kernel_frame(k, number, &frame);
    const struct trace_piece *p = wrong ? NULL : find_piece(k, frame, w);
    if (!p)
        return wrong;
    *piece = *p;
    *found = true;
    if (data) {
        data->size = 0;
        trace_put(data, frame->data.data + p->at, p->bytes);
    }
    return NULL;
}

uint32_t trace_kernel_frames_until(const struct trace_kernel *k, uint64_t cta)
{
    uint32_t low = 0, high = k->frames.frames;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->frames.frame[k->order[middle]].first_cta <= cta)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same, remembered. */
static uint32_t frames_until_same(struct trace_kernel *k, uint64_t cta)
{
    if (k->until.cta != cta)
        k->until = (struct trace_frames_until){cta, trace_kernel_frames_until(k, cta)};
    return k->until.frames;
}

enum trace_presence trace_kernel_find(struct trace_kernel *k, uint64_t cta, uint32_t warp, uint32_t part,
                                      uint32_t *frame, struct trace_piece *piece, struct trace_bytes *data,
                                      const char **wrong)
{
    struct wanted wanted = {cta, warp, part};
    bool found = false;
    *wrong = NULL;
    pthread_mutex_lock(&k->lock);
    if (!part) {
        for (uint32_t i = frames_until_same(k, cta); !found && i > 0 && k->last_cta[i - 1] >= cta; i--) {
            const char *damage = look(k, &wanted, *frame = k->order[i - 1], piece, data, &found);
            *wrong = *wrong ? *wrong : damage;
        }
    } else {
        for (uint32_t i = *frame; !found && i < k->frames.frames; i++) {
            const char *damage = look(k, &wanted, *frame = i, piece, data, &found);
            *wrong = *wrong ? *wrong : damage;
        }
    }
    pthread_mutex_unlock(&k->lock);
    return found ? TRACE_PRESENT : *wrong ? TRACE_DAMAGED : TRACE_ABSENT;
}

bool trace_kernel_piece(struct trace_kernel *k, uint64_t cta, uint32_t warp, uint32_t part, uint32_t *frame,
                        struct trace_piece *piece, struct trace_bytes *data, struct status *status)
{
    const char *wrong;
    switch (trace_kernel_find(k, cta, warp, part, frame, piece, data, &wrong)) {
    case TRACE_PRESENT: return true;
    case TRACE_ABSENT: wrong = part ? "its stream is not complete" : "the trace does not have it"; break;
    case TRACE_DAMAGED: break;
    }
    return trace_kernel_fail(k, cta, warp, wrong, status);
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

enum trace_presence trace_kernel_presence(const struct trace_kernel *kernel, uint64_t cta, uint32_t warp)
{
    struct trace_piece piece;
    const char *wrong;
    uint32_t frame;
    return trace_kernel_find(trace_kernel_of(kernel), cta, warp, 0, &frame, &piece, NULL, &wrong);
}

void trace_kernel_summary(const struct trace_kernel *kernel, struct trace_summary *out)
{
    trace_summary(kernel->file, kernel->number, out);
}

/* The first CTA from this one on of which the frame has the begin of a stream (UINT64_MAX: none). A damaged frame may
 * have any of those that the index says, but not more than it has pieces. */
static uint64_t next_of_frame(struct trace_kernel *k, uint32_t number, uint64_t from)
{
    const struct trace_frame_entry *e = &k->frames.frame[number];
    const struct trace_frame *frame;
    if (e->first_part || e->last_cta < from)
        return UINT64_MAX;
    if (trace_kernel_frame(k, number, &frame)) {
        uint64_t cta = from > e->first_cta ? from : e->first_cta;
        return cta - e->first_cta < TRACE_FRAME_PIECES ? cta : UINT64_MAX;
    }
    for (uint32_t i = trace_frame_lower(frame, from); i < frame->pieces; i++)
        if (!frame->piece[i].part)
            return frame->piece[i].cta;
    return UINT64_MAX;
}

/* Frames come by their first CTA: those behind the nearest CTA do not have a nearer one. */
uint64_t trace_kernel_next_cta(const struct trace_kernel *kernel, uint64_t from)
{
    struct trace_kernel *k = trace_kernel_of(kernel);
    uint64_t nearest = UINT64_MAX;
    uint32_t behind = from ? trace_kernel_frames_until(k, from - 1) : 0;
    pthread_mutex_lock(&k->lock);
    for (uint32_t i = behind; nearest > from && i > 0 && k->last_cta[i - 1] >= from; i--) {
        uint64_t cta = next_of_frame(k, k->order[i - 1], from);
        nearest = cta < nearest ? cta : nearest;
    }
    for (uint32_t i = behind; i < k->frames.frames && k->frames.frame[k->order[i]].first_cta < nearest; i++) {
        uint64_t cta = next_of_frame(k, k->order[i], from);
        nearest = cta < nearest ? cta : nearest;
    }
    pthread_mutex_unlock(&k->lock);
    return nearest;
}

bool trace_kernel_check(const struct trace_kernel *kernel, uint64_t cta, uint32_t warp, struct status *status)
{
    struct trace_piece piece = {0};
    uint32_t frame = 0;
    for (uint32_t part = 0; !piece.last; part++)
        if (!trace_kernel_piece(trace_kernel_of(kernel), cta, warp, part, &frame, &piece, NULL, status))
            return false;
    return true;
}
