/* The request of tcgen05.mma: the opcode names the kind, the instruction descriptor the rest (PTX ISA, instruction
 * descriptor; bits as CUTLASS has them).
 *
 *            f16, tf32, f8f6f4, i8        mxf8f6f4, mxf4, mxf4nvf4
 *   1:0      sparsity selector            the same
 *   2, 3     sparse; saturate             sparse
 *   5:4      D's type                     byte of B's scale factors
 *   9:7      A's type                     the same
 *   12:10    type of B                    the same
 *   13, 14   negate A, B                  the same
 *   15, 16   transpose A, B               the same
 *   22:17    columns / 8                  the same
 *   23                                    1: UE8M0, 0: UE4M3
 *   28:24    rows / 16                    the same
 *   30:29                                 byte of A's scale factors
 *   31:30    stationary: largest shift    31: 96 elements of K */
#include "exec/tensor/umma.h"
#include "isa/matrix.h"

static uint32_t field(uint32_t descriptor, unsigned low, unsigned bits)
{
    return descriptor >> low & ((1u << bits) - 1);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool small_type(uint32_t code, uint8_t *type)
{
    static const uint8_t types[] = {UMMA_TYPE_E4M3, UMMA_TYPE_E5M2, UMMA_TYPES, UMMA_TYPE_E2M3,
                                    UMMA_TYPE_E3M2, UMMA_TYPE_E2M1, UMMA_TYPES, UMMA_TYPES};
    *type = types[code];
    return *type != UMMA_TYPES;
}

static bool half_types(uint32_t a, uint32_t b, struct umma_form *form)
{
    static const uint8_t types[] = {UMMA_TYPE_F16, UMMA_TYPE_BF16, UMMA_TYPE_TF32};
    if (a > 2 || b > 2 || (a == 2) != (b == 2))
        return false;
    form->kind = a == 2 ? UMMA_TF32 : UMMA_F16;
    form->type_a = types[a];
    form->type_b = types[b];
    return true;
}

static bool types_of(const struct isa_inst *isa, uint32_t descriptor, bool scaled, struct umma_form *form)
{
    uint32_t a = field(descriptor, 7, 3), b = field(descriptor, 10, 3);
    switch (isa->op) {
    case ISA_OP_UTCHMMA: return half_types(a, b, form);
    case ISA_OP_UTCQMMA:
        form->kind = scaled ? UMMA_MXF8F6F4 : UMMA_F8F6F4;
        return small_type(a, &form->type_a) && small_type(b, &form->type_b);
    case ISA_OP_UTCIMMA:
        form->kind = UMMA_I8;
        form->type_a = a ? UMMA_TYPE_S8 : UMMA_TYPE_U8;
        form->type_b = b ? UMMA_TYPE_S8 : UMMA_TYPE_U8;
        return a < 2 && b < 2;
    default:
        form->kind = UMMA_MXF4;
        form->type_a = form->type_b = UMMA_TYPE_E2M1;
        return a == 1 && (b & 3) == 1;
    }
}

static bool result_of(uint32_t descriptor, struct umma_form *form)
{
    form->result = (uint8_t)field(descriptor, 4, 2);
    switch ((enum umma_kind)form->kind) {
    case UMMA_F16:
        return form->result == UMMA_RESULT_F32 ||
               (form->result == UMMA_RESULT_F16 && form->type_a == UMMA_TYPE_F16 && form->type_b == UMMA_TYPE_F16);
    case UMMA_F8F6F4: return form->result <= UMMA_RESULT_F32;
    case UMMA_TF32: return form->result == UMMA_RESULT_F32;
    case UMMA_I8: return form->result == UMMA_RESULT_S32;
    case UMMA_MXF8F6F4:
    case UMMA_MXF4: break;
    }
    form->result = UMMA_RESULT_F32;
    return true;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static bool rows_of(uint32_t descriptor, bool scaled, struct umma_form *form)
{
    uint32_t rows = field(descriptor, 24, 5) * 16;
    if (form->stationary ? rows != 32 && rows != 64 && rows != 128
        : form->pair     ? rows != 128 && rows != 256
        : scaled         ? rows != 128
                         : rows != 64 && rows != 128)
        return false;
    if (scaled && form->pair && form->sparse && rows != 256)
        return false;
    form->rows = (uint8_t)(form->pair ? rows / 2 : rows);
    bool halves = form->rows == 64 && (form->stationary || (form->pair && !form->sparse));
    form->pieces = form->rows == 32 ? 4 : halves ? 2 : 1;
    form->split_lanes = form->rows == 64 && !halves;
    return true;
}

static bool columns_of(uint32_t descriptor, struct umma_form *form)
{
    uint32_t n = field(descriptor, 17, 6) * 8;
    form->columns = (uint16_t)n;
    if (n == 0 || n > UMMA_COLUMNS)
        return false;
    if (form->stationary)
        return n == 64 || n == 128 || n == 256;
    if (form->kind == UMMA_I8)
        return form->pair ? n % 32 == 0 : n <= 32 || n % 16 == 0;
    return !form->pair || n % 16 == 0;
}

static void depth_of(struct umma_form *form)
{
    static const uint8_t depths[] = {
        [UMMA_F16] = 16, [UMMA_TF32] = 8, [UMMA_F8F6F4] = 32, [UMMA_I8] = 32, [UMMA_MXF8F6F4] = 32, [UMMA_MXF4] = 64};
    form->element_bytes = form->kind == UMMA_F16 ? 2 : form->kind == UMMA_TF32 ? 4 : 1;
    form->depth = (uint8_t)(depths[form->kind] << form->sparse);
    form->row_bytes = UMMA_ROW_BYTES;
    form->groups = 4;
}

/* 96 elements of K, on sm_103. False: not of this shape (PTX ISA, shapes of kind::mxf4nvf4). */
static bool lengthen(struct umma_form *form)
{
    form->depth = UMMA_LONG_DEPTH;
    form->row_bytes = UMMA_LONG_DEPTH / 2;
    form->groups = 6;
    return !form->sparse && form->rows == UMMA_ROWS;
}

static bool transposes(uint32_t descriptor, struct umma_form *form)
{
    form->transpose_a = field(descriptor, 15, 1);
    form->transpose_b = field(descriptor, 16, 1);
    bool small = form->kind == UMMA_MXF4, six_a = form->type_a >= UMMA_TYPE_E2M3 && form->type_a <= UMMA_TYPE_E2M1;
    bool six_b = form->type_b >= UMMA_TYPE_E2M3 && form->type_b <= UMMA_TYPE_E2M1;
    return !(form->transpose_a && (small || six_a || !form->a_shared)) && !(form->transpose_b && (small || six_b));
}

static bool scales_of(const struct isa_inst *isa, uint32_t descriptor, struct umma_form *form)
{
    form->powers = field(descriptor, 23, 1);
    form->scale_b = (uint8_t)field(descriptor, 4, 2);
    form->scale_a = (uint8_t)field(descriptor, 29, 2);
    bool longer = form->depth == UMMA_LONG_DEPTH;
    form->blocks = form->kind == UMMA_MXF8F6F4 ? 1 : isa->mod[ISA_MOD_SCALE_BLOCK] ? 2 + longer : 4 + 2 * longer;
    unsigned step = form->blocks % 3 ? form->blocks : form->blocks / 3;
    return form->scale_a % step == 0 && form->scale_b % step == 0 && (form->kind != UMMA_MXF8F6F4 || form->powers);
}

const char *umma_form_of(const struct isa_inst *isa, uint32_t descriptor, struct umma_form *form)
{
    struct isa_engine engine = isa_engine_of(isa);
    bool scaled = engine.scaled;
    *form = (struct umma_form){.pair = engine.pair,
                               .stationary = engine.stationary,
                               .a_shared = engine.a_shared,
                               .a_shifted = isa->mod[ISA_MOD_A_SHIFT],
                               .sparse = field(descriptor, 2, 1),
                               .selector = (uint8_t)field(descriptor, 0, 2),
                               .negative = field(descriptor, 13, 1) != field(descriptor, 14, 1),
                               .input_scale = (uint8_t)isa->mod[ISA_MOD_INPUT_SCALE]};
    if (!types_of(isa, descriptor, scaled, form))
        return "has a type of A or B (bits 12:7) that this kind of product does not have";
    if (!scaled && !result_of(descriptor, form))
        return "has a type of D (bits 5:4) that this kind of product does not have";
    form->result = scaled ? UMMA_RESULT_F32 : form->result;
    form->saturate = !scaled && form->kind == UMMA_I8 && field(descriptor, 3, 1);
    if (form->kind == UMMA_I8 && field(descriptor, 13, 2))
        return "negates integers (bits 14:13)";
    if (!rows_of(descriptor, scaled, form))
        return "has a number of rows M (bits 28:24) that there is not";
    if (!columns_of(descriptor, form))
        return "has a number of columns N (bits 22:17) that there is not";
    if (!transposes(descriptor, form))
        return "transposes a matrix (bits 16:15) that cannot be";
    depth_of(form);
    if (form->kind == UMMA_MXF4 && field(descriptor, 31, 1) && !lengthen(form))
        return "asks for 96 elements of K (bit 31) of a sparse A, or with fewer than 128 rows in a CTA";
    if (scaled && !scales_of(isa, descriptor, form))
        return "has a type or a place of scale factors (bits 5:4, 23, 30:29) that there is not";
    if (form->input_scale && form->kind != UMMA_F16 && form->kind != UMMA_TF32)
        return "is of a kind whose D cannot be scaled";
    return NULL;
}
