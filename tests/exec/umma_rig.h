/* A pair of CTAs with shared and tensor memory, and products that are put there for tcgen05.mma. */
#ifndef SUBCORE_TESTS_EXEC_UMMA_RIG_H
#define SUBCORE_TESTS_EXEC_UMMA_RIG_H

#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/module.h"
#include "exec/tensor/tensor_memory.h"
#include "exec/tensor/umma.h"
#include "umma_oracle.h"

enum {
    RIG_SHARED = 200 * 1024,
    RIG_D = 128, /* columns of tensor memory */
    RIG_A = 32,
    RIG_E = 64,
    RIG_SFA = 72,
    RIG_SFB = 80
};

/* The uniform registers of the instruction. */
enum { RIG_UR_A = 4, RIG_UR_B = 6, RIG_UR_D = 8, RIG_UR_E = 10, RIG_UR_F = 12 };

/* The product in the words of an instruction. */
struct rig_form {
    bool a_shared, mn_a, mn_b, negate_a, negate_b;
    unsigned lane; /* of D and A: 0 or 16 */
    unsigned selector, byte_a, byte_b;
    uint32_t disabled[8];
    bool masks;
    uint64_t zero_columns;
    bool shifts;
    struct uoracle_place a, b;
};

struct rig {
    struct exec_core core;
    struct cubin_kernel cubin;
    struct exec_kernel kernel;
    struct exec_module module;
    struct exec_launch launch;
    struct exec_cta cta[2];
    struct exec_warp warp[2];
    struct exec_inst inst;
    uint64_t random;
    bool longer; /* K has 96 elements of 4 bits */
    struct tensor_memory tensor[2], expected[2];
    uint8_t shared[2][RIG_SHARED];
    struct uoracle product;
    struct rig_form form;
};

struct rig *rig_create(uint64_t seed);
uint32_t rig_any(struct rig *r);
uint32_t rig_below(struct rig *r, uint32_t limit);

enum rig_manner { RIG_TAME, RIG_WIDE, RIG_WILD, RIG_MANNERS }; /* near 1; any number; also infinities and NaNs */

uint32_t rig_element(struct rig *r, enum uoracle_type type, enum rig_manner manner);
uint8_t rig_scale(struct rig *r, bool powers, enum rig_manner manner);
/* Makes r->product and r->form one of this kind and shape, with all else by chance. */
void rig_choose(struct rig *r, enum uoracle_kind kind, unsigned m, unsigned n, bool pair, bool stationary, bool sparse,
                enum rig_manner manner);

/* Puts the operands of r->product to where r->form has them, builds the instruction, and puts the right D into
 * r->expected. */
void rig_put(struct rig *r);
void rig_execute(struct rig *r);
/* All of tensor memory is as it has to be. */
void rig_check(struct rig *r);

#endif
