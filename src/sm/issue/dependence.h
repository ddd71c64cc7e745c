/* Dependences between an instruction and earlier ones. Issues, source reads and result writes tell this unit
 * which warps of a sub-core wait. */
#ifndef SUBCORE_SM_DEPENDENCE_H
#define SUBCORE_SM_DEPENDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/calendar.h"
#include "sm/issue/dependence_counters.h"
#include "sm/issue/scoreboard.h"
#include "sm/registers/register_file.h"
#include "sm/retire.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/warp.h"

struct dependence {
    struct dependence_ports {
        const struct warp_gate *gate;
        struct sm_warp *warp;                 /* [SM_WARPS] */
        struct scoreboard *const *scoreboard; /* of an array [SM_WARPS] */
        const struct register_file *registers;
        const struct code_table *code;
        struct calendar *calendar;
        struct retire *retire;
        const struct config_core *core;
        uint8_t subcore;
    } to;
    struct increments increments; /* dependence counters that CONTROL raises */
};

void dependence_begin(struct dependence *d);

/* A warp starts. */
void dependence_start(struct dependence *d, unsigned warp);

/* The warp has issued the instruction, which has passed ALLOCATE if it goes there. */
void dependence_issue(struct dependence *d, unsigned warp, const struct code *code, uint64_t now);

/* Instructions that have passed CONTROL take effect. Returns true if anything did. */
bool dependence_control(struct dependence *d, uint64_t now);
/* EVENT_SB_RELEASE, EVENT_SOURCES_READ, EVENT_RESULT_WRITTEN, EVENT_DEPBAR of a warp in the sub-core. */
void dependence_event(struct dependence *d, struct event event, uint64_t now);

/* Recomputes the warp's waits: for its next instruction, or after a change. */
void dependence_update(struct dependence *d, unsigned warp, uint64_t now);

/* The same for a warp's next instruction, which is at `code`: it mostly has nothing to wait for, nor had the last. */
static inline void dependence_next(struct dependence *d, unsigned warp, struct sm_warp *w, const struct code *code,
                                   uint64_t now)
{
    const struct scheduler *s = d->to.gate->scheduler;
    bool waited = (s->closed[STALL_LONG_SCOREBOARD] | s->closed[STALL_SHORT_SCOREBOARD]) >> warp & 1;
    bool copies = (code->flags & CODE_ASYNC_GROUP) || code->mbarrier == CODE_MBARRIER_COPIES;
    bool waits = !dependence_counters_free(&w->counters) && dependence_counters_waits(&w->counters, code);
    if (waited || copies || waits || d->to.code->scoreboard)
        dependence_update(d, warp, now);
}

/* Nothing of the warp is under way. */
bool dependence_idle(const struct dependence *d, unsigned warp);

#endif
