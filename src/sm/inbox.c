#include "sm/inbox.h"

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

void inbox_add(struct inbox *in, const struct reply *reply)
{
    assert(in->count < in->room);
    struct inbox_item item = {*reply, in->sequence++};
    uint32_t i = in->count++;
    while (i && before(&item, &in->heap[(i - 1) / 2])) {
        in->heap[i] = in->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    in->heap[i] = item;
}

uint64_t inbox_next(const struct inbox *in) { return in->count ? in->heap[0].reply.arrival : UINT64_MAX; }

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
