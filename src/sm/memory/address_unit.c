#include "sm/memory/address_unit.h"

static uint64_t sources_read(const struct config_lsu *c, const struct access *a, uint64_t now)
{
    uint64_t issue = now - address_way(c, a); /* as if it had not had to wait */
    switch ((enum isa_memory)a->code->memory) {
    case ISA_MEM_STORE:
    case ISA_MEM_ATOMIC:
    case ISA_MEM_REDUCTION: return issue + store_data_start(c, a) + store_data_cycles(c, a);
    case ISA_MEM_ASYNC_COPY: return issue + c->async_war; /* when the addresses are computed, 13 for any size */
    case ISA_MEM_LOAD:
    case ISA_MEM_SHUFFLE:
    case ISA_MEM_NONE: break;
    }
    if (a->space != ISA_SPACE_CONSTANT)
        return now;
    /* LDC with an address register: the source is free when the data have arrived. */
    return access_vector(a) ? issue + c->constant_latency_vector : now + 1;
}

uint64_t address_sources_read(const struct config_lsu *c, const struct access *a, uint64_t now)
{
    uint64_t at = sources_read(c, a, now);
    return at > now ? at : now; /* a configuration may have a shorter time than the way takes */
}
