#include "gpu/co_runner.h"

#include "base/hash.h"

#define THEIR_MEMORY UINT64_C(0x0000500000000000)

enum { LINES_SHIFT = 30 };

/* They wait for half the accesses that the slices can have under way. */
void co_runner_begin(struct co_runner *c, const struct config *config)
{
    double bytes_per_cycle = config->run.co_load * config->dram.bandwidth * 1e3 / config->gpu.clock;
    *c = (struct co_runner){.period = bytes_per_cycle > 0 ? PORT_LINE / bytes_per_cycle : 0,
                            .most = config->l2.slices * config->l2.mshrs / 2};
}

bool co_runner_read(struct co_runner *c, struct mem *mem, uint64_t now, uint64_t end)
{
    if (c->period <= 0)
        return true;
    c->next = c->next < (double)now ? (double)now : c->next;
    bool ok = true;
    uint32_t waiting = mem_waiting(mem);
    for (; ok && c->next < (double)end; c->next += c->period) {
        if (waiting++ >= c->most)
            continue;
        uint64_t line = hash_mix(c->sent++) & ((UINT64_C(1) << LINES_SHIFT) - 1);
        const struct request request = {.arrival = (uint64_t)c->next,
                                        .line = THEIR_MEMORY + line * PORT_LINE,
                                        .client = PORT_NOBODY,
                                        .sectors = (1 << PORT_SECTORS) - 1,
                                        .kind = REQUEST_LOAD};
        ok = mem_accept(mem, &request);
    }
    return ok;
}
