/* Fetch and decode of a sub-core, one instruction a cycle each, into the instruction buffers of its warps.
 *
 * Policy (MICRO 2025 paper, fetch; the authors' assumption): the warp that issued last, until its buffer entries and
 * fetches under way fill its buffer; then the youngest warp with room. */
#ifndef SUBCORE_SM_FETCH_H
#define SUBCORE_SM_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/front/instruction_buffer.h"

struct sm;

struct decoding {
    uint8_t warp, epoch;
};
RING(decode_stage, struct decoding, 16)

struct fetch {
    uint16_t room;    /* warps that could take another instruction */
    uint16_t waiting; /* of these, warps that wait for an instruction line */
    struct decode_stage decode;
};

/* The warp starts fetching at `pc`; whatever its buffer holds is discarded. */
void fetch_redirect(struct sm *sm, unsigned subcore, unsigned warp, uint32_t pc);
/* The head of the warp's buffer has issued. */
void fetch_consume(struct sm *sm, unsigned subcore, unsigned warp);
/* The warp has exited. */
void fetch_stop(struct sm *sm, unsigned subcore, unsigned warp);
/* Instructions that leave decode enter their buffers and can issue in this cycle. True when anything moved. */
bool fetch_decode(struct sm *sm, unsigned subcore, uint64_t now);
/* An instruction line that came from the L2 reaches the L0 at `when`: warps that wait for it fetch again. */
void fetch_line_arrives(struct sm *sm, unsigned subcore, uint64_t line, uint64_t when);
/* EVENT_FETCH: the line that the warp waits for is in the L0, unless a branch has discarded its buffer since. */
void fetch_resume(struct sm *sm, unsigned subcore, unsigned warp, uint8_t epoch);
/* One fetch starts. */
bool fetch_cycle(struct sm *sm, unsigned subcore, uint64_t now);

#endif
