/* Which warps can issue (MICRO 2025 paper, readiness of warps), and where each condition is kept:
 *
 *   1  a decoded instruction at the head of the buffer          scheduler.no_instruction, .branch
 *   2  stall count run out, not yielding                        scheduler.stalled, by control_bits.h
 *   3  wait mask, DEPBAR                                        scheduler.long_scoreboard, .short_scoreboard,
 *                                                               by dependence.h
 *   4  fixed latency: input latch of the unit free,             units.h, at each check
 *      constant operand in the L0                               constant_fl.h, of the chosen warp
 *   5  otherwise: a place in the queue of the unit              dispatch.h, at each check
 *   6  not at a barrier; nor at a fence, asleep, or at its end  scheduler.barrier, .membar, .sleeping, .drain
 *
 * Read ports of the register file are no condition: ALLOCATE waits for them. */
#ifndef SUBCORE_SM_ELIGIBILITY_H
#define SUBCORE_SM_ELIGIBILITY_H

#include <stdbool.h>
#include <stdint.h>

struct attribution;
struct sm;

/* Warps of the sub-core that meet all conditions but that of the constant operand; the others are attributed. */
uint16_t eligible_warps(struct attribution *a, uint64_t now);

/* The condition of the constant operand, of the chosen warp. A warp that misses is not chosen again before the constant
 * has come. */
bool eligible_constant(struct sm *sm, unsigned partition, unsigned warp, uint64_t now);

/* A line of constants that came from the L2 is there from cycle `ready` on: warps that wait for it go on then. */
void eligible_constant_arrives(struct sm *sm, unsigned partition, uint64_t line, uint64_t ready);

#endif
