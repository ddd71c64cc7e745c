/* Stores and reductions of warps that have left the SM. An exited warp leaves its slot when all that it sent is on its
 * way. Their acknowledgements are missing still, and a kernel ends when its SMs have them. */
#ifndef SUBCORE_SM_UNWAITED_H
#define SUBCORE_SM_UNWAITED_H

#include <stdint.h>

struct unwaited {
    uint32_t count; /* accesses */
    uint64_t last;  /* cycle of the latest acknowledgement */
};

static inline void unwaited_acknowledged(struct unwaited *u, uint64_t now)
{
    u->count--;
    u->last = now;
}

#endif
