#include "sm/front/constant_way.h"

/* A cycle for the arbiter of the port, then 39 cycles each way: the 78 of the artifact make the 79 that the paper
 * measured. */
uint64_t constant_way_at_l0(const struct constant_way *way, uint64_t there)
{
    return there - 1 + way->config->l15_latency;
}

uint64_t constant_way_fetch(const struct constant_way *way, uint64_t address, uint64_t now)
{
    uint64_t there = l15_request(way->l15, L15_CONSTANTS + address, l1i_pass_port(way->l1i, now));
    return there == TAGS_COMING ? there : constant_way_at_l0(way, there);
}
