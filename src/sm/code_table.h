/* A kernel's code as all SMs share it. */
#ifndef SUBCORE_SM_CODE_TABLE_H
#define SUBCORE_SM_CODE_TABLE_H

#include "sm/code.h"

struct code_registers;

struct code_table {
    struct code *code; /* [count + 1]: a place behind the end, which is never fetched */
    uint32_t count;
    uint32_t warps_per_cta;
    uint32_t l1_bytes;                /* what the shared-memory carve-out leaves of the unified array */
    struct code_registers *registers; /* [count + 1] with `scoreboard`, else NULL */
    uint64_t address;                 /* where the L2 has the kernel's code, and constants from L15_CONSTANTS on */
    bool scoreboard;                  /* a scoreboard handles dependences instead of control bits */
};

/* Tells whether two kernels have the same code. */
struct code_identity {
    uint64_t address;
    uint32_t count;
};

/* The instructions 0 .. count, of which the last is the place behind the end. */
struct code_source {
    const void *self;
    const struct isa_inst *(*at)(const void *self, uint32_t index);
    uint32_t count;
    bool no_control_bits; /* what is in their place means nothing: a scoreboard whatever the configuration says */
};

/* Fills code, count, registers and scoreboard, and frees what was there; the rest is 0. Returns false if out of
 * memory. */
bool code_table_build(struct code_table *table, const struct code_source *source, const struct config *config);
void code_table_free(struct code_table *table);

#endif
