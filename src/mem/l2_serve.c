#include "mem/l2_serve.h"

#include "base/bits.h"
#include "mem/l2_reply.h"
#include "mem/mem.h"

/* A request while it is served. */
struct visit {
    struct l2_slice *slice;
    struct l2_context *context;
    struct pooled_request *entry;
    uint32_t index;
    bool copy;
    uint64_t now;
    struct l2_place place;
};

static struct visit look_up(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now, bool copy)
{
    struct visit v = {.slice = slice,
                      .context = context,
                      .entry = &context->pool->entry[index],
                      .index = index,
                      .copy = copy,
                      .now = now};
    v.place = l2_tags_find(&slice->tags, v.entry->set, l2_key(v.entry->local, copy));
    return v;
}

static inline bool found(const struct visit *v) { return l2_tags_has(&v->slice->tags, v->place); }

static inline uint8_t valid_sectors(const struct visit *v) { return (uint8_t)(found(v) ? v->place.line->valid : 0u); }

static inline struct l2_mshr *mshr_of(const struct visit *v)
{
    if (!found(v) || v->place.line->mshr == L2_NO_MSHR)
        return NULL;
    return &v->slice->mshrs.mshr[v->place.line->mshr];
}

static inline uint8_t pending_sectors(const struct visit *v)
{
    const struct l2_mshr *mshr = mshr_of(v);
    return (uint8_t)(mshr != NULL ? mshr->pending : 0u);
}

static inline void touch(struct visit *v)
{
    l2_tags_touch(&v->slice->tags, &v->place, (enum request_policy)v->entry->request.policy);
}

/* An access to the line's place in memory. */
static struct l2_access access_to(const struct visit *v, uint64_t local, uint16_t mshr, uint8_t sectors)
{
    struct address_channel to = address_map_channel(&v->context->model->map, v->slice->index, local);
    return (struct l2_access){
        .local = local, .line = to.line, .channel = (uint16_t)to.channel, .mshr = mshr, .sectors = sectors};
}

static void write_out(const struct visit *v, uint64_t local, struct l2_line *line)
{
    unsigned sectors = popcount4(line->dirty);
    *l2_output_push(&v->slice->writes, v->now) = access_to(v, local, 0, line->dirty);
    v->context->n->l2_evictions_dirty += sectors;
    v->slice->tags.dirty -= sectors;
    line->dirty = 0;
}

/* Dirty lines beside the victim are in its row of memory: they go with it, as far as there is room, and stay, clean.
 * Else a stream of writes opens a row for each line. That hardware does so is not published; "The virtual write queue"
 * (ISCA 2010) proposes it. */
static void write_out_neighbours(const struct visit *v, uint64_t local)
{
    uint64_t lines = v->context->model->row_lines, first = local / lines * lines;
    for (uint64_t near = first; near < first + lines; near++) {
        uint32_t set = address_map_set(&v->context->model->map, near);
        struct l2_place place = l2_tags_find(&v->slice->tags, set, l2_key(near, false));
        if (l2_tags_has(&v->slice->tags, place) && place.line->dirty != 0 && !l2_output_full(&v->slice->writes))
            write_out(v, near, place.line);
    }
}

/* Dirty sectors of the victim go to memory. Its copy goes with it. */
static bool evict(const struct visit *v, struct l2_place victim)
{
    uint64_t key;
    struct l2_line *line = victim.line;
    if (!l2_tags_key(&v->slice->tags, victim, &key) || (line->dirty | line->copied) == 0)
        return true;
    if (line->dirty != 0) {
        if (l2_output_full(&v->slice->writes))
            return false;
        write_out(v, l2_key_local(key), line);
        if (v->context->model->row_lines > 1)
            write_out_neighbours(v, l2_key_local(key));
    }
    if (line->copied != 0)
        l2_order_copy_away(v->slice, v->context, v->now, l2_key_local(key), line->copied);
    return true;
}

/* A line for the request where there was none. */
static bool allocate(struct visit *v)
{
    struct l2_tags *tags = &v->slice->tags;
    struct l2_place victim;
    if (v->copy && l2_tags_copies_pending(tags, v->place.set) + 1 >= tags->ways)
        return false;
    if (!l2_tags_victim(tags, v->place.set, &victim) || !evict(v, victim))
        return false;
    l2_tags_replace(tags, &victim, l2_key(v->entry->local, v->copy), (enum request_policy)v->entry->request.policy,
                    v->copy);
    v->place = victim;
    return true;
}

/* Sectors to ask of memory for those that are missing: aligned runs of the fetch size. The second line of a two-line
 * fetch lives in another slice and is not brought. */
static uint8_t widen(const struct visit *v, uint8_t sectors)
{
    uint32_t fetch = v->entry->request.fetch != 0 ? v->entry->request.fetch : v->context->model->fetch;
    if (fetch >= PORT_SECTORS)
        return (1 << PORT_SECTORS) - 1;
    if (fetch == 2)
        sectors |= (uint8_t)((sectors & 5) << 1 | (sectors & 10) >> 1);
    return sectors;
}

/* Notes the reason for which the request waits. Returns false: the request is not served. */
static inline bool lacks(const struct visit *v, enum l2_lack what)
{
    v->slice->lacks = (uint8_t)what;
    return false;
}

/* Registers the missing sectors at the line's MSHR; `*ask` are those that have to be asked for. */
static bool miss(struct visit *v, uint8_t lack, uint8_t *ask)
{
    const struct l2_model *model = v->context->model;
    struct l2_mshr *mshr = mshr_of(v);
    uint8_t pending = pending_sectors(v), missing = lack & (uint8_t)~pending;
    if (missing != 0 && !v->copy)
        missing = (uint8_t)(widen(v, missing) & ~valid_sectors(v) & ~pending);
    if (mshr == NULL && l2_mshrs_full(&v->slice->mshrs))
        return lacks(v, L2_LACKS_MSHR);
    if (mshr != NULL && mshr->waiting >= model->merges)
        return false;
    if (mshr == NULL && v->copy && v->slice->copies_pending >= model->mshrs / 2)
        return false;
    if (missing != 0 && !v->copy && l2_output_full(&v->slice->reads))
        return lacks(v, L2_LACKS_READS);
    if (found(v))
        touch(v);
    else if (!allocate(v))
        return false;
    if (mshr == NULL) {
        v->place.line->mshr = l2_mshrs_take(&v->slice->mshrs, l2_tags_index(&v->slice->tags, v->place.line));
        v->slice->copies_pending += v->copy;
        mshr = mshr_of(v);
    }
    mshr->pending |= missing;
    if (missing != 0 && !v->copy)
        *l2_output_push(&v->slice->reads, v->now) = access_to(v, v->entry->local, v->place.line->mshr, missing);
    *ask = missing;
    return true;
}

/* The sectors are about to change. */
static void make_dirty(struct visit *v, uint8_t sectors)
{
    struct l2_line *line = v->place.line;
    v->slice->tags.dirty += popcount4(sectors & ~line->dirty);
    line->dirty |= sectors;
    if ((line->copied & sectors) == 0)
        return;
    line->copied &= (uint8_t)~sectors;
    if (!v->entry->crossed) /* else the copy went when the request passed it */
        l2_order_copy_away(v->slice, v->context, v->now, v->entry->local, sectors);
}

static bool load(struct visit *v)
{
    struct pooled_request *entry = v->entry;
    uint8_t want = entry->asked != 0 ? entry->asked : entry->request.sectors;
    uint8_t lack = want & (uint8_t)~valid_sectors(v), ask, pending = pending_sectors(v);
    if (lack == 0)
        touch(v);
    else if (!miss(v, lack, &ask))
        return false;
    unsigned count = popcount4(want);
    v->context->n->l2_sectors_read += count;
    v->context->n->l2_sectors_read_hit += popcount4(want & (~lack | pending));
    if (entry->crossed && l2_copies(v->context, &entry->request))
        v->place.line->copied |= want;
    uint64_t done = l2_take_sectors(v->slice, v->context, v->now, count);
    if (lack == 0)
        l2_answer(v->slice, v->context, v->index, done);
    else
        l2_wait(v->slice, v->context, v->place.line->mshr, v->index, lack, done);
    return true;
}

static bool store(struct visit *v)
{
    const struct request *request = &v->entry->request;
    uint8_t sectors = request->sectors, part = (uint8_t)(sectors & request->partial);
    if (found(v))
        touch(v);
    else if (!allocate(v))
        return false;
    struct l2_line *line = v->place.line;
    unsigned count = popcount4(sectors);
    v->context->n->l2_sectors_write += count;
    v->context->n->l2_sectors_write_hit += popcount4((line->valid | line->partial) & sectors);
    make_dirty(v, sectors);
    line->valid |= sectors & (uint8_t)~part;
    line->partial = (uint8_t)((line->partial | part) & ~line->valid);
    count += part ? v->context->model->partial_extra : 0;
    uint64_t done = l2_take_store(v->slice, v->context, v->now, count, request->bytes);
    l2_answer(v->slice, v->context, v->index, done);
    return true;
}

static bool atomic(struct visit *v)
{
    const struct request *request = &v->entry->request;
    uint8_t lack = request->sectors & (uint8_t)~valid_sectors(v), ask, pending = pending_sectors(v);
    if (lack == 0)
        touch(v);
    else if (!miss(v, lack, &ask))
        return false;
    v->context->n->l2_sectors_atomic += popcount4(request->sectors);
    v->context->n->l2_sectors_atomic_hit += popcount4(request->sectors & (~lack | pending));
    make_dirty(v, request->sectors);
    if (lack == 0)
        l2_answer(v->slice, v->context, v->index, l2_operate(v->slice, v->context, request, v->now));
    else
        l2_wait(v->slice, v->context, v->place.line->mshr, v->index, lack, v->now);
    return true;
}

/* The home is where strong accesses take effect, in the order of service. */
bool l2_serve_home(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now)
{
    struct visit v = look_up(slice, context, index, now, false);
    struct request request = v.entry->request;
    bool served = false;
    switch ((enum request_kind)request.kind) {
    case REQUEST_LOAD: served = load(&v); break;
    case REQUEST_STORE: served = store(&v); break;
    case REQUEST_REDUCTION:
    case REQUEST_ATOMIC: served = atomic(&v); break;
    case REQUEST_ANSWER: break; /* goes to an SM */
    }
    if (served && request.effect)
        context->effects->apply(context->effects->self, &request);
    return served;
}

bool l2_serve_copy(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now)
{
    struct visit v = look_up(slice, context, index, now, true);
    struct pooled_request *entry = v.entry;
    uint8_t sectors = entry->request.sectors, lack = sectors & (uint8_t)~valid_sectors(&v), ask = 0;
    if (lack == 0)
        touch(&v);
    else if (!miss(&v, lack, &ask))
        return false;
    unsigned here = popcount4(sectors & ~ask);
    context->n->l2_sectors_read += here;
    context->n->l2_sectors_read_hit += here;
    context->n->l2_sectors_copy += here;
    context->n->l2_sectors_passed += popcount4(ask);
    context->n->l2_sectors_passed_load += popcount4(ask);
    uint64_t done = l2_take_sectors(slice, context, now, popcount4(sectors));
    if (lack == 0)
        l2_reply(slice, context, index, done + context->model->latency);
    else if (ask == 0)
        l2_wait(slice, context, v.place.line->mshr, index, lack, done + context->model->latency);
    else {
        entry->asked = ask;
        entry->rest = lack & (uint8_t)~ask;
        l2_cross(context, index, done);
    }
    return true;
}

void l2_leave_copy(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now)
{
    struct visit v = look_up(slice, context, index, now, true);
    struct l2_tags *home = &context->slice[v.entry->home].tags;
    struct l2_place original = l2_tags_find(home, v.entry->set, l2_key(v.entry->local, false));
    uint8_t sectors = (uint8_t)(l2_tags_has(home, original) ? original.line->copied & v.entry->request.sectors : 0);
    if (sectors == 0)
        return;
    if (found(&v))
        touch(&v);
    else if (!allocate(&v))
        return;
    v.place.line->valid |= sectors;
}
