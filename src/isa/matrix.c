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
    case ISA_OP_HMMA_884: /* a step of four quad pairs: 8 x 8 x 4 each, in four steps with floats, in two with halves */
        return inst->mod[ISA_MOD_DST_TYPE] ? (struct isa_matrix){8, 4, 16, 16, 32, false, ISA_MATRIX_HALF}
                                           : (struct isa_matrix){16, 4, 16, 16, 16, false, ISA_MATRIX_HALF};
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

static enum isa_engine_kind engine_kind(const struct isa_inst *inst)
{
    switch (inst->op) {
    case ISA_OP_UTCHMMA: return ISA_ENGINE_HALF;
    case ISA_OP_UTCQMMA: return ISA_ENGINE_EIGHT;
    case ISA_OP_UTCIMMA: return ISA_ENGINE_INTEGER;
    case ISA_OP_UTCOMMA: return ISA_ENGINE_FOUR;
    case ISA_OP_UTCCP: return ISA_ENGINE_COPY;
    case ISA_OP_UTCSHIFT: return ISA_ENGINE_SHIFT;
    case ISA_OP_UTCBAR: return ISA_ENGINE_COMMIT;
    default: return ISA_ENGINE_NONE;
    }
}

/* The forms of a product differ in their opcodes. Rows and bytes of copies (PTX ISA, tcgen05.cp): 128x256b, 4x256b,
 * 128x128b, 64x128b to two places in two orders, 32x128b to four. */
struct isa_engine isa_engine_of(const struct isa_inst *inst)
{
    enum { FROM_SHARED = 0x5ea, SCALED_FROM_SHARED = 0xdea, SCALED_FROM_TENSOR = 0xfea };
    static const uint16_t bytes[] = {4096, 0, 128, 2048, 1024, 1024, 512, 0};
    unsigned opcode = (unsigned)(inst->word.lo & 0xfff);
    enum isa_engine_kind kind = engine_kind(inst);
    bool scaled = opcode == SCALED_FROM_SHARED || opcode == SCALED_FROM_TENSOR || kind == ISA_ENGINE_FOUR;
    return (struct isa_engine){.kind = (uint8_t)kind,
                               .pair = inst->mod[ISA_MOD_CTAS],
                               .a_shared = opcode == FROM_SHARED || opcode == SCALED_FROM_SHARED,
                               .stationary = inst->mod[ISA_MOD_STATIONARY],
                               .scaled = scaled && kind >= ISA_ENGINE_HALF && kind <= ISA_ENGINE_FOUR,
                               .bytes = kind == ISA_ENGINE_COPY ? bytes[inst->mod[ISA_MOD_LAYOUT] & 7] : 0};
}
