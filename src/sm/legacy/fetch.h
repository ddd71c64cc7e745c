/* Front end of the legacy core: instruction buffers that are filled when they are empty.
 *
 * A round decodes the instructions of the warp in the fetch latch into its buffer. Then it puts the next warp with an
 * empty buffer into the latch, in the order of the slots behind the warp fetched last. Rounds follow issue, so that the
 * last warp of a cycle can issue two cycles later, the others one. The instruction cache always hits, and a branch
 * discards nothing: the buffer holds the instructions that the warp executes next, as a trace gives them (GPGPU-Sim 4
 * with Accel-Sim's traces). */
#ifndef SUBCORE_SM_LEGACY_FETCH_H
#define SUBCORE_SM_LEGACY_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/scheduler/warp_gate.h"

struct sm_warp;

enum { LEGACY_NO_WARP = 0xff };

struct legacy_fetch {
    struct legacy_fetch_ports {
        const struct config *config;
        const struct warp_gates *gates;
        struct sm_warp *warp; /* [SM_WARPS] */
    } to;
    uint8_t latch; /* slot of the warp that is fetched (LEGACY_NO_WARP: empty) */
    uint8_t epoch; /* of its buffer: another warp may have come into the slot */
    uint8_t last;  /* slot of the warp fetched last */
};

void legacy_fetch_begin(struct legacy_fetch *f);

/* The rounds of a cycle. Returns true if anything moved. */
bool legacy_fetch_cycle(struct legacy_fetch *f);

#endif
