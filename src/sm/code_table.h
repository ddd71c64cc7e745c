/* A kernel's code as all SMs share it. */
#ifndef SUBCORE_SM_CODE_TABLE_H
#define SUBCORE_SM_CODE_TABLE_H

#include "probe/counters.h"
#include "sm/code.h"

struct code_registers;

enum { CODE_WINDOWS = 32 }; /* grids that have CTAs on an SM at once: as many as it holds CTAs */

/* The code of a grid on an SM. The pcs of its warps begin at 16 * `base`. */
struct code_window {
    uint32_t base, end; /* instructions from here, and before there */
    uint64_t address;   /* where the L2 has the kernel's code, and constants from L15_CONSTANTS on */
};

/* The counts for each kernel of an SM that has several, beside the common counters. */
struct window_counters {
    uint64_t inst_executed, thread_inst_executed, thread_inst_executed_pred_on;
    uint64_t warp_cycles, stall[STALL_COUNT];
    uint64_t warps, ctas; /* that have ended */
};

/* Kernels of which CTAs are on an SM together have windows into one array of instructions. Window 0 is that of the
 * kernel with which the SM has begun. */
struct code_table {
    struct code *code; /* [count + 1]: a place behind the end, which is never fetched */
    uint32_t count;
    uint32_t l1_bytes;                /* the part of the unified array beside the shared-memory carve-out */
    struct code_registers *registers; /* [count + 1] with `scoreboard`, else NULL */
    bool scoreboard;                  /* a scoreboard handles dependences instead of control bits */
    uint32_t windows;                 /* in use or used before, at least 1 */
    struct code_window window[CODE_WINDOWS];
};

/* Tells whether two kernels have the same code. */
struct code_identity {
    uint64_t address;
    uint32_t base, count;
};

/* The instructions 0 .. count, of which the last is the place behind the end. */
struct code_source {
    const void *self;
    const struct isa_inst *(*at)(const void *self, uint32_t index);
    uint32_t count;
    bool no_control_bits; /* control bits are invalid: always a scoreboard */
};

/* Fills code, count, registers, scoreboard and the first window, and frees the old contents. The rest is 0. Returns
 * false if out of memory. */
bool code_table_build(struct code_table *table, const struct code_source *source, const struct config *config);
void code_table_free(struct code_table *table);

/* Room for the code of kernels that share SMs, one behind the other. */
struct code_space {
    struct code *code;                /* [places] */
    struct code_registers *registers; /* [places], NULL until a scoreboard asks for it */
    uint32_t places;
};

/* Returns false if out of memory. Memory is taken from the host as code is put there. */
bool code_space_init(struct code_space *space, uint32_t places);
void code_space_free(struct code_space *space);

/* As code_table_build, with the code at place `base` of the space, which has source->count + 1 places from there on.
 * The table owns nothing. */
bool code_space_build(struct code_space *space, uint32_t base, struct code_table *table,
                      const struct code_source *source, const struct config *config);
/* Tells whether warps of both can be on an SM together. */
static inline bool code_table_shares(const struct code_table *a, const struct code_table *b)
{
    return a->code == b->code && a->scoreboard == b->scoreboard;
}

#endif
