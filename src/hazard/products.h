/* Matrix products of warpgroups (wgmma), which no dependence counter tells of.
 *
 * A product works on its accumulators, and reads A and metadata, from its issue until a wait (WARPGROUP.DEPBAR) has
 * found its group complete. Until then no other instruction may read or write the accumulators, nor write its
 * operands. Only products with the same accumulators follow one another without a wait. And another instruction's
 * writes to these registers reach the product only behind a fence, WARPGROUP.ARRIVE. Source: PTX ISA, wgmma.fence
 * and wgmma.wait_group. */
#ifndef SUBCORE_HAZARD_PRODUCTS_H
#define SUBCORE_HAZARD_PRODUCTS_H

#include "hazard/code.h"
#include "hazard/found.h"

enum { HAZARD_REGISTERS = 256 };

/* The last access of a product, or another instruction, to a register. */
struct hazard_touch {
    uint32_t inst;  /* index in the code, plus 1 (0: nothing) */
    uint32_t group; /* of the product, from 1 on */
    uint64_t time, cycle;
};

/* Of one warp. */
struct hazard_products {
    uint32_t groups, done; /* that it has ended. Of these, that a wait has found complete */
    struct hazard_touch result[HAZARD_REGISTERS], source[HAZARD_REGISTERS];
    struct hazard_touch written[HAZARD_REGISTERS]; /* by others, since the last fence */
};

struct hazard_issue;

void hazard_products_start(struct hazard_products *p);

/* An instruction of the warp issues at virtual time `time`. */
void hazard_products_issue(struct hazard_products *p, const struct hazard_code *code, const struct hazard_issue *issue,
                           uint64_t time, uint64_t cta, struct hazard_found *found);

#endif
