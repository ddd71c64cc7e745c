#include "sm/port/inbox.h"

#include <assert.h>
#include <stdlib.h>

bool inbox_init(struct inbox *in, uint32_t room)
{
    *in = (struct inbox){.heap = malloc(room * sizeof *in->heap), .room = room};
    return in->heap != NULL;
}

void inbox_free(struct inbox *in)
{
    free(in->heap);
    in->heap = NULL;
}

static bool before(const struct inbox_item *a, const struct inbox_item *b)
{
    return a->reply.arrival != b->reply.arrival ? a->reply.arrival < b->reply.arrival : a->sequence < b->sequence;
}

bool inbox_add(struct inbox *in, const struct reply *reply)
{
    if (in->count == in->room) {
        struct inbox_item *heap = realloc(in->heap, 2 * in->room * sizeof *heap);
        if (!heap)
            return false;
        in->heap = heap;
        in->room *= 2;
    }
    struct inbox_item item = {*reply, in->sequence++};
    uint32_t i = in->count++;
    while (i && before(&item, &in->heap[(i - 1) / 2])) {
        in->heap[i] = in->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    in->heap[i] = item;
    return true;
}

void inbox_take(struct inbox *in, struct reply *out)
{
    assert(in->count);
    *out = in->heap[0].reply;
    struct inbox_item last = in->heap[--in->count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= in->count)
            break;
        if (child + 1 < in->count && before(&in->heap[child + 1], &in->heap[child]))
            child++;
        if (!before(&in->heap[child], &last))
            break;
        in->heap[i] = in->heap[child];
        i = child;
    }
    in->heap[i] = last;
}

uint64_t inbox_port_free(const struct inbox *in) { return in->port_free / PORT_TICKS; }

/* One reply a cycle at most. */
void inbox_port_take(struct inbox *in, uint64_t now, uint32_t bytes, uint32_t bytes_per_cycle)
{
    uint64_t begin = now * PORT_TICKS;
    if (in->port_free > begin)
        begin = in->port_free;
    uint64_t ticks = ((uint64_t)bytes * PORT_TICKS + bytes_per_cycle - 1) / bytes_per_cycle;
    in->port_free = begin + (ticks > PORT_TICKS ? ticks : PORT_TICKS);
}

bool outbox_init(struct outbox *out, uint32_t room)
{
    *out = (struct outbox){.request = malloc(room * sizeof *out->request), .room = room};
    return out->request != NULL;
}

void outbox_free(struct outbox *out)
{
    free(out->request);
    out->request = NULL;
}

void outbox_add(struct outbox *out, const struct request *request)
{
    if (out->count == out->room) {
        struct request *more = realloc(out->request, 2 * out->room * sizeof *more);
        if (!more) {
            out->lost = true;
            return;
        }
        out->request = more;
        out->room *= 2;
    }
    out->request[out->count++] = *request;
}
