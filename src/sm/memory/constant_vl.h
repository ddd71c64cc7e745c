/* L0 constant cache of the SM for variable-latency instructions (VL), LDC above all, at the end of the memory unit's
 * constant path.
 *
 * Source: MICRO 2025 paper, constant caches. An LDC whose lanes ask for different addresses is split into as many
 * accesses (CUDA C++ Programming Guide, constant memory). Here lanes in one aligned block of constant.vl_block bytes
 * share an access, and the cache takes one access a cycle. */
#ifndef SUBCORE_SM_CONSTANT_VL_H
#define SUBCORE_SM_CONSTANT_VL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "isa/issued.h"
#include "probe/counters.h"
#include "sm/front/constant_way.h"
#include "sm/front/tags.h"
#include "sm/memory/coalesce.h"

struct constant_vl {
    const struct config_constant *config;
    struct constant_way way; /* ports */
    struct sm_counters *n;
    struct tags tags;
    uint64_t port_free; /* cycle from which another access is taken */
};

bool constant_vl_init(struct constant_vl *c, const struct config_constant *config, struct arena *arena);
void constant_vl_begin(struct constant_vl *c);

/* The blocks that the lanes of an LDC ask for, in the order in which they first do, as addresses in the banks of its
 * code window. Returns their number, at most 32. */
unsigned constant_vl_blocks(const struct config_constant *config, const struct issued *issued, uint8_t window,
                            struct line_access out[32]);

/* The accesses of an LDC that arrives at cycle `now`. Returns by how many cycles its data are later than those of one
 * access that hits, as far as that is known. Blocks whose line is coming from the L2 are marked in their `sectors`;
 * *coming receives their number. */
uint64_t constant_vl_access(struct constant_vl *c, struct line_access *block, unsigned blocks, uint64_t now,
                            unsigned *coming);

/* The constant operand of a variable-latency instruction: the cycle at which it is present, or TAGS_COMING. */
uint64_t constant_vl_operand(struct constant_vl *c, uint8_t bank, uint32_t offset, uint64_t now);

static inline uint64_t constant_vl_line(const struct constant_vl *c, uint8_t bank, uint32_t offset)
{
    return ((uint64_t)bank << 16 | offset) / c->config->line;
}

/* The request of a queue head. */
struct vl_operand {
    bool asked;
    uint64_t ready; /* as constant_vl_operand says */
};

static inline bool vl_operand_waits(const struct vl_operand *o) { return o->asked && o->ready == TAGS_COMING; }

void constant_vl_archive(struct archive *a, struct constant_vl *c);

#endif
