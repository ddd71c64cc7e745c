/* L1 instruction cache of the SM, behind the L0s of its four sub-cores.
 *
 * One request port, a request per cycle: demand misses, misses of the constant caches on their way to the L1.5, and
 * prefetches share it (MICRO 2025 paper; its artifact has constants share it). A demand takes the first free cycle
 * after it is made. A prefetch takes a cycle that is left over, the sub-cores by turns.
 *
 * One link per sub-core: its lines are as far apart as those of one warp are seen to be, by the level that they come
 * from. A GA106 runs straight-line code of up to 64 KiB at one instruction per cycle, from 80 to 127 KiB at 2.08
 * cycles each, from 163 KiB on at 4.45: 16.7 and 35.6 cycles for a line of 8 instructions. A TU102 shows 19, 31 and
 * 38. Those loops run one warp, so that they bound a sub-core and not the SM: with all four at work a TU102 executes
 * code of 45 to 116 KiB faster than one line per 31 cycles and SM would let it (issue-active of Nsight Compute). A
 * prefetch that would have to wait for its link does not leave, so that demands find no queue of prefetches there. */
#ifndef SUBCORE_SM_L1I_H
#define SUBCORE_SM_L1I_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/front/l15.h"
#include "sm/front/stream_buffer.h"
#include "sm/front/tags.h"
#include "sm/slot.h"

struct l1i {
    const struct config_icache *config;
    struct l1i_ports {
        struct l15 *l15;
        struct stream_buffer *stream[SM_SUBCORES];
        struct sm_counters *n;
    } to;
    struct tags tags;
    uint64_t port_free; /* cycle from which the request port is free */
    struct l1i_link {
        uint64_t free;      /* cycle from which it carries a line that the L1 has */
        uint64_t fill_free; /* and one that the L1 has to bring for it */
    } link[SM_SUBCORES];
    /* Arbiter of the prefetches. */
    uint32_t wants;         /* sub-cores whose stream asks for a line, one bit each */
    uint32_t turn;          /* sub-core that is asked first */
    uint64_t next_prefetch; /* none can be granted before */
};

bool l1i_init(struct l1i *c, const struct config_icache *config, struct arena *arena);
/* Before a kernel; `keep`: lines that have come stay. */
void l1i_begin(struct l1i *c, bool keep);

/* Takes the request port for one request that is made at cycle `now`. Returns the cycle in which it passes. */
uint64_t l1i_pass_port(struct l1i *c, uint64_t now);
/* Asks for a line that a sub-core misses at cycle `now`. Returns the cycle at which its L0 has it, or TAGS_COMING. */
uint64_t l1i_demand(struct l1i *c, unsigned subcore, uint64_t line, uint64_t now);
/* The stream of this sub-core asks for its next line, from the cycle after `now` on. */
void l1i_want_prefetch(struct l1i *c, unsigned subcore, uint64_t now);

/* The L1.5 has a line of code from cycle `there` on. Returns the cycle from which the L0s have it. */
uint64_t l1i_arrive(struct l1i *c, uint64_t line, uint64_t there);

/* At most one prefetch passes. Returns true if one did. */
bool l1i_prefetch(struct l1i *c, uint64_t now);
static inline bool l1i_prefetch_cycle(struct l1i *c, uint64_t now)
{
    return c->wants && now >= c->next_prefetch && l1i_prefetch(c, now);
}
/* Earliest cycle after `now` at which one can; UINT64_MAX when none is wanted. */
uint64_t l1i_next(const struct l1i *c, uint64_t now);

void l1i_archive(struct archive *a, struct l1i *c);

#endif
