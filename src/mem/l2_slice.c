#include "mem/l2_slice.h"

#include "base/bits.h"
#include "base/order.h"
#include "mem/l2_reply.h"
#include "mem/l2_serve.h"

bool l2_slice_create(struct l2_slice *slice, const struct l2_model *model, uint32_t index, uint32_t slices,
                     uint32_t number, struct arena *arena)
{
    bool linked = model->map.partitions > 1;
    *slice =
        (struct l2_slice){.number = number, .index = index, .mirror = linked ? (index + slices / 2) % slices : index};
    bool tags = l2_tags_create(&slice->tags, model, number, arena);
    bool mshrs = l2_mshrs_create(&slice->mshrs, model->mshrs, arena);
    bool port = noc_port_create(&slice->port, &model->noc, arena);
    bool link = !linked || l2_link_create(&slice->link, model, arena);
    if (!tags || !mshrs || !port || !link)
        return false;
    l2_slice_reset(slice, false);
    return true;
}

void l2_slice_reset(struct l2_slice *slice, bool keep)
{
    if (!keep)
        l2_tags_reset(&slice->tags);
    else if (slice->mshrs.taken > 0)
        l2_tags_settle(&slice->tags);
    l2_mshrs_reset(&slice->mshrs);
    slice->atomic = (struct l2_atomic){0};
    if (slice->mirror != slice->index)
        l2_link_reset(&slice->link);
    slice->input = request_list_empty();
    slice->reads.head = slice->reads.tail = slice->writes.head = slice->writes.tail = 0;
    slice->copies_pending = 0;
    slice->free = 0;
    slice->wake = UINT64_MAX;
    slice->blocked = false;
    slice->lacks = L2_LACKS_OTHER;
    noc_port_reset(&slice->port);
}

void l2_slice_prefetch(const struct l2_slice *slice, uint32_t set) { l2_tags_prefetch(&slice->tags, set); }

/* First cycle in which the head can be served. */
static uint64_t head_start(const struct l2_slice *slice, const struct l2_context *context)
{
    if (slice->blocked || slice->input.first == REQUEST_NONE)
        return UINT64_MAX;
    const struct pooled_request *head = &context->pool->entry[slice->input.first];
    uint64_t start = latest(head->request.arrival, l2_slice_free(slice));
    bool atomic = head->request.kind == REQUEST_ATOMIC || head->request.kind == REQUEST_REDUCTION;
    if (atomic && head->home == slice->index && l2_atomic_next(&slice->atomic) > start)
        start = l2_atomic_next(&slice->atomic);
    return start;
}

static void set_wake(struct l2_slice *slice, const struct l2_context *context)
{
    slice->wake = head_start(slice, context);
    if (slice->mirror == slice->index)
        return;
    for (unsigned c = 0; c < L2_CHANNELS; c++)
        slice->wake = earliest(slice->wake, slice->link.next[c]);
}

void l2_slice_arrive(struct l2_slice *slice, struct l2_context *context, uint32_t request)
{
    struct request *r = &context->pool->entry[request].request;
    context->n->l2_requests++;
    r->arrival = noc_receive(&context->model->noc, &slice->port, r);
    bool idle = slice->input.first == REQUEST_NONE;
    request_list_append(context->pool, &slice->input, request);
    if (idle) {
        uint64_t start = head_start(slice, context);
        slice->wake = start < slice->wake ? start : slice->wake;
    }
}

/* Gives up copies of the sectors, also those that are in flight. Requests that wait for them still get them. */
static void drop_copy(struct l2_slice *slice, uint32_t set, uint64_t local, uint8_t sectors)
{
    struct l2_tags *tags = &slice->tags;
    struct l2_place place = l2_tags_find(tags, set, l2_key(local, true));
    if (!l2_tags_has(tags, place))
        return;
    place.line->valid &= (uint8_t)~sectors;
    if (place.line->mshr != L2_NO_MSHR) {
        struct l2_mshr *mshr = &slice->mshrs.mshr[place.line->mshr];
        mshr->barred |= mshr->pending & sectors;
    } else if (place.line->valid == 0)
        l2_tags_drop(tags, place);
}

void l2_order_copy_away(const struct l2_slice *home, const struct l2_context *context, uint64_t now, uint64_t local,
                        uint8_t sectors)
{
    struct l2_slice *mirror = &context->slice[home->mirror];
    l2_link_order(&mirror->link, context->model, now);
    drop_copy(mirror, address_map_set(&context->model->map, local), local, sectors);
    context->n->l2_copies_dropped++;
}

/* A request that is not for this half goes on to its home. It takes its sectors' turns here too, as the profiler counts
 * them. */
static void pass_on(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now)
{
    const struct pooled_request *entry = &context->pool->entry[index];
    unsigned sectors = popcount4(entry->request.sectors);
    bool load = entry->request.kind == REQUEST_LOAD;
    if (!load && context->model->copies)
        drop_copy(slice, entry->set, entry->local, entry->request.sectors);
    context->n->l2_sectors_passed += sectors;
    context->n->l2_sectors_passed_load += load ? sectors : 0;
    l2_cross(context, index, l2_take_sectors(slice, context, now, sectors));
}

static bool serve(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now)
{
    const struct pooled_request *entry = &context->pool->entry[index];
    if (entry->home == slice->index)
        return l2_serve_home(slice, context, index, now);
    if (!l2_copies(context, &entry->request) || !l2_serve_copy(slice, context, index, now))
        pass_on(slice, context, index, now);
    return true;
}

/* An answer is back from the home: it leaves for the SM, and a copy stays. An answer to a store or a strong load leaves
 * none. */
static void returned(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now)
{
    struct pooled_request *entry = &context->pool->entry[index];
    uint8_t asked = entry->asked;
    if (asked == 0) {
        if (l2_copies(context, &entry->request))
            l2_leave_copy(slice, context, index, now);
        l2_reply(slice, context, index, now);
        return;
    }
    uint16_t mshr = l2_tags_find(&slice->tags, entry->set, l2_key(entry->local, true)).line->mshr;
    uint8_t rest = entry->rest & slice->mshrs.mshr[mshr].pending; /* sectors that have not come before */
    if (rest == 0)
        l2_reply(slice, context, index, now);
    else
        l2_wait(slice, context, mshr, index, rest, now);
    l2_slice_fill(slice, context, now, mshr, asked);
}

static void from_link(struct l2_slice *slice, struct l2_context *context, uint64_t now)
{
    struct l2_link *link = &slice->link;
    while (link->next[L2_ANSWERS] <= now)
        returned(slice, context, l2_link_take(link, context->pool, L2_ANSWERS), now);
    while (link->next[L2_REQUESTS] <= now)
        request_list_append(context->pool, &slice->input, l2_link_take(link, context->pool, L2_REQUESTS));
}

/* Answers those that waited for nothing else, in their order. */
static void wake_waiters(struct l2_slice *slice, struct l2_context *context, struct l2_mshr *mshr, uint64_t now,
                         uint8_t sectors)
{
    struct request_list waiters = mshr->waiters;
    mshr->waiters = request_list_empty();
    while (waiters.first != REQUEST_NONE) {
        uint32_t index = request_list_take(context->pool, &waiters);
        uint8_t *lack = &context->pool->entry[index].lack;
        *lack &= (uint8_t)~sectors;
        if (*lack != 0) {
            request_list_append(context->pool, &mshr->waiters, index);
            continue;
        }
        mshr->waiting--;
        l2_complete(slice, context, index, now);
    }
}

void l2_slice_fill(struct l2_slice *slice, struct l2_context *context, uint64_t now, uint16_t id, uint8_t sectors)
{
    struct l2_mshr *mshr = &slice->mshrs.mshr[id];
    struct l2_line *line = &slice->tags.line[mshr->line];
    uint8_t kept = l2_mshr_arrive(mshr, sectors);
    line->valid |= kept;
    line->partial &= (uint8_t)~kept;
    wake_waiters(slice, context, mshr, now, sectors);
    if (mshr->pending == 0) {
        line->mshr = L2_NO_MSHR;
        slice->copies_pending -= line->class == L2_COPY;
        if ((line->valid | line->partial) == 0)
            l2_tags_drop(&slice->tags, l2_tags_at(&slice->tags, mshr->line));
        l2_mshrs_release(&slice->mshrs, id);
    }
    l2_slice_unblock(slice, now);
}

void l2_slice_run(struct l2_slice *slice, struct l2_context *context, uint64_t now)
{
    if (slice->mirror != slice->index)
        from_link(slice, context, now);
    while (head_start(slice, context) <= now) {
        uint32_t index = slice->input.first, next = context->pool->entry[index].next;
        slice->lacks = L2_LACKS_OTHER;
        if (serve(slice, context, index, now))
            slice->input.first = next;
        else
            slice->blocked = true;
    }
    set_wake(slice, context);
}

void l2_slice_unblock(struct l2_slice *slice, uint64_t now)
{
    bool reads_full = slice->lacks == L2_LACKS_READS && l2_output_full(&slice->reads);
    bool mshrs_full = slice->lacks == L2_LACKS_MSHR && l2_mshrs_full(&slice->mshrs);
    if (slice->blocked && !reads_full && !mshrs_full) {
        slice->blocked = false;
        slice->wake = now;
    }
}

void l2_slice_count(const struct l2_slice *slice, struct mem_counters *n)
{
    const uint32_t *resident = slice->tags.resident;
    n->l2_lines_copies += resident[L2_COPY];
    n->l2_lines_first += resident[L2_FIRST];
    n->l2_lines_normal += resident[L2_NORMAL];
    n->l2_lines_last += resident[L2_LAST];
    n->l2_sectors_dirty += slice->tags.dirty;
}
