/* Requests of the legacy core's LD/ST unit, one by one. */
#ifndef SUBCORE_SM_LEGACY_LOAD_STORE_PARTS_H
#define SUBCORE_SM_LEGACY_LOAD_STORE_PARTS_H

#include "base/bits.h"
#include "sm/legacy/load_store.h"

/* The number of a request: its access's token and its sector there. */
static inline uint16_t request_number(uint16_t token, unsigned entry) { return (uint16_t)(token * 32u + entry); }
static inline uint16_t request_token(uint16_t request) { return request / 32; }

static inline uint64_t legacy_sector(const struct line_access *a)
{
    return a->line + PORT_SECTOR * lowest_bit32(a->sectors);
}

static inline bool legacy_is_atomic(const struct code *code)
{
    return (code->memory == ISA_MEM_ATOMIC || code->memory == ISA_MEM_REDUCTION) && !code->mbarrier;
}

/* The L2 answers atomics, strong loads and LDGSTS.BYPASS. */
static inline bool legacy_past_l1(const struct access *a)
{
    bool load = a->code->memory == ISA_MEM_LOAD || a->code->memory == ISA_MEM_ASYNC_COPY;
    return load ? a->deferred || (a->code->flags & CODE_BYPASS) : a->code->memory != ISA_MEM_STORE;
}

/* A structure of the modern core has the access. */
static inline bool legacy_is_modern(const struct access *a)
{
    return a->code->tensor || a->code->mbarrier || a->space == ISA_SPACE_CLUSTER || code_only_passes(a->code);
}

/* Returns true if the network takes a request in this cycle. */
bool legacy_network_takes(const struct legacy_load_store *u, uint64_t now);
/* Sends it. */
void legacy_send(struct legacy_load_store *u, uint16_t request, uint64_t now);

/* Looks a request up in the L1: HIT if it is answered with that. `room`: the miss queue takes a request. */
enum legacy_l1_answer legacy_look_up(struct legacy_load_store *u, uint16_t request, bool room, uint64_t now);

#endif
