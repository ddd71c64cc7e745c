/* Warp scheduler of a sub-core: waiting warps by reason, as bit sets, and the choice among those that can issue.
 *
 * Bit i is the warp in SM slot 4 * i + sub-core. Each set is kept up to date by the event that changes it, so that
 * eligibility is a conjunction and a cycle's attribution a chain of bit counts. The choice is a policy's
 * (scheduler_policy.h): a form of CGGTY or CGGRR, unless a study compares it with others. */
#ifndef SUBCORE_SM_SCHEDULER_H
#define SUBCORE_SM_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "config/config.h"
#include "probe/counters.h"
#include "sm/code.h"
#include "sm/scheduler/scheduler_policy.h"
#include "sm/slot.h"

/* The reasons of STALL_GATES are numbered from DRAIN to SHORT_SCOREBOARD, so that the host tests four sets at once. */
enum { GATE_SETS = STALL_SHORT_SCOREBOARD + 1, GATES_IN_WORD = 4, GATE_WORDS = GATE_SETS / GATES_IN_WORD };
_Static_assert(GATE_SETS % GATES_IN_WORD == 0 && STALL_DRAIN == 1, "the sets are whole words, and the first is empty");
_Static_assert(STALL_SHORT_SCOREBOARD == STALL_LONG_SCOREBOARD + 1, "the last two are the waits for results");

struct scheduler {
    _Alignas(uint64_t) uint16_t closed[GATE_SETS]; /* warps held back by a reason of STALL_GATES; a warp may be in
                                                    * several sets */
    uint16_t resident;
    uint16_t residents;         /* how many */
    uint16_t mio_data;          /* of SHORT_SCOREBOARD, the warps that wait for shared memory or LDC */
    uint16_t redirected;        /* their last instruction was a taken branch */
    uint16_t head[CLASS_COUNT]; /* by class of the next instruction */
    uint8_t class[SUBCORE_WARPS];
    uint64_t stall_until[SUBCORE_WARPS];
    uint64_t next_wake;          /* no stalled warp wakes before */
    uint64_t age[SUBCORE_WARPS]; /* grows with every warp that starts on the SM (scheduler_first_age) */
    const struct scheduler_policy *policy;
    bool always_asked;    /* the policy is asked about a single warp, too */
    uint8_t told;         /* events that the policy is told of, a bit each */
    uint16_t again;       /* bit of the warp that issued last, if the policy chooses it again without being asked */
    int last;             /* warp that issued last, unless it has left since */
    uint8_t turn;         /* slot of the last issue */
    uint64_t issue_free;  /* CONTROL takes an instruction from this cycle on */
    uint64_t ports_until; /* before, it waits for the read ports of the last one */
    uint64_t hold_until;  /* a constant is waited for: nothing issues before */
    void *state;          /* of the policy: SCHEDULER_STATE bytes */
    uint8_t active_warps; /* core.scheduler_warps */
    uint32_t renewal;     /* core.scheduler_renewal, cycles; 0: never */
};

/* Puts the warp into one of the sets, or takes it out. */
static inline void scheduler_set(uint16_t *set, unsigned warp, bool in)
{
    *set = (uint16_t)(in ? *set | 1u << warp : *set & ~(1u << warp));
}

/* Sets the policy and its number of active warps, 1 to SUBCORE_WARPS. Lends it SCHEDULER_STATE bytes that are aligned
 * to 8, and empties the sets. Ages are not renewed. */
void scheduler_init(struct scheduler *s, enum config_scheduler policy, unsigned active_warps, void *state);
/* Sets after how many cycles the youngest warp becomes the oldest for policies that renew ages. 0: never. */
void scheduler_renew(struct scheduler *s, uint32_t cycles);
/* Empties the sets. */
void scheduler_begin(struct scheduler *s);
void scheduler_archive(struct archive *a, struct scheduler *s);

/* The warp will not issue before `until`. */
static inline void scheduler_stall(struct scheduler *s, unsigned warp, uint64_t until)
{
    s->closed[STALL_WAIT] |= (uint16_t)(1u << warp);
    s->stall_until[warp] = until;
    if (until < s->next_wake)
        s->next_wake = until;
}

/* Wakes warps whose stall count has run out; s->next_wake says when there are any. */
void scheduler_wake(struct scheduler *s, uint64_t now);

/* The warp has no next instruction. */
static inline void scheduler_clear_class(struct scheduler *s, unsigned warp)
{
    s->head[s->class[warp % SUBCORE_WARPS]] &= (uint16_t) ~(1u << warp);
}

/* The warp's next instruction is of this class. */
static inline void scheduler_set_class(struct scheduler *s, unsigned warp, enum issue_class class)
{
    if (s->head[class] >> warp & 1)
        return;
    scheduler_clear_class(s, warp);
    s->head[class] |= (uint16_t)(1u << warp);
    s->class[warp % SUBCORE_WARPS] = (uint8_t) class;
}

/* Returns true if the warp is stalled until `when` at least. */
static inline bool scheduler_stalled_until(const struct scheduler *s, unsigned warp, uint64_t when)
{
    return (s->closed[STALL_WAIT] >> warp & 1) && s->stall_until[warp] >= when;
}

/* Returns the sets of four reasons side by side. */
static inline uint64_t scheduler_closed(const struct scheduler *s, unsigned word)
{
    uint64_t sets;
    memcpy(&sets, &s->closed[word * GATES_IN_WORD], sizeof sets);
    return sets;
}

/* Returns the warps that wait for a result of variable latency, in two sets side by side. */
static inline uint32_t scheduler_waits(const struct scheduler *s)
{
    uint32_t sets;
    memcpy(&sets, &s->closed[STALL_LONG_SCOREBOARD], sizeof sets);
    return sets;
}

/* Warps for which more than their unit stands in the way. */
static inline uint32_t scheduler_held(const struct scheduler *s)
{
    uint64_t held = scheduler_closed(s, 0);
    for (unsigned word = 1; word < GATE_WORDS; word++)
        held |= scheduler_closed(s, word);
    held |= held >> 32;
    return (uint16_t)(held | held >> 16);
}

/* Returns the policy's choice among `eligible`, which is not 0, or SCHEDULER_NONE if it declines. */
static inline int scheduler_choose(const struct scheduler *s, uint16_t eligible, uint64_t now)
{
    bool one = (eligible & (eligible - 1)) == 0;
    if (eligible & s->again)
        return s->last;
    return one && !s->always_asked ? (int)lowest_bit32(eligible) : s->policy->choose(s, s->state, eligible, now);
}

/* Returns the same, and the first warp if the policy declines. */
static inline unsigned scheduler_prefers(const struct scheduler *s, uint16_t warps, uint64_t now)
{
    int warp = scheduler_choose(s, warps, now);
    return warp == SCHEDULER_NONE ? lowest_bit32(warps) : (unsigned)warp;
}

/* Returns the oldest of `warps`, which is not 0. */
int scheduler_oldest_of(const struct scheduler *s, uint16_t warps);
/* Returns the warp that issued last if it is among `warps`, else the youngest. */
int scheduler_last_or_youngest(const struct scheduler *s, uint16_t warps);
/* Returns the warp that issued last if it is among `warps`, else the youngest of those that are older than the last
 * issue's slot, else the youngest of all. */
int scheduler_last_or_next_older(const struct scheduler *s, uint16_t warps);

static inline void scheduler_tell(struct scheduler *s, enum scheduler_event what, unsigned warp, uint64_t line)
{
    if (s->told >> what & 1)
        s->policy->event(s, s->state, what, warp, line);
}

/* An age counts warps, and above these bits CTAs. */
enum { SCHEDULER_AGE_BITS = 8 };

/* Returns the age behind which the warps in a new CTA start. */
static inline uint64_t scheduler_first_age(uint64_t last)
{
    return ((last >> SCHEDULER_AGE_BITS) + 1) << SCHEDULER_AGE_BITS;
}

/* Returns the CTA in which a warp with this age started. Later CTAs have larger numbers. */
static inline uint64_t scheduler_cta(uint64_t age) { return age >> SCHEDULER_AGE_BITS; }

/* A warp becomes resident. `age` is larger than that of every warp before. */
static inline void scheduler_start(struct scheduler *s, unsigned warp, uint64_t age)
{
    s->resident |= (uint16_t)(1u << warp);
    s->residents++;
    s->age[warp] = age;
    scheduler_tell(s, SCHEDULER_STARTS, warp, 0);
}

/* A warp leaves every set. */
void scheduler_retire(struct scheduler *s, unsigned warp);

static inline void scheduler_issued(struct scheduler *s, unsigned warp)
{
    s->last = (int)warp;
    s->again = (uint16_t)((unsigned)s->policy->greedy << warp);
    s->turn = (uint8_t)warp;
    scheduler_tell(s, SCHEDULER_ISSUES, warp, 0);
}

#endif
