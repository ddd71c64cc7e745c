/* The service of an L2 slice for the head of its input. Parts of struct l2_slice. */
#ifndef SUBCORE_MEM_L2_SERVE_H
#define SUBCORE_MEM_L2_SERVE_H

#include "mem/l2_slice.h"

/* At its home: any request. False, and nothing has changed, when it has to wait for a fill or for room. */
bool l2_serve_home(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now);

/* At the mirror of its home: a weak load, from a copy or for one. Returns false if there is none and no room for
 * one. */
bool l2_serve_copy(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now);

/* Returns whether the answer to a request may leave a copy where it crosses: it is a weak load. */
static inline bool l2_copies(const struct l2_context *context, const struct request *request)
{
    return request->kind == REQUEST_LOAD && !request->effect && context->model->copies;
}

/* Leaves a copy from the answer to a load that went on without an MSHR of the mirror: of those sectors that its home
 * still lets be copied. There is none if no line can go for it. */
void l2_leave_copy(struct l2_slice *slice, struct l2_context *context, uint32_t index, uint64_t now);

/* The home orders the mirror to give up its copy of the sectors. */
void l2_order_copy_away(const struct l2_slice *home, const struct l2_context *context, uint64_t now, uint64_t local,
                        uint8_t sectors);

#endif
