/* Fetch and decode of a sub-core, one instruction a cycle each, into the instruction buffers of its warps, for the warp
 * that the policy of core.fetch_order chooses among those with room in their buffers. */
#ifndef SUBCORE_SM_FETCH_H
#define SUBCORE_SM_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/calendar.h"
#include "sm/front/fetch_policy.h"
#include "sm/front/instruction_buffer.h"
#include "sm/front/l0i.h"
#include "sm/scheduler/warp_gate.h"

struct sm_warp;

struct decoding {
    uint8_t warp, epoch;
};
RING(decode_stage, struct decoding, 16)

struct fetch {
    struct fetch_ports {
        struct l0i *l0i;
        const struct warp_gate *gate;
        const struct fetch_order_policy *order;
        struct sm_warp *warp; /* [SM_WARPS] */
        struct calendar *calendar;
        const struct config_core *core;
        struct sm_counters *n;
        uint8_t subcore;
    } to;
    uint16_t room;    /* warps that could take another instruction */
    uint16_t waiting; /* of these, warps that wait for an instruction line */
    struct decode_stage decode;
};

void fetch_begin(struct fetch *f);

/* The warp starts fetching at `pc`. Whatever its buffer holds is discarded. */
void fetch_redirect(struct fetch *f, unsigned warp, uint32_t pc);
/* The head of the warp's buffer has issued: there is room for another instruction, if there is one. */
static inline void fetch_consume(struct fetch *f, unsigned warp, struct instruction_buffer *ib, uint32_t code_end)
{
    if (--ib->decoded == 0)
        gate_close(f->to.gate, warp, STALL_NO_INSTRUCTION);
    f->room |= (uint16_t)((unsigned)(ib->fetch_pc < code_end) << warp);
}
/* The warp has exited. */
void fetch_stop(struct fetch *f, unsigned warp);
/* Instructions that leave decode enter their buffers and can issue in this cycle. Returns true if anything moved. */
bool fetch_decode(struct fetch *f, uint64_t now);
/* An instruction line that came from the L2 reaches the L0 at `when`: warps that wait for it fetch again. */
void fetch_line_arrives(struct fetch *f, uint64_t line, uint64_t when);
/* EVENT_FETCH: the line that the warp waits for is in the L0, unless a branch has discarded its buffer since. */
void fetch_resume(struct fetch *f, unsigned warp, uint8_t epoch);
/* EVENT_BRANCH: the target of the warp's branch is known, unless another branch has followed. */
void fetch_branch_resolved(struct fetch *f, unsigned warp, uint8_t epoch);
/* One fetch starts, for one candidate. There is at least one. */
bool fetch_one(struct fetch *f, uint16_t candidates, uint64_t now);
/* Returns the warps for which a fetch can start. */
static inline uint16_t fetch_candidates(const struct fetch *f)
{
    uint32_t resolving = f->to.gate->scheduler->closed[STALL_BRANCH_RESOLVING];
    return decode_stage_full(&f->decode) ? 0 : (uint16_t)(f->room & ~(f->waiting | resolving));
}

/* One fetch starts if a warp has room. Returns true if anything moved. */
static inline bool fetch_cycle(struct fetch *f, uint64_t now)
{
    uint16_t candidates = fetch_candidates(f);
    return candidates && fetch_one(f, candidates, now);
}

#endif
