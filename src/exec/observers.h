/* Observers of a run. They change nothing, except for exec_outside, which lets accesses pass. */
#ifndef SUBCORE_EXEC_OBSERVERS_H
#define SUBCORE_EXEC_OBSERVERS_H

#include <stdint.h>

#include "isa/issued.h"

struct exec_warp;

/* An observer of a functional run. It changes nothing. */
struct exec_watch {
    void *self;
    void (*issued)(void *self, const struct exec_warp *warp, const struct issued *issued);
    /* A warp has executed so much arithmetic in a row, of which `issued` hears nothing. NULL: it hears of each. */
    void (*computed)(void *self, const struct exec_warp *warp, uint32_t count);
};

/* Is told that the warps of a launch spin: once, and again when it is interrupted (exec/control/spin.h). */
struct exec_spins {
    void *self;
    void (*tell)(void *self, const char *kernel, const char *text);
    uint64_t after; /* instructions, of a timed run cycles, without a begin or an end of a CTA (0: the usual) */
};

/* The findings that the checker of shared memory between the proxies has found (exec/memory/proxy.h). */
struct exec_finding {
    uint8_t kind;           /* enum proxy_kind */
    uint32_t first, second; /* pcs */
    uint32_t first_warp;    /* of the first, in its CTA */
    uint32_t warp;          /* of the second */
    uint32_t offset;        /* in shared memory */
    uint64_t cta;           /* linear index */
};

/* An observer of such findings. Cores of different SMs may call at the same time. */
struct exec_findings {
    void *self;
    void (*found)(void *self, unsigned sm, const struct exec_finding *finding);
};

/* Lets accesses to global memory pass that lie outside of all allocations, in pages that are mapped, as hardware does,
 * and reports each. Cores of different SMs may call at the same time. */
struct exec_outside {
    void *self;
    void (*seen)(void *self, const struct exec_warp *warp, uint32_t pc, unsigned lane, uint64_t address,
                 unsigned bytes);
};

#endif
