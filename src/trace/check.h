/* Checks of the reader behind the decoder: a decoded instruction has only effects that an instruction of its kind can
 * have, so that the timing can rely on them. */
#ifndef SUBCORE_TRACE_CHECK_H
#define SUBCORE_TRACE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/issued.h"

/* Behind it is room for the lines that lanes side by side access. */
#define TRACE_ADDRESS_LAST (UINT64_MAX - 4096)

enum {
    TRACE_BYTES_MOST = 32, /* that a lane accesses */
    TRACE_BARRIERS = 17    /* 16 of the CTA and the cluster's */
};

/* The memory that an instruction of the code can access. */
enum trace_reach {
    TRACE_REACH_NOTHING, /* nothing that takes time: its stream is not examined */
    TRACE_REACH_GLOBAL,
    TRACE_REACH_SHARED,
    TRACE_REACH_LOCAL,
    TRACE_REACH_CONSTANT,
    TRACE_REACH_GENERIC,
    TRACE_REACH_COPY,   /* global memory, and shared memory by second addresses */
    TRACE_REACH_OBJECT, /* barrier objects in shared memory, that of the cluster too, with operands */
    TRACE_REACH_ASYNC,  /* as GENERIC, with operands */
    TRACE_REACH_ENGINE  /* the fields of its transfer */
};

enum trace_reach trace_reach_of(const struct isa_inst *inst);

/* Of an instruction with active lanes that can reach something. `low`: its addresses are known to be in the address
 * space, and are not read. */
const char *trace_reach_wrong(const struct issued *issued, enum trace_reach reach, bool second, bool low);

/* Returns NULL, or the error of a decoded instruction. `second`: it has second addresses. */
static inline const char *trace_issued_wrong(const struct issued *is, enum trace_reach reach, bool second, bool low)
{
    if (is->active & ~is->path)
        return "lanes are active that are not on its path";
    if (is->barrier >= TRACE_BARRIERS)
        return "a barrier of a number that there is not";
    return reach == TRACE_REACH_NOTHING || !is->active ? NULL : trace_reach_wrong(is, reach, second, low);
}

#endif
