/* What stands between an instruction and those before it: the parts of the SM tell here what issues, what has read its
 * sources and what has written its result, and here is decided which warps wait. */
#ifndef SUBCORE_SM_DEPENDENCE_H
#define SUBCORE_SM_DEPENDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/calendar.h"
#include "sm/code.h"

struct sm;

/* A warp starts. */
void dependence_start(struct sm *sm, uint32_t slot);

/* The warp has issued the instruction, which has passed ALLOCATE if it goes there. */
void dependence_issue(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now);

/* What has passed CONTROL takes effect. True when anything did. */
bool dependence_control(struct sm *sm, unsigned subcore, uint64_t now);
/* An event of the calendar that these functions put there is due. */
void dependence_event(struct sm *sm, struct event event);

/* Recomputes the bits of the warp in its scheduler: for its next instruction, or after a change. */
void dependence_update(struct sm *sm, unsigned subcore, unsigned warp);

/* Nothing of the warp is under way. */
bool dependence_idle(const struct sm *sm, uint32_t slot);

#endif
