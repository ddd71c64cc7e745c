/* The command of an instruction to the engine of bulk and tensor copies. */
#ifndef SUBCORE_ISA_COPY_H
#define SUBCORE_ISA_COPY_H

#include "isa/isa.h"

enum isa_copy {
    ISA_COPY_NONE,
    ISA_COPY_LOAD,        /* UTMALDG: a box of a tensor to shared memory */
    ISA_COPY_STORE,       /* UTMASTG: the other way round */
    ISA_COPY_REDUCE,      /* UTMAREDG: the same, combined with the old values */
    ISA_COPY_PREFETCH,    /* UTMAPF, UBLKPF: to the L2 */
    ISA_COPY_BULK,        /* UBLKCP: bytes between memories that its modifiers name */
    ISA_COPY_BULK_REDUCE, /* UBLKRED: the same, combined with the old values */
    ISA_COPY_GROUP,       /* UTMACMDFLUSH: closes a group of those before it */
    ISA_COPY_MAP          /* UTMACCTL: tensor maps of the engine's cache */
};

/* Returns the command of an opcode; ISA_COPY_NONE for all others. */
enum isa_copy isa_copy_of(enum isa_op op);

#endif
