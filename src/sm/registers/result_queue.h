/* Result queue of a sub-core: results of fixed latency wait here for the write ports of the register file, while the
 * bypass serves consumers of fixed latency, so that it delays only the issue of instructions for whose result it
 * has no place. One leaves in a cycle. It writes one register in each bank. Uniform results have their own queue. A
 * predicate takes a place like a register. Source: MICRO 2025 paper, result queue. Its places (8) and that they are
 * reserved at issue: the configuration published with it. */
#ifndef SUBCORE_SM_RESULT_QUEUE_H
#define SUBCORE_SM_RESULT_QUEUE_H

#include <stdint.h>

#include "sm/code.h"
#include "sm/registers/register_file.h"

enum { RESULT_SPAN = 256 };

struct result_queue {
    uint32_t pop[RESULT_SPAN]; /* [c % span]: c / span + 1 where a result leaves in cycle c */
};

/* The result of an instruction arrives at `arrival` and leaves in the first free cycles from then on. `write`: ports of
 * the register file, NULL for uniform results. Returns how many results are ahead of its last part at arrival, that is
 * the cycles for which that waits. */
static inline uint64_t result_queue_put(struct result_queue *q, struct write_ports *write, const struct code *code,
                                        uint64_t arrival)
{
    uint64_t cycle = arrival;
    for (unsigned left = code->result_parts; left; left--, cycle++) {
        while (q->pop[cycle % RESULT_SPAN] == (uint32_t)(cycle / RESULT_SPAN + 1))
            cycle++;
        q->pop[cycle % RESULT_SPAN] = (uint32_t)(cycle / RESULT_SPAN + 1);
        if (write && code->result_banks)
            write_ports_take(write, left > 1 ? 3 : code->result_banks, cycle);
    }
    return cycle - 1 - arrival;
}

#endif
