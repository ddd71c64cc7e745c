#include "trace/index.h"

#include <stdlib.h>

enum { NAME_MOST = 1 << 16 };

/* Room for one more (NULL: no memory). */
static void *grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    uint32_t more = *room ? 2 * *room : 16;
    void *data = realloc(array, more * size);
    if (data)
        *room = more;
    return data;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

void trace_index_free(struct trace_index *index)
{
    for (uint32_t i = 0; i < index->kernels; i++)
        free(index->kernel[i].name);
    free(index->kernel);
    free(index->command);
    *index = (struct trace_index){0};
}

struct trace_kernel_entry *trace_index_add_kernel(struct trace_index *index)
{
    void *data = grow(index->kernel, index->kernels, &index->kernel_room, sizeof *index->kernel);
    if (!data)
        return NULL;
    index->kernel = data;
    index->kernel[index->kernels] = (struct trace_kernel_entry){0};
    return &index->kernel[index->kernels++];
}

struct trace_command *trace_index_add_command(struct trace_index *index)
{
    void *data = grow(index->command, index->commands, &index->command_room, sizeof *index->command);
    if (!data)
        return NULL;
    index->command = data;
    index->command[index->commands] = (struct trace_command){0};
    return &index->command[index->commands++];
}

void trace_index_put(const struct trace_index *index, struct trace_bytes *out)
{
    trace_put_number(out, index->origin_at);
    trace_put_number(out, index->kernels);
    for (uint32_t i = 0; i < index->kernels; i++) {
        const struct trace_kernel_entry *k = &index->kernel[i];
        trace_put_text(out, k->name);
        trace_put_number(out, k->frames_at);
        trace_put_number(out, k->ctas);
        trace_put_number(out, k->warps);
        trace_put_number(out, k->instructions);
        trace_put_number(out, k->bytes);
        trace_put_number(out, k->complete);
    }
    trace_put_number(out, index->commands);
    for (uint32_t i = 0; i < index->commands; i++) {
        const struct trace_command *c = &index->command[i];
        trace_put_number(out, c->kind);
        if (c->kind == TRACE_LAUNCH) {
            trace_put_number(out, c->kernel);
            continue;
        }
        trace_put_number(out, c->copy.address);
        trace_put_number(out, c->copy.bytes);
        trace_put_number(out, c->copy.stream);
    }
}

static bool take_kernel(struct trace_index *index, struct trace_view *v)
{
    struct trace_kernel_entry *k = trace_index_add_kernel(index);
    if (!k || !(k->name = trace_take_text(v, NAME_MOST)))
        return false;
    k->frames_at = trace_take_number(v);
    k->ctas = trace_take_number(v);
    k->warps = trace_take_number(v);
    k->instructions = trace_take_number(v);
    k->bytes = trace_take_number(v);
    k->complete = trace_take_below(v, 1);
    return !v->failed;
}

static bool take_command(struct trace_index *index, struct trace_view *v)
{
    struct trace_command *c = trace_index_add_command(index);
    if (!c)
        return false;
    c->kind = (enum trace_command_kind)trace_take_below(v, TRACE_COPY);
    if (c->kind == TRACE_LAUNCH) {
        c->kernel = (uint32_t)trace_take_below(v, UINT32_MAX);
        return !v->failed && c->kernel < index->kernels;
    }
    c->copy.address = trace_take_number(v);
    c->copy.bytes = trace_take_number(v);
    c->copy.stream = trace_take_number(v);
    return !v->failed;
}

bool trace_index_take(struct trace_index *index, struct trace_view *v)
{
    index->origin_at = trace_take_number(v);
    for (uint64_t count = trace_take_below(v, trace_left(v)); count; count--)
        if (!take_kernel(index, v))
            return false;
    for (uint64_t count = trace_take_below(v, trace_left(v)); count; count--)
        if (!take_command(index, v))
            return false;
    return !v->failed && !trace_left(v);
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

void trace_frames_free(struct trace_frames *f)
{
    free(f->dictionary_at);
    free(f->frame);
    *f = (struct trace_frames){0};
}

bool trace_frames_add(struct trace_frames *f, const struct trace_frame_entry *entry)
{
    void *data = grow(f->frame, f->frames, &f->frame_room, sizeof *f->frame);
    if (!data)
        return false;
    f->frame = data;
    f->frame[f->frames++] = *entry;
    return true;
}

bool trace_frames_add_dictionary(struct trace_frames *f, uint64_t at)
{
    void *data = grow(f->dictionary_at, f->dictionaries, &f->dictionary_room, sizeof *f->dictionary_at);
    if (!data)
        return false;
    f->dictionary_at = data;
    f->dictionary_at[f->dictionaries++] = at;
    return true;
}

void trace_frames_put(const struct trace_frames *f, struct trace_bytes *out)
{
    uint64_t at = 0, cta = 0;
    trace_put_number(out, f->kernel_at);
    trace_put_number(out, f->dictionaries);
    for (uint32_t i = 0; i < f->dictionaries; i++)
        trace_put_number(out, f->dictionary_at[i]);
    trace_put_number(out, f->frames);
    for (uint32_t i = 0; i < f->frames; i++) {
        const struct trace_frame_entry *e = &f->frame[i];
        trace_put_number(out, e->at - at);
        trace_put_signed(out, (int64_t)(e->first_cta - cta));
        trace_put_number(out, e->last_cta - e->first_cta);
        trace_put_number(out, e->first_warp);
        trace_put_number(out, e->last_warp - e->first_warp);
        trace_put_number(out, e->first_part);
        trace_put_number(out, e->last_part - e->first_part);
        at = e->at;
        cta = e->first_cta;
    }
    for (uint32_t i = 0; i < f->frames; i++)
        trace_put_number(out, f->frame[i].instructions);
}

static bool take_frame(struct trace_frames *f, struct trace_view *v, uint64_t at, uint64_t cta)
{
    struct trace_frame_entry e = {.at = at + trace_take_number(v)};
    e.first_cta = cta + (uint64_t)trace_take_signed(v);
    e.last_cta = e.first_cta + trace_take_below(v, UINT64_MAX - e.first_cta);
    e.first_warp = (uint32_t)trace_take_below(v, UINT32_MAX);
    e.last_warp = e.first_warp + (uint32_t)trace_take_below(v, UINT32_MAX - e.first_warp);
    e.first_part = (uint32_t)trace_take_below(v, UINT32_MAX);
    e.last_part = e.first_part + (uint32_t)trace_take_below(v, UINT32_MAX - e.first_part);
    return !v->failed && trace_frames_add(f, &e);
}

bool trace_frames_take(struct trace_frames *f, struct trace_view *v, bool counted)
{
    f->kernel_at = trace_take_number(v);
    for (uint64_t count = trace_take_below(v, trace_left(v)); count; count--)
        if (!trace_frames_add_dictionary(f, trace_take_number(v)))
            return false;
    for (uint64_t count = trace_take_below(v, trace_left(v)); count; count--) {
        const struct trace_frame_entry *before = f->frames ? &f->frame[f->frames - 1] : NULL;
        if (!take_frame(f, v, before ? before->at : 0, before ? before->first_cta : 0))
            return false;
    }
    f->counted = counted;
    for (uint32_t i = 0; counted && i < f->frames; i++)
        f->frame[i].instructions = trace_take_number(v);
    return !v->failed && !trace_left(v);
}
