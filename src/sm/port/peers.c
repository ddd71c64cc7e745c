#include "sm/port/peers.h"

#include <stdlib.h>
#include <string.h>

void peers_free(struct peers *p)
{
    free(p->message);
    *p = (struct peers){0};
}

bool peers_add(struct peers *p, const struct request *message)
{
    if (p->end == p->room && p->first > 0) {
        memmove(p->message, p->message + p->first, (p->end - p->first) * sizeof *p->message);
        p->end -= p->first;
        p->first = 0;
    }
    if (p->end == p->room) {
        uint32_t room = p->room ? 2 * p->room : 64;
        struct request *more = realloc(p->message, room * sizeof *more);
        if (!more)
            return false;
        p->message = more;
        p->room = room;
    }
    p->message[p->end++] = *message;
    return true;
}
