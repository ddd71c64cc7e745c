#include "mem/l2_reply.h"

#include "base/bits.h"
#include "base/order.h"

static uint64_t take(struct l2_slice *slice, struct l2_context *context, uint64_t now, uint64_t time)
{
    uint64_t interval = context->model->sector_interval;
    bool follows = l2_slice_free(slice) >= now && slice->free >= interval;
    uint64_t begin = l2_slice_free(slice) >= now ? slice->free : now << BUS_FRACTION;
    uint64_t before = follows ? (begin - interval) >> BUS_FRACTION : (begin >> BUS_FRACTION) - 1;
    slice->free = begin + time;
    uint64_t last = (slice->free - interval) >> BUS_FRACTION;
    context->n->l2_busy_cycles += last - before;
    return last;
}

uint64_t l2_take_sectors(struct l2_slice *slice, struct l2_context *context, uint64_t now, unsigned count)
{
    return take(slice, context, now, count * context->model->sector_interval);
}

uint64_t l2_take_store(struct l2_slice *slice, struct l2_context *context, uint64_t now, unsigned count, unsigned bytes)
{
    const struct l2_model *model = context->model;
    return take(slice, context, now, latest(count * model->sector_interval, bytes * model->store_byte));
}

static inline bool carries_data(const struct request *request)
{
    return request->kind == REQUEST_LOAD || request->kind == REQUEST_ATOMIC;
}

void l2_reply(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t ready)
{
    const struct request *request = &context->pool->entry[index].request;
    uint32_t bytes = carries_data(request) ? popcount4(request->sectors) * PORT_SECTOR : 0;
    const struct noc *noc = &context->model->noc;
    context->reply[context->replies++] =
        (struct reply){.arrival = noc_send(noc, &slice->port, ready, bytes) + noc_way(noc, request->sm, slice->number),
                       .line = request->line,
                       .sm = request->sm,
                       .token = request->token,
                       .client = request->client,
                       .sectors = request->sectors,
                       .kind = request->kind};
    request_pool_release(context->pool, index);
}

void l2_answer(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t done)
{
    const struct pooled_request *entry = &context->pool->entry[index];
    const struct request *request = &entry->request;
    uint64_t ready = done + context->model->latency;
    if (request->kind == REQUEST_ATOMIC)
        ready += context->model->atomic_latency;
    if (!entry->crossed) {
        l2_reply(slice, context, index, ready);
        return;
    }
    unsigned sectors = popcount4(entry->asked != 0 ? entry->asked : request->sectors);
    struct l2_slice *mirror = &context->slice[slice->mirror];
    l2_link_send(&mirror->link, context->model, context->pool, index, L2_ANSWERS, ready,
                 carries_data(request) ? sectors * PORT_SECTOR : 0);
    mirror->wake = earliest(mirror->wake, mirror->link.next[L2_ANSWERS]);
}

void l2_cross(struct l2_context *context, uint32_t index, uint64_t ready)
{
    struct pooled_request *entry = &context->pool->entry[index];
    struct l2_slice *home = &context->slice[entry->home];
    context->n->l2_requests_crossed++;
    entry->crossed = true;
    l2_slice_prefetch(home, entry->set);
    l2_link_send(&home->link, context->model, context->pool, index, L2_REQUESTS, ready, entry->request.bytes);
    home->wake = earliest(home->wake, home->link.next[L2_REQUESTS]);
}

void l2_wait(struct l2_slice *slice, struct l2_context *context, uint16_t mshr, uint32_t index, uint8_t lack,
             uint64_t least)
{
    struct pooled_request *entry = &context->pool->entry[index];
    entry->lack = lack;
    entry->request.arrival = least;
    slice->mshrs.mshr[mshr].waiting++;
    request_list_append(context->pool, &slice->mshrs.mshr[mshr].waiters, index);
}

void l2_complete(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now)
{
    const struct pooled_request *entry = &context->pool->entry[index];
    const struct request *request = &entry->request;
    uint64_t ready = latest(now, request->arrival);
    if (entry->home != slice->index)
        l2_reply(slice, context, index, ready);
    else if (request->kind == REQUEST_LOAD)
        l2_answer(slice, context, index, ready);
    else
        l2_answer(slice, context, index, l2_operate(slice, context, request, ready));
}

uint64_t l2_operate(struct l2_slice *slice, struct l2_context *context, const struct request *request, uint64_t now)
{
    const struct l2_model *model = context->model;
    uint32_t merged = request->operations ? request->operations : popcount4(request->sectors);
    uint32_t width = (request->bytes + model->atomic_bytes - 1) / model->atomic_bytes;
    uint32_t operations = model->atomic_merge ? larger(merged, width) : popcount32(request->lanes);
    uint64_t before = l2_atomic_next(&slice->atomic);
    operations = operations > 0 ? operations : 1;
    uint32_t opened = l2_atomic_open(&slice->atomic, request->line, request->sectors);
    uint64_t work = operations * model->atomic_interval, least = opened * model->atomic_least;
    uint64_t extra = latest(popcount4(request->sectors) * model->atomic_extra, least > work ? least - work : 0);
    uint64_t last = l2_atomic_take(&slice->atomic, model->atomic_interval, now, operations, extra);
    context->n->l2_busy_cycles += l2_atomic_next(&slice->atomic) - latest(before, now);
    return last;
}
