/* Where the requests of an L2 slice go from there: to the SM, over the link, or to the requests that wait at an MSHR.
 * Parts of struct l2_slice. */
#ifndef SUBCORE_MEM_L2_REPLY_H
#define SUBCORE_MEM_L2_REPLY_H

#include "mem/l2_slice.h"

/* Takes the turns of `count` sectors, at least one, from `now` on. Returns the cycle of the last. */
uint64_t l2_take_sectors(struct l2_slice *slice, struct l2_context *context, uint64_t now, unsigned count);
/* The same for a store, whose `bytes` take time as well. */
uint64_t l2_take_store(struct l2_slice *slice, struct l2_context *context, uint64_t now, unsigned count,
                       unsigned bytes);

/* The request is done: its reply goes to the port at `ready`. */
void l2_reply(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t ready);

/* The home has served the request at `done`: it is answered after the latency of the L2, if need be over the link. */
void l2_answer(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t done);

/* Sends the request from the slice at which it entered to its home. */
void l2_cross(struct l2_context *context, uint32_t index, uint64_t ready);

/* Adds the request to those that wait at an MSHR, for the sectors `lack`. It is not answered before `least`. */
void l2_wait(struct l2_slice *slice, struct l2_context *context, uint16_t mshr, uint32_t index, uint8_t lack,
             uint64_t least);

/* Does an atomic at `now` or later: its sectors, or its lanes, one after the other. Returns the cycle of the last. */
uint64_t l2_operate(struct l2_slice *slice, struct l2_context *context, const struct request *request, uint64_t now);

/* All sectors are there for a request that has waited. */
void l2_complete(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now);

#endif
