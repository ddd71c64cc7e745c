/* A sub-core: front end, issue, registers and units of an SM quarter. */
#ifndef SUBCORE_SM_SUBCORE_H
#define SUBCORE_SM_SUBCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "sm/execute/dispatch.h"
#include "sm/execute/queued_units.h"
#include "sm/execute/write_back.h"
#include "sm/front/constant_fl.h"
#include "sm/front/fetch.h"
#include "sm/front/l0i.h"
#include "sm/issue/dependence.h"
#include "sm/issue/eligibility.h"
#include "sm/issue/issue.h"
#include "sm/memory/memory_queue.h"
#include "sm/memory/return_path.h"
#include "sm/registers/register_file.h"
#include "sm/registers/result_queue.h"
#include "sm/scheduler/attribution.h"
#include "sm/scheduler/nap.h"
#include "sm/scheduler/scheduler.h"
#include "sm/units.def"
#include "sm/units.h"

struct subcore {
#define X(name, type, begin, save, text) struct type name;
    SUBCORE_UNITS(X)
#undef X
    bool naps; /* run.skip_idle */
    _Alignas(8) uint8_t scheduler_state[SCHEDULER_STATE];
};

/* Empties the caches, before a kernel. Nothing is resident. */
void subcore_begin(struct subcore *p);

/* The queues behind issue. Returns true if anything moved; *token: the access whose data were written, or
 * LSU_NO_TOKEN. */
bool subcore_queues(struct subcore *p, uint64_t now, uint16_t *token);

/* Decode, fetch and issue of a sub-core that has warps and does not nap. Returns true if anything moved. */
bool subcore_cycle(struct subcore *p, uint64_t now);

/* A warp is resident. */
static inline bool subcore_busy(const struct subcore *p) { return p->scheduler.resident; }

/* CONTROL: raises dependence counters. Returns true if anything moved. A sub-core that naps raises none: it would know
 * when. */
static inline bool subcore_control(struct subcore *p, uint64_t now)
{
    if (nap_goes_on(&p->nap, now) || !subcore_busy(p))
        return false;
    if (p->nap.until)
        nap_over(&p->nap);
    return increments_ready(&p->dependence.increments, now) && dependence_control(&p->dependence, now);
}

void subcore_archive(struct archive *a, struct subcore *p);

#endif
