/* The role of an instruction in the order of memory accesses, beside isa/sync.h: for checks that judge order by
 * executed instructions. */
#ifndef SUBCORE_ISA_ROLE_H
#define SUBCORE_ISA_ROLE_H

#include "isa/isa.h"

enum isa_role {
    ISA_ROLE_NONE,
    ISA_ROLE_MEET,       /* the lanes that execute it have met */
    ISA_ROLE_WARPSYNC,   /* lanes wait for others of the warp */
    ISA_ROLE_FENCE,      /* modifier SCOPE says how far */
    ISA_ROLE_INVALIDATE, /* of the L1, behind a load that acquires */
    ISA_ROLE_BARRIER,    /* of the CTA: waits */
    ISA_ROLE_COPY_GROUP, /* closes a group of threads' asynchronous copies */
    ISA_ROLE_COPY_WAIT   /* waits for all but the last groups (modifiers COUNTER, COUNT) */
};

enum isa_role isa_role_of(const struct isa_inst *inst);

#endif
