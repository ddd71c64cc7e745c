/* Issue of a sub-core: eligibility, choice, and what an issue sets in motion. */
#ifndef SUBCORE_SM_ISSUE_H
#define SUBCORE_SM_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

struct sm;

struct eligibility;
struct subcore;

/* The cycle of a sub-core that has warps: attributes it for every resident warp and issues an instruction, or turns to
 * its constant. False when no instruction can issue: then the cycle is not attributed, and *e says who could. */
bool issue_cycle(struct sm *sm, unsigned subcore, uint64_t now, struct eligibility *e);

/* Nothing could issue in cycle `now`: the earliest cycle after it at which time alone changes that, or the reasons. */
uint64_t issue_next(const struct subcore *p, const struct eligibility *e, uint64_t now);

/* The warp goes on at its pc: class bits of the instruction there. */
void issue_new_head(struct sm *sm, unsigned subcore, unsigned warp);

/* A warp that has exited leaves its slot when no access and no dependence counter of it is under way. */
void issue_try_retire(struct sm *sm, uint32_t slot);

#endif
