/* Messages from other SMs of the GPC that have not been taken, in the order of their arrival. */
#ifndef SUBCORE_SM_PEERS_H
#define SUBCORE_SM_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "port/message.h"

struct peers {
    struct request *message; /* [first .. end) wait; NULL until the first */
    uint32_t first, end, room;
};

void peers_free(struct peers *p);
/* Adds a message that arrives no earlier than those before it. Returns false if the host has no memory for it. */
bool peers_add(struct peers *p, const struct request *message);
/* Returns the oldest message. There is one. */
static inline const struct request *peers_head(const struct peers *p) { return &p->message[p->first]; }
/* Takes it away. */
static inline void peers_take(struct peers *p)
{
    if (++p->first == p->end)
        p->first = p->end = 0;
}

static inline bool peers_empty(const struct peers *p) { return p->first == p->end; }
/* Returns its arrival, UINT64_MAX if there is none. */
static inline uint64_t peers_next(const struct peers *p)
{
    return peers_empty(p) ? UINT64_MAX : peers_head(p)->arrival;
}

#endif
