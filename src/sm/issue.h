/* Issue of a sub-core: eligibility, choice, and what an issue sets in motion. */
#ifndef SUBCORE_SM_ISSUE_H
#define SUBCORE_SM_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

struct sm;

/* Attributes the cycle for every resident warp and issues at most one instruction. With `weight` above 1 the cycle is
 * one of that many in which nothing moves, and only counts. True when an instruction issued. */
bool issue_cycle(struct sm *sm, unsigned partition, uint64_t now, uint64_t weight);

/* Earliest cycle after `now` at which time alone can make a warp of the sub-core eligible. */
uint64_t issue_next(const struct sm *sm, unsigned partition, uint64_t now);

/* The warp goes on at its pc: class bits of the instruction there. */
void issue_new_head(struct sm *sm, unsigned partition, unsigned warp);

/* A warp that has exited leaves its slot when no access and no dependence counter of it is under way. */
void issue_try_retire(struct sm *sm, uint32_t slot);

#endif
