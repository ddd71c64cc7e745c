/* Bits that each way of handling dependences stores, beside the register file. Source: MICRO 2025 paper, comparison of
 * dependence mechanisms: 41 bits a warp for control bits, 2324 for a scoreboard of 332 entries with 63 consumers. */
#ifndef SUBCORE_SM_AREA_H
#define SUBCORE_SM_AREA_H

#include <stdint.h>

#include "config/config.h"

/* Registers that can be written, of a warp. */
struct area_entries {
    uint32_t regular, uniform, predicate, uniform_predicate;
};
struct area_entries area_entries(const struct config *config);

uint32_t area_control_bits(void); /* bits a warp */
/* Bits a warp, with counts of up to `consumers` readers for each register, 1 or more. */
uint32_t area_scoreboard(const struct config *config, uint32_t consumers);

struct area {
    uint32_t warp_bits;
    uint64_t sm_bits;    /* of all warps that can be resident */
    double of_registers; /* share of the SM's register file */
};
struct area area_of(const struct config *config, uint32_t warp_bits);

#endif
