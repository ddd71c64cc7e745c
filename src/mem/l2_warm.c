#include "mem/l2_warm.h"

#include "base/bits.h"

/* A slice, and the common part of its group. */
struct visit {
    struct l2_slice *slice, *slices;
    const struct l2_model *model;
    enum request_policy policy;
};

static struct l2_place find(const struct visit *v, uint64_t local, bool copy)
{
    return l2_tags_find(&v->slice->tags, address_map_set(&v->model->map, local), l2_key(local, copy));
}

static void clean(struct l2_tags *tags, struct l2_line *line)
{
    tags->dirty -= popcount4(line->dirty);
    line->dirty = 0;
}

static void clean_row(const struct visit *v, uint64_t local)
{
    uint64_t lines = v->model->row_lines > 1 ? v->model->row_lines : 1, first = local / lines * lines;
    for (uint64_t near = first; near < first + lines; near++) {
        struct l2_place place = find(v, near, false);
        if (l2_tags_has(&v->slice->tags, place) && place.line->dirty)
            clean(&v->slice->tags, place.line);
    }
}

/* Copies that are in flight stay. */
static void drop_copy(struct l2_slice *mirror, const struct l2_model *model, uint64_t local, uint8_t sectors)
{
    struct l2_tags *tags = &mirror->tags;
    struct l2_place place = l2_tags_find(tags, address_map_set(&model->map, local), l2_key(local, true));
    if (!l2_tags_has(tags, place))
        return;
    place.line->valid &= (uint8_t)~sectors;
    if (place.line->mshr == L2_NO_MSHR && place.line->valid == 0)
        l2_tags_drop(tags, place);
}

/* Makes room for a line (false: all lines of the set wait for sectors). */
static bool allocate(const struct visit *v, uint64_t local, bool copy, struct l2_place *place)
{
    struct l2_tags *tags = &v->slice->tags;
    struct l2_place victim;
    uint64_t key;
    if (!l2_tags_victim(tags, place->set, &victim))
        return false;
    if (l2_tags_key(tags, victim, &key)) {
        uint8_t copied = victim.line->copied;
        if (victim.line->dirty)
            clean_row(v, l2_key_local(key));
        if (copied)
            drop_copy(&v->slices[v->slice->mirror], v->model, l2_key_local(key), copied);
    }
    l2_tags_replace(tags, &victim, l2_key(local, copy), v->policy, copy);
    *place = victim;
    return true;
}

/* Returns the line as the most recent of its set (NULL: there is no place for it). */
static struct l2_line *reach(const struct visit *v, uint64_t local, bool copy)
{
    struct l2_place place = find(v, local, copy);
    if (l2_tags_has(&v->slice->tags, place))
        l2_tags_touch(&v->slice->tags, &place, v->policy);
    else if (!allocate(v, local, copy, &place))
        return NULL;
    return place.line;
}

static uint8_t pending(const struct l2_slice *slice, const struct l2_line *line)
{
    return (uint8_t)(line->mshr == L2_NO_MSHR ? 0u : slice->mshrs.mshr[line->mshr].pending);
}

/* As mem/l2_serve.c widens its requests to memory. */
static uint8_t widen(const struct l2_model *model, const struct request *request, uint8_t sectors)
{
    uint32_t fetch = request->fetch ? request->fetch : model->fetch;
    if (fetch >= PORT_SECTORS)
        return (1 << PORT_SECTORS) - 1;
    return (uint8_t)(fetch == 2 ? sectors | (sectors & 5) << 1 | (sectors & 10) >> 1 : sectors);
}

static void fetch(const struct visit *v, const struct request *request, struct l2_line *line)
{
    uint8_t lack = request->sectors & (uint8_t)~line->valid;
    uint8_t come = (uint8_t)(lack ? widen(v->model, request, lack) & ~pending(v->slice, line) : 0);
    line->valid |= come;
    line->partial &= (uint8_t)~line->valid;
}

static void dirty(const struct visit *v, uint64_t local, struct l2_line *line, uint8_t sectors)
{
    v->slice->tags.dirty += popcount4(sectors & ~line->dirty);
    line->dirty |= sectors;
    if (line->copied & sectors)
        drop_copy(&v->slices[v->slice->mirror], v->model, local, line->copied & sectors);
    line->copied &= (uint8_t)~sectors;
}

static void store(const struct visit *v, const struct request *request, uint64_t local, struct l2_line *line)
{
    uint8_t part = (uint8_t)(request->sectors & request->partial);
    dirty(v, local, line, request->sectors);
    line->valid |= request->sectors & (uint8_t)~part;
    line->partial = (uint8_t)((line->partial | part) & ~line->valid);
}

void l2_warm(struct l2_slice *home, struct l2_slice *entry, struct l2_slice *slices, const struct l2_model *model,
             const struct request *request, uint64_t local)
{
    const struct visit at_home = {home, slices, model, (enum request_policy)request->policy};
    const struct visit at_entry = {entry, slices, model, (enum request_policy)request->policy};
    bool load = request->kind == REQUEST_LOAD;
    bool copies = load && !request->effect && entry != home && model->copies;
    if (copies) {
        struct l2_line *copy = reach(&at_entry, local, true);
        if (copy && (request->sectors & ~copy->valid) == 0)
            return;
        if (copy)
            copy->valid |= request->sectors & (uint8_t)~pending(entry, copy);
    }
    struct l2_line *line = reach(&at_home, local, false);
    if (!line)
        return;
    if (request->kind == REQUEST_STORE) {
        store(&at_home, request, local, line);
        return;
    }
    fetch(&at_home, request, line);
    if (copies)
        line->copied |= request->sectors;
    if (!load)
        dirty(&at_home, local, line, request->sectors);
}
