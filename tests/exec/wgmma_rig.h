/* A warpgroup with shared memory, and products that are put there and into registers for wgmma. */
#ifndef SUBCORE_TESTS_EXEC_WGMMA_RIG_H
#define SUBCORE_TESTS_EXEC_WGMMA_RIG_H

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/launch.h"
#include "exec/module.h"
#include "exec/warp_state.h"
#include "wgmma_oracle.h"

enum { WARPS = 4, REGISTERS = 256, REG_A = 4, REG_E = 8, REG_C = 24, UR = 8 };

struct wgmma_rig {
    struct exec_core core;
    struct cubin_kernel cubin;
    struct exec_kernel kernel;
    struct exec_launch launch;
    struct exec_cta cta;
    struct exec_warp warp[WARPS];
    struct exec_inst inst;
    uint64_t random;
    _Alignas(64) uint32_t reg[WARPS][REGISTERS][EXEC_LANES];
    uint8_t shared[ORACLE_SHARED];
    struct oracle_product product;
};

enum wgmma_manner { TAME, WIDE, WILD, MANNERS }; /* near 1; any number; also infinities and NaNs */

/* The fields of an instruction beside those that its product has. */
struct wgmma_fields {
    bool a_shared, mn_a, mn_b, negate_a, negate_b;
    unsigned selector;
};

struct wgmma_rig *wgmma_create(uint64_t seed);
uint32_t wgmma_any(struct wgmma_rig *m);
uint32_t wgmma_below(struct wgmma_rig *m, uint32_t limit);

uint32_t wgmma_any_element(struct wgmma_rig *m, enum oracle_type type, enum wgmma_manner manner);
uint32_t wgmma_any_c(struct wgmma_rig *m, const struct oracle_product *p, enum wgmma_manner manner);
/* Fills the matrices of the product. */
void wgmma_fill(struct wgmma_rig *m, enum wgmma_manner manner);

/* Places of A and B without a swizzle, for products of few columns. */
extern const struct oracle_place wgmma_plain_a, wgmma_plain_b;
/* Returns a layout with room for `mn` by `bytes` of K, in 64 KiB or so from `start` on. */
struct oracle_place wgmma_any_place(struct wgmma_rig *m, uint32_t start, unsigned bytes, bool mn_major);
void wgmma_put_shared(struct wgmma_rig *m, const struct oracle_place *place, unsigned bytes, unsigned mn, unsigned k,
                      uint32_t value);
/* Puts the place's descriptor into the uniform registers from `index` on. */
void wgmma_descriptor(struct wgmma_rig *m, unsigned index, const struct oracle_place *place);
/* Returns element (row, n) of C or D. */
uint32_t *wgmma_accumulator(struct wgmma_rig *m, const struct oracle_product *p, unsigned row, unsigned n);

/* Builds the instruction of the product. */
void wgmma_build(struct wgmma_rig *m, const struct wgmma_fields *f);
/* Puts the product's operands where the instruction has them. */
void wgmma_put(struct wgmma_rig *m, const struct wgmma_fields *f, const struct oracle_place *a,
               const struct oracle_place *b);
/* Executes the instruction in all four warps. */
void wgmma_run(struct wgmma_rig *m);
/* The same, and compares D with the oracle's. */
void wgmma_check(struct wgmma_rig *m, const struct wgmma_fields *f);

#endif
