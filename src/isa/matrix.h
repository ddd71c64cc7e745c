/* Sizes of the matrices that a warp multiplies: A has rows x depth elements, B depth x 8, C and D rows x 8. */
#ifndef SUBCORE_ISA_MATRIX_H
#define SUBCORE_ISA_MATRIX_H

#include "isa/isa.h"

enum { ISA_MATRIX_COLUMNS = 8 };

/* Types of the elements. */
enum isa_matrix_kind {
    ISA_MATRIX_HALF, /* 16 bits or TF32 */
    ISA_MATRIX_INTEGER,
    ISA_MATRIX_BIT,
    ISA_MATRIX_DOUBLE,
    ISA_MATRIX_EIGHT, /* floats of at most 8 bits */
    ISA_MATRIX_FOUR   /* floats of 4 bits */
};

/* Fields of an instruction that multiplies matrices, with the widths of the elements in bits as registers hold them.
 * A sparse A has only half of its elements. rows is 0 where the shape has no meaning. */
struct isa_matrix {
    uint16_t rows, depth;
    uint8_t bits_a, bits_b, bits_c;
    bool sparse;
    uint8_t kind; /* enum isa_matrix_kind */
};

struct isa_matrix isa_matrix_of(const struct isa_inst *inst);

/* Returns the columns of B, 8 .. 256, in a product of a warpgroup (HGMMA, QGMMA, IGMMA, BGMMA). */
unsigned isa_warpgroup_columns(const struct isa_inst *inst);
/* Returns the type of its elements: HALF, EIGHT, INTEGER or BIT. */
enum isa_matrix_kind isa_warpgroup_kind(const struct isa_inst *inst);
/* Returns whether an instruction is the fence of such products, or waits for groups of them (WARPGROUP). */
bool isa_is_warpgroup_fence(const struct isa_inst *inst);
bool isa_is_warpgroup_wait(const struct isa_inst *inst);

/* The role of an instruction for the tensor engine (tcgen05). */
enum isa_engine_kind {
    ISA_ENGINE_NONE,
    ISA_ENGINE_HALF, /* a product of FP16, BF16 or TF32 */
    ISA_ENGINE_EIGHT,
    ISA_ENGINE_INTEGER,
    ISA_ENGINE_FOUR,
    ISA_ENGINE_COPY, /* shared memory to tensor memory */
    ISA_ENGINE_SHIFT,
    ISA_ENGINE_COMMIT
};

struct isa_engine {
    uint8_t kind;    /* enum isa_engine_kind */
    bool pair;       /* of two CTAs */
    bool a_shared;   /* A comes from shared memory */
    bool stationary; /* B stays */
    bool scaled;     /* with scale factors */
    uint16_t bytes;  /* that a copy reads */
};

struct isa_engine isa_engine_of(const struct isa_inst *inst);

#endif
