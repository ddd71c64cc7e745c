/* The lines that begin a kernel's file. */
#ifndef SUBCORE_ACCELSIM_HEADER_H
#define SUBCORE_ACCELSIM_HEADER_H

#include "accelsim/input.h"

struct header {
    char *name;       /* mangled; owned */
    uint32_t version; /* of the tracer, 0..6 (0: the first one, of 2020, which does not name it) */
    uint32_t binary;  /* architecture of the code: 35, 60, 70, 75, 80, ... (0: not known) */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* CTAs; 0 in x: no clusters */
    uint32_t registers;  /* a thread (0: not known) */
    uint32_t shared;     /* bytes a CTA, static and dynamic */
    bool wrong;          /* one of these three cannot be the kernel's: binary, registers, shared */
    uint64_t id, stream;
    uint64_t shared_base, local_base; /* where the generic windows begin (0: not known) */
    bool lines;                       /* instructions begin with a source line */
};

/* Reads up to the first line of the body. On failure *out is empty. */
bool header_read(struct input *in, struct header *out, struct status *status);
/* Returns the bytes of shared memory's generic window: from version 6 on that of a cluster. */
uint64_t header_shared_window(const struct header *header);
void header_free(struct header *header);

#endif
