/* A trace's facts on one launch beside its instruction streams: everything that a timed run needs to know of the
 * kernel and that it would otherwise learn from the cubin and from the driver. */
#ifndef SUBCORE_TRACE_LAUNCH_H
#define SUBCORE_TRACE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum {
    TRACE_BANKS = 5,
    TRACE_BANK_BYTES = 1 << 16,
    TRACE_CODE_MOST = 1 << 22,
    TRACE_ADDRESS_BITS = 57, /* of code and local memory; NVIDIA's GPUs have 49, later ones 57 */
    TRACE_CLUSTER_CTAS = 16,
    TRACE_WINDOW_BITS = 24 /* of offsets in shared and local memory, and of bank times 64 KiB and offset */
};

/* One instruction of the kernel's code. */
struct trace_inst {
    struct isa_inst isa; /* as decoded; of a described one from the description */
    char *described;     /* owned (NULL: the machine word is the code's). Otherwise mnemonic and operands in text, as a
                          * trace without machine code has them, and isa.word is made up of them: it decodes, and its
                          * control bits mean nothing */
};

struct trace_launch {
    char *name;            /* mangled; owned */
    uint32_t architecture; /* of the code: 75, 80, ... */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];              /* CTAs; 0 in x: the launch has no clusters */
    uint32_t registers;               /* a thread */
    uint32_t static_shared;           /* bytes a CTA, without the system's part */
    uint32_t dynamic_shared;          /* bytes a CTA */
    uint32_t shared_preferred;        /* bytes that an SM should have at least; a hint, 0 none */
    uint32_t local_bytes;             /* a thread, stack included; 0 none */
    uint64_t local_base;              /* device address of all warp slots' local memory, 0 none */
    uint64_t code_address;            /* device address of the code, and the constants behind it (0: unknown) */
    uint32_t bank_bytes[TRACE_BANKS]; /* bytes of each constant bank that the driver fills; 0 where not used */
    bool cooperative;
    bool control_bits;       /* the code has them (false: dependences can only be handled by scoreboards) */
    uint64_t stream;         /* a number for each stream */
    uint64_t number;         /* of the launch in its program, from 0 */
    struct trace_inst *code; /* [code_count], index pc / 16; owned */
    uint32_t code_count;
};

static inline uint64_t trace_launch_ctas(const struct trace_launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static inline uint32_t trace_launch_warps(const struct trace_launch *l)
{
    return (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
}

/* Returns the CTAs of a cluster; 1 without clusters. */
static inline uint32_t trace_launch_group(const struct trace_launch *l)
{
    return l->cluster[0] ? l->cluster[0] * l->cluster[1] * l->cluster[2] : 1;
}

/* Returns the CTA, numbered in the grid x first, that begins as number `order`: clusters begin one after the other, x
 * fastest, and so do the CTAs of a cluster. */
uint64_t trace_launch_cta(const struct trace_launch *launch, uint64_t order);

/* Frees its memory and zeroes it. */
void trace_launch_free(struct trace_launch *launch);
/* False: no memory, and *to holds nothing. */
bool trace_launch_copy(struct trace_launch *to, const struct trace_launch *from);

/* A copy from the host that came between launches. */
struct trace_copy {
    uint64_t address, bytes; /* device address */
    uint64_t stream;
};

#endif
