/* The streaming multiprocessor: four sub-cores in front of a shared memory unit.
 *
 *   in each sub-core                                                  shared by the SM
 *   fetch -> decode -> buffer -> ISSUE -> CONTROL -> ALLOCATE -> read (3) -> units -> result queue -> registers
 *   L0I, stream buffer --> L1I     |  FL constants --> L1.5                                 ^
 *                                  +-> memory queue --> accept --> shared memory -----------+
 *                                                          \-> L1 --> (miss) --> network --+
 *
 * The specification is the MICRO 2025 paper "Dissecting and Modeling the Architecture of Modern GPU Cores" (Huerta,
 * Abaie Shoushtary, Cruz, González). Two rules hold everywhere: a value or a slot carries the cycle from which it can
 * be used and is invisible before; and sm_cycle gives the order in which stages see each other within a cycle. Timers
 * are absolute cycles, and state changes only when something moves: so skipping idle cycles is exact.
 *
 * One SM is run by one thread at a time and knows no other. It meets the memory system in `port`, the machine that
 * executes in `source`, and the CTA scheduler in sm_start_cta and `finished`. */
#ifndef SUBCORE_SM_SM_H
#define SUBCORE_SM_SM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host_line.h"
#include "config/config.h"
#include "port/message.h"
#include "probe/lines.h"
#include "probe/run_log.h"
#include "sm/calendar.h"
#include "sm/code_table.h"
#include "sm/cta.h"
#include "sm/engine/tma.h"
#include "sm/execute/fp64.h"
#include "sm/execute/tensor_engine.h"
#include "sm/execute/warpgroup_unit.h"
#include "sm/front/l15.h"
#include "sm/front/l1i.h"
#include "sm/issue/barrier.h"
#include "sm/issue/cluster_barrier.h"
#include "sm/issue/grid_link.h"
#include "sm/memory/constant_vl.h"
#include "sm/memory/lsu.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/memory/tensor_memory_unit.h"
#include "sm/memory/texture_unit.h"
#include "sm/observer.h"
#include "sm/port/port.h"
#include "sm/retire.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/source.h"
#include "sm/subcore.h"
#include "sm/units.def"
#include "sm/warp.h"

struct sm_finished {
    uint64_t cycle;
    uint32_t cta_slot;
    uint64_t linear;
    bool preexited; /* it had let dependent grids launch before */
};

struct legacy_core;

struct sm {
    const struct config *config;
    struct code_table code; /* of the kernel, borrowed */
    struct sm_source source;
    const struct sm_observer *observer; /* NULL: none */
    uint16_t id;
    struct subcore subcore[SM_SUBCORES];
    struct sm_warp warp[SM_WARPS];
    struct scoreboard *scoreboard; /* [SM_WARPS]; NULL until a kernel may ask for it */
    struct legacy_core *legacy;    /* core.model (NULL: the modern core) */
    struct sm_cta cta[SM_CTAS];
    uint64_t started_warps, started_ctas; /* slots that have been used since the kernel began, a bit each */
#define X(name, type, begin, next, save, text) struct type name;
    SM_UNITS(X)
#undef X
    struct code_identity last_code; /* of which the L1 instruction cache and the L1.5 have lines */
    uint64_t queues_at;             /* nothing moves in any sub-core's queues before */
    uint32_t ctas, warps;           /* resident */
    bool active;                    /* some CTA was, when this cycle began */
    uint64_t next_age;
    uint64_t now;                         /* next cycle to run */
    uint64_t wake;                        /* nothing moves before it unless a reply or a CTA comes */
    struct sm_finished finished[SM_CTAS]; /* CTAs that ended since the caller last looked */
    uint32_t finished_count;
    struct issued issued;                    /* scratch of the instruction that issues */
    uint16_t event_warps[CYCLE_EVENT_COUNT]; /* and of the sub-core cycle that is attributed */
    uint64_t last_progress;
    struct sm_counters n;
    struct window_counters window[CODE_WINDOWS]; /* counted while code.windows > 1 */
    struct line_counters *lines;                 /* [code->count + 1] (NULL: not counted by instruction) */
    struct run_log *log; /* of its warps' states, where they are counted by instruction (NULL: none) */
};

/* Hint to the host: prefetches the state of nearly every cycle, which other SMs have pushed out of the host's caches
 * since it ran last. Asked for at once it comes in the time of a few misses. */
static inline void sm_fetch(const struct sm *sm)
{
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        for (size_t at = 0; at < offsetof(struct subcore, queues); at += HOST_LINE)
            __builtin_prefetch((const uint8_t *)&sm->subcore[p] + at, 1);
    for (unsigned w = 0; w < SM_WARPS; w++) {
        __builtin_prefetch(&sm->warp[w], 1);
        __builtin_prefetch((const uint8_t *)&sm->warp[w] + HOST_LINE, 1);
    }
}

/* Caches empty, nothing resident, cycle 0; `sm` is zeroed storage. `quantum` is the longest run between two
 * exchanges with the memory. Policies and wires are bound to `config`, which stays as it is until sm_free, and so do
 * the contents of `arena`. Returns false if out of memory. */
bool sm_init(struct sm *sm, uint16_t id, const struct config *config, uint32_t quantum, struct arena *arena);
void sm_free(struct sm *sm);
/* Before a kernel of which a scoreboard handles the dependences; sm_init does it where the configuration allows such.
 * False: no memory. */
bool sm_make_scoreboard(struct sm *sm);
/* Prepares for a kernel: empties caches, but see icache.keep, and counters. Code and source are borrowed until the next
 * call. */
void sm_begin_kernel(struct sm *sm, const struct code_table *code, struct sm_source source);

/* A further kernel gets CTAs on an SM that has some: its code becomes this window, of which no CTA is resident. The
 * SM's code and the kernel's share an array (code_table_shares), and one source executes both. */
void sm_add_window(struct sm *sm, uint32_t window, const struct code_table *code);

/* A CTA becomes resident in a free CTA slot and free warp slots at sm->now. Its warps are all at the begin of its code.
 * `cluster`: where the other CTAs of its cluster are (NULL: it has none). */
void sm_start_cta(struct sm *sm, const struct cta_placement *place, uint64_t linear,
                  const struct cluster_place *cluster);

/* Runs from sm->now to `end`, jumping over idle cycles when the configuration says so. */
void sm_run(struct sm *sm, uint64_t end);

/* One cycle; true when anything moved. The block diagram. */
bool sm_cycle(struct sm *sm, uint64_t now);
/* The same of the legacy core (core.model). */
bool sm_legacy_cycle(struct sm *sm, uint64_t now);

/* The earliest cycle after `now` at which anything can move; UINT64_MAX when only a message or a CTA can. */
uint64_t sm_next(const struct sm *sm, uint64_t now);

/* Describes a warp's wait, for deadlock reports. */
const char *sm_warp_state(const struct sm *sm, uint32_t slot);

/* When it last ran nothing was left for it to do before a message or a CTA comes. */
static inline bool sm_without_work(const struct sm *sm) { return sm->ctas == 0 && sm->wake == UINT64_MAX; }

#endif
