#include "isa/matrix.h"

struct shape {
    uint8_t rows, depth;
};

enum { SHAPES = 8 };

static const struct shape half_shapes[SHAPES] = {{16, 8}, {16, 16}, {16, 4}, {16, 32}};
static const struct shape integer_shapes[SHAPES] = {{8, 16},  {0, 0},   {8, 32},  {0, 0},
                                                    {16, 16}, {16, 32}, {16, 64}, {16, 128}};
static const struct shape double_shapes[SHAPES] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};
static const struct shape small_shapes[SHAPES] = {{16, 16}, {16, 32}, {16, 64}};
static const struct shape four_shapes[SHAPES] = {{16, 64}, {16, 128}};

static struct isa_matrix bit_matrix(unsigned shape)
{
    return (struct isa_matrix){shape ? 16 : 8, shape == 2 ? 256 : 128, 1, 1, 32, false, ISA_MATRIX_BIT};
}

static uint8_t integer_bits(unsigned type) { return type >= ISA_MMA_INTEGER_U4 ? 4 : 8; }

struct isa_matrix isa_matrix_of(const struct isa_inst *inst)
{
    unsigned shape = inst->mod[ISA_MOD_SHAPE] & (SHAPES - 1);
    uint8_t accumulator = inst->mod[ISA_MOD_MMA_ACC] ? 32 : 16,
            half = inst->mod[ISA_MOD_MMA_TYPE] == ISA_MMA_TYPE_TF32 ? 32 : 16;
    bool sparse = inst->mod[ISA_MOD_SPARSE];
    switch (inst->op) {
    case ISA_OP_HMMA:
        return (struct isa_matrix){half_shapes[shape].rows, half_shapes[shape].depth, half, half, accumulator, sparse,
                                   ISA_MATRIX_HALF};
    case ISA_OP_IMMA:
        return (struct isa_matrix){.rows = integer_shapes[shape].rows,
                                   .depth = integer_shapes[shape].depth,
                                   .bits_a = integer_bits(inst->mod[ISA_MOD_TYPE_A]),
                                   .bits_b = integer_bits(inst->mod[ISA_MOD_TYPE_B]),
                                   .bits_c = 32,
                                   .sparse = sparse,
                                   .kind = ISA_MATRIX_INTEGER};
    case ISA_OP_BMMA: return bit_matrix(shape);
    case ISA_OP_DMMA:
        return (struct isa_matrix){double_shapes[shape].rows, double_shapes[shape].depth, 64, 64, 64, false,
                                   ISA_MATRIX_DOUBLE};
    case ISA_OP_QMMA:
    case ISA_OP_QMMA_SF:
        return (struct isa_matrix){small_shapes[shape].rows, small_shapes[shape].depth, 8, 8, accumulator, sparse,
                                   ISA_MATRIX_EIGHT};
    case ISA_OP_OMMA_SF:
        return (struct isa_matrix){four_shapes[shape].rows, four_shapes[shape].depth, 4, 4, accumulator, sparse,
                                   ISA_MATRIX_FOUR};
    default: return (struct isa_matrix){0};
    }
}

unsigned isa_warpgroup_columns(const struct isa_inst *inst)
{
    unsigned shape = inst->mod[ISA_MOD_SHAPE];
    if (inst->op == ISA_OP_HGMMA || inst->op == ISA_OP_QGMMA)
        return 8 * (shape % 32 + 1);
    shape /= inst->op == ISA_OP_IGMMA ? 3 : 1;
    return shape < 4 ? 8 * (shape + 1) : 16 * (shape - 1);
}

enum isa_matrix_kind isa_warpgroup_kind(const struct isa_inst *inst)
{
    switch (inst->op) {
    case ISA_OP_QGMMA: return ISA_MATRIX_EIGHT;
    case ISA_OP_IGMMA: return ISA_MATRIX_INTEGER;
    case ISA_OP_BGMMA: return ISA_MATRIX_BIT;
    default: return ISA_MATRIX_HALF;
    }
}

bool isa_is_warpgroup_fence(const struct isa_inst *inst)
{
    return inst->op == ISA_OP_WARPGROUP && inst->mod[ISA_MOD_FUNCTION] == ISA_WARPGROUP_ARRIVE;
}

bool isa_is_warpgroup_wait(const struct isa_inst *inst)
{
    return inst->op == ISA_OP_WARPGROUP && inst->mod[ISA_MOD_FUNCTION] != ISA_WARPGROUP_ARRIVE;
}
