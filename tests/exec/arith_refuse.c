/* Forms without an executor stop the core with a named reason. Nothing is computed instead. */
#include "arith.h"
#include "unit.h"

static struct isa_inst *usual(struct arith *t, enum isa_op op)
{
    struct isa_inst *i = arith_begin(t, op);
    i->d = arith_register(1);
    i->a = arith_register(2);
    i->b = arith_register(3);
    i->c = arith_register(4);
    i->mod[ISA_MOD_SCALE] = 4;
    i->mod[ISA_MOD_DST_TYPE] = 2;
    i->mod[ISA_MOD_SRC_TYPE] = 2;
    return i;
}

static void expect_refusal(struct arith *t)
{
    for (unsigned variant = 0; variant < EXEC_TABLES; ++variant) {
        exec_fn *const *table = exec_table_variant(variant).functions;
        if (!table)
            continue;
        memset(&t->core.fault, 0, sizeof t->core.fault);
        arith_run(t, table, UINT32_MAX);
        if (t->core.fault.code != STATUS_UNSUPPORTED)
            fail_msg("opcode %u was not refused", t->inst.isa.op);
        assert_true(strlen(t->core.fault.text) > 20);
    }
}

static void with(struct arith *t, enum isa_op op, enum isa_modifier modifier, uint8_t value)
{
    usual(t, op)->mod[modifier] = value;
    expect_refusal(t);
}

static void modifiers(void **state)
{
    (void)state;
    struct arith *t = arith_create(1);
    with(t, ISA_OP_VIADD, ISA_MOD_ADD_TYPE, 6);
    with(t, ISA_OP_VIADD, ISA_MOD_SAT, 1); /* of 32 bits without a sign */
    with(t, ISA_OP_SHF, ISA_MOD_CARRYLESS, 1);
    with(t, ISA_OP_I2IP, ISA_MOD_CLAMP, 3);
    with(t, ISA_OP_I2IP, ISA_MOD_PART, 3);
    with(t, ISA_OP_VIMNMX, ISA_MOD_VECTOR, 6);
    with(t, ISA_OP_VIADDMNMX, ISA_MOD_VECTOR, 7);
    with(t, ISA_OP_VIMNMX, ISA_MOD_RELU, 1); /* of a type without a sign */
    with(t, ISA_OP_ISETP, ISA_MOD_BOP, 3);
    with(t, ISA_OP_FSETP, ISA_MOD_BOP, 3);
    with(t, ISA_OP_PRMT, ISA_MOD_MODE, 7);
    with(t, ISA_OP_FMUL, ISA_MOD_SCALE, 0);
    with(t, ISA_OP_FMUL, ISA_MOD_FMZ, 3);
    with(t, ISA_OP_FFMA, ISA_MOD_FMZ, 3);
    with(t, ISA_OP_HMUL2, ISA_MOD_FMZ, 3);
    with(t, ISA_OP_HADD2, ISA_MOD_HALF_FORMAT, 3);
    with(t, ISA_OP_MUFU, ISA_MOD_FUNCTION, 10);
    with(t, ISA_OP_MUFU, ISA_MOD_DST_TYPE, 5);
    with(t, ISA_OP_I2F, ISA_MOD_DST_TYPE, 5);
    with(t, ISA_OP_FMNMX, ISA_MOD_IS_A, 1);
    with(t, ISA_OP_HMNMX2, ISA_MOD_IS_A, 1);
    with(t, ISA_OP_F2FP, ISA_MOD_TO_FORMAT, 2);
    with(t, ISA_OP_F2I, ISA_MOD_SRC_TYPE, 5);
    with(t, ISA_OP_I2FP, ISA_MOD_SRC_TYPE, 6);
    with(t, ISA_OP_UISETP, ISA_MOD_BOP, 3);
    with(t, ISA_OP_ULDC, ISA_MOD_SIZE, 6);
    arith_destroy(t);
}

static void matrix_forms(void **state)
{
    (void)state;
    struct arith *t = arith_create(2);
    with(t, ISA_OP_HMMA, ISA_MOD_SPARSE, 1);
    with(t, ISA_OP_HMMA, ISA_MOD_SAT, 1);
    with(t, ISA_OP_HMMA, ISA_MOD_SHAPE, 3);
    with(t, ISA_OP_HMMA, ISA_MOD_SHAPE, 2);    /* F16 has no depth of 4 */
    with(t, ISA_OP_HMMA, ISA_MOD_MMA_TYPE, 1); /* BF16 with an F16 accumulator */
    with(t, ISA_OP_HMMA, ISA_MOD_MMA_TYPE, 3);
    arith_destroy(t);
}

/* Rows that do not fill a register of four lanes: A would have no register. */
static void matrices_of_too_few_bits(void **state)
{
    enum { K16_8, K16 = 4, K32 = 5, S4 = 5 };
    static const uint8_t shapes[][2] = {{K16_8, 0}, {K16, 0}, {K32, 1}}; /* and whether A is sparse */
    (void)state;
    struct arith *t = arith_create(2);
    for (unsigned n = 0; n < 3; n++) {
        struct isa_inst *i = usual(t, ISA_OP_IMMA);
        i->mod[ISA_MOD_TYPE_A] = i->mod[ISA_MOD_TYPE_B] = S4;
        i->mod[ISA_MOD_SHAPE] = shapes[n][0];
        i->mod[ISA_MOD_SPARSE] = shapes[n][1];
        i->e = arith_register(5);
        expect_refusal(t);
    }
    arith_destroy(t);
}

static void operands(void **state)
{
    (void)state;
    static const enum isa_op ops[] = {ISA_OP_IADD3, ISA_OP_IMAD, ISA_OP_FFMA, ISA_OP_LOP3, ISA_OP_UIADD3};
    struct arith *t = arith_create(3);
    for (unsigned k = 0; k < sizeof ops / sizeof *ops; ++k) {
        usual(t, ops[k])->b = (struct isa_operand){.kind = ISA_CONST_BINDLESS, .index = 4, .words = 1};
        expect_refusal(t);
        usual(t, ops[k])->b = (struct isa_operand){.kind = ISA_CONST, .bank = 17, .words = 1};
        expect_refusal(t);
        usual(t, ops[k])->b = (struct isa_operand){0};
        expect_refusal(t);
    }
    static const enum isa_op predicated[] = {ISA_OP_HFMA2, ISA_OP_HFMA2_MMA, ISA_OP_HMMA};
    for (unsigned k = 0; k < sizeof predicated / sizeof *predicated; ++k) {
        usual(t, predicated[k])->pp = (struct isa_predicate){.index = 2, .present = true};
        expect_refusal(t);
    }
    static const enum isa_op predicates[] = {ISA_OP_VABSDIFF, ISA_OP_VABSDIFF4, ISA_OP_IMNMX};
    for (unsigned k = 0; k < sizeof predicates / sizeof *predicates; ++k) {
        usual(t, predicates[k])->pu = (struct isa_predicate){.index = 2, .present = true};
        expect_refusal(t);
    }
    usual(t, ISA_INVALID);
    expect_refusal(t);
    arith_destroy(t);
}

static void a_comparison_with_a_depth_says_what_no_descriptor_names(void **state)
{
    (void)state;
    static const enum isa_op ops[] = {ISA_OP_TEX, ISA_OP_TXD, ISA_OP_TLD4};
    struct arith *t = arith_create(4);
    for (unsigned k = 0; k < 3; k++) {
        with(t, ops[k], ISA_MOD_DEPTH_COMPARE, 1);
        assert_non_null(strstr(t->core.fault.text, "no descriptor of CUDA says which test it is"));
    }
    arith_destroy(t);
}

UNIT_TESTS(UNIT(a_comparison_with_a_depth_says_what_no_descriptor_names), UNIT(modifiers), UNIT(matrix_forms),
           UNIT(matrices_of_too_few_bits), UNIT(operands))
