/* The SM's ports to the network: replies ordered by arrival on one side, requests of the running quantum on the
 * other. */
#ifndef SUBCORE_SM_INBOX_H
#define SUBCORE_SM_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "port/message.h"

enum { PORT_TICKS = 256 }; /* a reply need not take a whole number of cycles */

struct inbox {
    struct reply *reply; /* [first .. end) wait, by arrival, and those of one cycle in the order in which they came */
    uint32_t first, end, room;
    uint64_t port_free; /* ingress bandwidth: from when on the next reply can be taken, in PORT_TICKS of a cycle */
};

struct outbox {
    struct request *request;
    uint32_t count, room;
    uint64_t port_free; /* egress bandwidth */
    bool lost;          /* the host had no memory for a request */
};

bool inbox_init(struct inbox *in, uint32_t room);
void inbox_free(struct inbox *in);
/* Returns false if the host has no memory for it. */
bool inbox_add(struct inbox *in, const struct reply *reply);
/* Arrival of the earliest reply, UINT64_MAX when there is none. */
static inline uint64_t inbox_next(const struct inbox *in)
{
    return in->first < in->end ? in->reply[in->first].arrival : UINT64_MAX;
}
/* Takes the earliest reply. There is one. */
static inline struct reply inbox_take(struct inbox *in)
{
    struct reply reply = in->reply[in->first++];
    if (in->first == in->end)
        in->first = in->end = 0;
    return reply;
}
/* Cycle from which the port can take a reply, and the taking of one with so many bytes in cycle `now`. */
uint64_t inbox_port_free(const struct inbox *in);
void inbox_port_take(struct inbox *in, uint64_t now, uint32_t bytes, uint32_t bytes_per_cycle);

bool outbox_init(struct outbox *out, uint32_t room);
void outbox_free(struct outbox *out);
/* A request of this quantum; `lost` tells when the host has no memory for it. */
void outbox_add(struct outbox *out, const struct request *request);

#endif
