#include "sm/port/inbox.h"

#include <stdlib.h>
#include <string.h>

bool inbox_init(struct inbox *in, uint32_t room)
{
    *in = (struct inbox){.reply = malloc(room * sizeof *in->reply), .room = room};
    return in->reply != NULL;
}

void inbox_free(struct inbox *in)
{
    free(in->reply);
    in->reply = NULL;
}

/* Room for another reply behind the last. */
static bool make_room(struct inbox *in)
{
    if (in->first > in->room / 2) {
        memmove(in->reply, in->reply + in->first, (in->end - in->first) * sizeof *in->reply);
        in->end -= in->first;
        in->first = 0;
        return true;
    }
    struct reply *more = realloc(in->reply, 2 * in->room * sizeof *more);
    if (!more)
        return false;
    in->reply = more;
    in->room *= 2;
    return true;
}

/* Replies nearly always come in the order of their arrivals. */
bool inbox_add(struct inbox *in, const struct reply *reply)
{
    if (in->end == in->room && !make_room(in))
        return false;
    uint32_t i = in->end++;
    for (; i > in->first && in->reply[i - 1].arrival > reply->arrival; i--)
        in->reply[i] = in->reply[i - 1];
    in->reply[i] = *reply;
    return true;
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
