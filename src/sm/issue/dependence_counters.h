/* The six dependence counters of a warp, by which the compiler orders instructions of variable latency.
 *
 *   issue t -> CONTROL t+1 raises -> an issue check sees it from t+2 on -> ... -> lowered, seen in the same cycle
 *
 * An instruction names one counter to go down when its sources have been read (WAR) and one when its result is
 * written (RAW, WAW). isa/contract.h has the delays: ISA_COUNTER_VISIBLE, ISA_DEPBAR_HOLDS. Source: MICRO 2025
 * paper, dependence counters. The first was confirmed on A100, where a consumer one cycle behind the load read stale
 * data. */
#ifndef SUBCORE_SM_DEPENDENCE_COUNTERS_H
#define SUBCORE_SM_DEPENDENCE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/code.h"

enum { SB_NAMES = 8 /* three bits name a counter: two names are of none */ };

struct dependence_counters {
    uint8_t count[SB_NAMES]; /* all 0 when the warp starts */
    uint8_t nonzero;         /* bit k: counter k is not 0 */
    uint8_t global;          /* bit k: a global or local access has raised counter k since it was 0 */
    uint8_t mio;             /* bit k: by an access to shared memory or by LDC */
    uint8_t under_way;       /* instructions in CONTROL that will raise counters, and DEPBARs that do not hold yet */
    bool held;               /* a DEPBAR holds the warp until this is true */
    uint8_t held_sb, held_max, held_list;
};

/* The raiser of a counter. Only reports ask for it. */
enum counted { COUNTED_COMPUTE, COUNTED_MIO, COUNTED_GLOBAL };

/* An H200 counts waits at barrier objects like those for global memory: 4.6 of the 5.1 million warp cycles that
 * `wgmma_product` waits for results (validate/data/h200). */
static inline enum counted counted_of(const struct code *code)
{
    if (code->class == CLASS_LG || code->class == CLASS_TEX || code->class == CLASS_ENGINE ||
        (code->flags & CODE_ASYNC_GROUP) || code->mbarrier == CODE_MBARRIER_WAIT)
        return COUNTED_GLOBAL;
    if (code->tensor)
        return COUNTED_MIO;
    return code->memory == ISA_MEM_NONE || code_only_passes(code) ? COUNTED_COMPUTE : COUNTED_MIO;
}

/* The counters that CONTROL will raise for an issued instruction. */
struct increment {
    uint8_t warp, write_sb, read_sb;
    uint8_t by; /* enum counted */
};
RING(increments, struct increment, 8)

static inline void dependence_counters_raise(struct dependence_counters *d, uint8_t k, enum counted by)
{
    if (k >= ISA_NO_SB)
        return;
    bool global = by == COUNTED_GLOBAL || (d->count[k] > 0 && (d->global >> k & 1));
    d->count[k]++;
    d->nonzero |= (uint8_t)(1u << k);
    d->global = (uint8_t)((d->global & ~(1u << k)) | ((unsigned)global << k));
    d->mio = (uint8_t)((d->mio & ~(1u << k)) | ((unsigned)(by == COUNTED_MIO) << k));
}

static inline void dependence_counters_lower(struct dependence_counters *d, uint8_t k)
{
    assert(d->count[k] > 0);
    if (--d->count[k] == 0)
        d->nonzero &= (uint8_t) ~(1u << k);
}

/* A counter that might overflow holds the instruction back, with the increments in CONTROL. The behaviour of real
 * chips is not known: compilers wait long before. */
static inline uint8_t dependence_counters_full(const struct dependence_counters *d, uint8_t k)
{
    return (uint8_t)(k != ISA_NO_SB && d->count[k] + d->under_way >= ISA_COUNTER_MOST ? 1u << k : 0u);
}

/* DEPBAR.LE SBk, n, {list}: from now on the warp issues nothing until SBk has at most n left and the list nothing.
 * DEPBAR itself does not wait, and an instruction less than four cycles behind it is not held: figure 2 of the MICRO
 * 2025 paper shows it issue at once, and on an A100 a window around DEPBAR with a stall count of 1 has no wait in it.
 * Of two that issue so close together the second counts, which is assumed. */
static inline void dependence_counters_hold(struct dependence_counters *d, const struct code *depbar)
{
    d->held = true;
    d->held_sb = depbar->depbar_sb;
    d->held_max = depbar->depbar_max;
    d->held_list = depbar->depbar_list;
}

/* Counters that a DEPBAR waits for. It is over when there are none. */
static inline uint8_t dependence_counters_held(struct dependence_counters *d)
{
    if (!d->held)
        return 0;
    uint8_t waits = d->nonzero & d->held_list;
    if (d->count[d->held_sb] > d->held_max)
        waits |= (uint8_t)(1u << d->held_sb);
    d->held = waits != 0;
    return waits;
}

/* Counters for which the instruction still waits: its wait mask, a DEPBAR before it, and room to count. */
static inline uint8_t dependence_counters_waits(struct dependence_counters *d, const struct code *code)
{
    uint8_t waits = (d->nonzero & code->wait) | dependence_counters_held(d);
    return waits | dependence_counters_full(d, code->write_sb) | dependence_counters_full(d, code->read_sb);
}

/* Nothing can wait for a counter: none is up. */
static inline bool dependence_counters_free(const struct dependence_counters *d) { return !d->nonzero && !d->held; }

/* No counter is up, and nothing will change that. */
static inline bool dependence_counters_idle(const struct dependence_counters *d)
{
    return d->nonzero == 0 && d->under_way == 0;
}

#endif
