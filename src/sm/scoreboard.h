/* Dependence counters of a warp: six, raised by CONTROL one cycle after issue (and seen by the issue check two cycles after it),
 * lowered when sources have been read or results written. Source: MICRO 2025 paper, control bits. */
#ifndef SUBCORE_SM_SCOREBOARD_H
#define SUBCORE_SM_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/code.h"

enum { SB_COUNTERS = 6 };

struct scoreboard {
    uint8_t count[SB_COUNTERS];
    uint8_t nonzero;               /* bit k: counter k is not 0 */
    uint8_t global;                /* bit k: counter k was last raised by a global or local access */
};

struct increment { uint8_t warp, write_sb, read_sb; bool global; };
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
        s->nonzero &= (uint8_t)~(1u << k);
}

/* Counters for which the instruction still waits: its wait mask, and for DEPBAR.LE its threshold. */
static inline uint8_t scoreboard_waits(const struct scoreboard *s, const struct code *code)
{
    uint8_t waits = s->nonzero & code->wait;
    if ((code->flags & CODE_DEPBAR) && s->count[code->depbar_sb] > code->depbar_max)
        waits |= (uint8_t)(1u << code->depbar_sb);
    return waits;
}

#endif
