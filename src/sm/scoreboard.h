/* Dependence counters of a warp: six, raised by CONTROL one cycle after issue (and seen by the issue check two cycles
 * after it), lowered when sources have been read or results written. Source: MICRO 2025 paper, control bits. */
#ifndef SUBCORE_SM_SCOREBOARD_H
#define SUBCORE_SM_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/code.h"

enum { SB_COUNTERS = 6, SB_MAX = 63, SB_NAMES = 8 }; /* three bits name a counter: two names are of none */

struct scoreboard {
    uint8_t count[SB_NAMES];
    uint8_t nonzero; /* bit k: counter k is not 0 */
    uint8_t global;  /* bit k: counter k was last raised by a global or local access */
};

struct increment {
    uint8_t warp, write_sb, read_sb;
    bool global;
};
RING(increments, struct increment, 8)

static inline void scoreboard_raise(struct scoreboard *s, uint8_t k, bool global)
{
    s->count[k]++;
    s->nonzero |= (uint8_t)(1u << k);
    s->global = (uint8_t)((s->global & ~(1u << k)) | ((unsigned)global << k));
}

static inline void scoreboard_lower(struct scoreboard *s, uint8_t k)
{
    assert(s->count[k] > 0);
    if (--s->count[k] == 0)
        s->nonzero &= (uint8_t) ~(1u << k);
}

/* A counter of 6 bits that might overflow holds the instruction back; the increment of the one before may be under way.
 * What real chips do is not known: compilers wait long before. */
static inline uint8_t scoreboard_full(const struct scoreboard *s, uint8_t k)
{
    return (uint8_t)(k != ISA_NO_SB && s->count[k] >= SB_MAX - 1 ? 1u << k : 0u);
}

/* Counters for which the instruction still waits: its wait mask, for DEPBAR.LE its threshold, and room to count. */
static inline uint8_t scoreboard_waits(const struct scoreboard *s, const struct code *code)
{
    uint8_t waits = s->nonzero & code->wait;
    if ((code->flags & CODE_DEPBAR) && s->count[code->depbar_sb] > code->depbar_max)
        waits |= (uint8_t)(1u << code->depbar_sb);
    return waits | scoreboard_full(s, code->write_sb) | scoreboard_full(s, code->read_sb);
}

#endif
