/* Machine code of a kernel that is at hand beside its trace. */
#ifndef SUBCORE_ACCELSIM_CODE_H
#define SUBCORE_ACCELSIM_CODE_H

#include "accelsim/header.h"
#include "trace/launch.h"

enum { CODE_KNOWN = 1, CODE_PLACED };

/* Of an LDGSTS: where the lanes' data go in shared memory, above the lowest place. */
struct code_places {
    uint32_t lane[32];
};

/* The facts on one kernel in a file with code. */
struct code {
    char *origin; /* path of the file, for messages; owned (NULL: there is no code) */
    uint32_t architecture;
    bool control_bits;
    uint32_t static_shared, local_bytes, shared_preferred;
    uint64_t local_base, code_address;
    uint32_t bank_bytes[TRACE_BANKS];
    bool cooperative, has_number;
    uint64_t number;
    uint32_t registers;        /* 0: not said */
    struct word128 *word;      /* [room] by pc / 16; owned */
    struct code_places *place; /* [room]; owned, NULL: nothing is known */
    uint8_t *known;            /* [room]: 0, CODE_KNOWN, or CODE_PLACED where `place` is known, too; owned */
    uint32_t count, room;      /* up to the last word */
};

/* kernel-N.sass beside kernel-N.traceg or kernel-N.tracez. No error when there is none: then *out is empty. */
bool code_beside(struct code *out, const char *trace, struct status *status);
/* The kernel of this name in a cubin, fatbin or program, for the architecture of the trace. */
bool code_from_file(struct code *out, const char *path, const struct header *kernel, struct status *status);
void code_free(struct code *code);

#endif
