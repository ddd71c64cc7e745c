#include "base/hash.h"
#include "isa/isa.h"
#include "tests/unit.h"

static const unsigned ARCHITECTURES[] = {70, 75, 80, 86, 89, 90, 100, 120};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };

static struct isa_inst of(unsigned sm, uint64_t hi, uint64_t lo, uint32_t pc)
{
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(sm, &status);
    assert_non_null(decoder);
    struct isa_inst inst;
    isa_decode(decoder, (struct word128){.lo = lo, .hi = hi}, pc, &inst);
    isa_decoder_destroy(decoder);
    return inst;
}

static void a_multiply_add_has_its_operands_by_role(void **state)
{
    (void)state;
    struct isa_inst i = of(86, UINT64_C(0x000fcc00078e0003), UINT64_C(0x00005e0004047625), 0);
    assert_int_equal(i.op, ISA_OP_IMAD); /* IMAD.WIDE.U32 R4, R4, R3, c[0x0][0x178] */
    assert_int_equal(i.mod[ISA_MOD_WIDE], 1);
    assert_int_equal(i.mod[ISA_MOD_SIGNED], 0);
    assert_int_equal(i.d.index, 4);
    assert_int_equal(i.a.index, 4);
    assert_int_equal(i.b.kind, ISA_REG);
    assert_int_equal(i.b.index, 3);
    assert_int_equal(i.c.kind, ISA_CONST);
    assert_int_equal(i.c.bank, 0);
    assert_int_equal(i.c.value, 0x178);
    assert_int_equal(i.c.words, 2);
    assert_int_equal(i.guard.index, ISA_PT);
}

static void an_operand_that_gives_both_floats_of_a_pair_is_one_register(void **state)
{
    (void)state;
    struct isa_inst i = of(100, UINT64_C(0x080fe4000100000a), UINT64_C(0x00000007040c7249), 0);
    assert_int_equal(i.op, ISA_OP_FFMA2); /* FFMA2 R12, R4.F32x2.HI_LO, R7.reuse.F32, R10.F32x2.HI_LO */
    assert_int_equal(i.a.words, 2);
    assert_int_equal(i.b.index, 7);
    assert_int_equal(i.b.words, 1);
    assert_int_equal(i.c.words, 2);
}

static void a_descriptor_is_no_part_of_the_address(void **state)
{
    (void)state;
    struct isa_inst i = of(90, UINT64_C(0x000f62000c1e9d00), UINT64_C(0x00000004060c7981), 0);
    assert_int_equal(i.op, ISA_OP_LDG);
    assert_true(i.has_descriptor);
    assert_int_equal(i.ureg_descriptor, 4);
    assert_false(i.has_ureg_base);
    assert_int_equal(i.ureg_base, ISA_URZ);
    assert_int_equal(i.a.words, 2);
    assert_int_equal(i.mod[ISA_MOD_SIZE], 6);
    assert_int_equal(i.mod[ISA_MOD_ORDER], 4);
}

static void the_last_uniform_register_reads_zero_on_every_architecture(void **state)
{
    (void)state;
    struct isa_inst i = of(86, UINT64_C(0x000fe20008000000), UINT64_C(0x0000003f00047c82), 0); /* UMOV UR4, URZ */
    assert_int_equal(i.op, ISA_OP_UMOV);
    assert_int_equal(i.b.index, ISA_URZ);
    i = of(100, UINT64_C(0x000fe20008000000), UINT64_C(0x0000003f00047c82), 0);
    assert_int_equal(i.b.index, 63);
    i = of(100, UINT64_C(0x000fe20008000000), UINT64_C(0x000000ff00047c82), 0);
    assert_int_equal(i.b.index, ISA_URZ);
}

static void branches_have_absolute_targets(void **state)
{
    (void)state;
    struct isa_inst i = of(86, UINT64_C(0x000fea000383ffff), UINT64_C(0xfffff7e000009947), 0xd80);
    assert_int_equal(i.op, ISA_OP_BRA);
    assert_int_equal(i.target, 0x570);
    assert_true(i.guard.inverted);
    i = of(90, UINT64_C(0x000fea0003800000), UINT64_C(0x0000000000380947), 0x550);
    assert_int_equal(i.target, 0x640);
    i = of(86, UINT64_C(0x000fe20003800000), UINT64_C(0x0000017000007945), 0x9d0);
    assert_int_equal(i.op, ISA_OP_BSSY);
    assert_int_equal(i.barrier, 0);
    assert_int_equal(i.target, 0xb50);
}

static void an_address_without_a_register_is_unsigned(void **state)
{
    (void)state;
    struct isa_inst i = of(86, UINT64_C(0x000fe20000000800), UINT64_C(0xfffff800ff047984), 0); /* LDS R4, [0xfffff8] */
    assert_int_equal(i.offset, 0xfffff8);
    i = of(86, UINT64_C(0x000fe20000000800), UINT64_C(0xfffff80002047984), 0);
    assert_int_equal(i.offset, -8);
}

static void both_addresses_of_an_asynchronous_copy_are_there(void **state)
{
    (void)state;
    struct isa_inst i = of(86, UINT64_C(0x0005e2000b901c44), UINT64_C(0x00a00200100d7fae), 0);
    assert_int_equal(i.op, ISA_OP_LDGSTS);
    assert_int_equal(i.a.index, 16);
    assert_int_equal(i.offset, 0x200);
    assert_int_equal(i.b.index, 13);
    assert_int_equal(i.b.value, 0xa00);
    assert_int_equal(i.mod[ISA_MOD_BYPASS], 0);
}

static void atomic_types_have_one_number_on_all_architectures(void **state)
{
    (void)state;
    enum { S64 = 5 };
    struct isa_inst i = of(86, UINT64_C(0x000fe200001ee1ff), UINT64_C(0x00000004020473a8), 0);
    assert_int_equal(i.op, ISA_OP_ATOMG);
    assert_int_equal(i.mod[ISA_MOD_ATOM_TYPE], 0);
    i = of(86, UINT64_C(0x000fe200001eebff), UINT64_C(0x00000004020473a8), 0); /* code 5 */
    assert_int_equal(i.mod[ISA_MOD_ATOM_TYPE], S64);
    i = of(90, UINT64_C(0x000fe200001ee7ff), UINT64_C(0x00000004020473a8), 0); /* code 3 */
    assert_int_equal(i.mod[ISA_MOD_ATOM_TYPE], S64);
    assert_int_equal(i.b.words, 2);
}

static void a_barrier_has_its_number_in_both_places(void **state)
{
    (void)state;
    struct isa_inst i = of(86, UINT64_C(0x000fec0000010000), UINT64_C(0x0040000000007b1d), 0);
    assert_int_equal(i.op, ISA_OP_BAR);
    assert_int_equal(i.barrier, 1);
    assert_int_equal(i.a.value, 1);
}

static void bit_91_is_no_part_of_most_opcodes_of_sm_75(void **state)
{
    (void)state;
    struct isa_inst i = of(75, UINT64_C(0x000fe20008000000), UINT64_C(0x0000000000007918), 0);
    assert_int_equal(i.op, ISA_OP_NOP);
    i = of(80, UINT64_C(0x000fe20008000000), UINT64_C(0x0000000000007918), 0);
    assert_int_equal(i.op, ISA_INVALID);
}

static void an_unknown_word_keeps_its_bits(void **state)
{
    (void)state;
    struct isa_inst i = of(86, UINT64_C(0x000fe20000000000), UINT64_C(0x0000000000000fff), 0x40);
    char text[ISA_TEXT];
    isa_print(&i, text);
    assert_int_equal(i.op, ISA_INVALID);
    assert_int_equal(i.pc, 0x40);
    assert_int_equal(i.control.stall, 1);
    assert_string_equal(text, "INVALID 0x000fe200000000000000000000000fff");
}

static void an_unknown_architecture_is_refused(void **state)
{
    (void)state;
    struct status status = {0};
    assert_null(isa_decoder_create(52, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_false(isa_supported(52));
    assert_true(isa_supported(86));
    assert_int_equal(isa_table(90), 90);
    assert_int_equal(isa_table(103), 100); /* the same code, and pairs of halves in MUFU.EX2 */
    assert_int_equal(isa_table(121), 120);
    assert_int_equal(isa_table(52), 0);
}

/* Every opcode with many random operands, and wholly random words. */
static void any_word_can_be_decoded_and_printed(void **state)
{
    (void)state;
    for (unsigned a = 0; a < ARCHITECTURE_COUNT; a++) {
        struct status status = {0};
        struct isa_decoder *decoder = isa_decoder_create(ARCHITECTURES[a], &status);
        assert_non_null(decoder);
        for (uint64_t n = 0; n < 3 << 13; n++) {
            struct word128 word = {.lo = hash_mix(2 * n), .hi = hash_mix(2 * n + 1)};
            word.lo = (word.lo & ~UINT64_C(0xfff)) | (n & 0xfff);
            word.hi = (word.hi & ~(UINT64_C(1) << 27)) | (n >> 12 & 1) << 27;
            struct isa_inst inst;
            struct isa_regs regs;
            char text[ISA_TEXT];
            bool known = isa_decode(decoder, word, (uint32_t)hash_mix(n), &inst);
            isa_print(&inst, text);
            isa_registers(&inst, &regs);
            assert_int_equal(known, inst.op != ISA_INVALID);
            assert_true(strlen(text) > 2 && strlen(text) < ISA_TEXT - 1);
            assert_true(regs.reads <= 5 && regs.writes <= 2);
        }
        isa_decoder_destroy(decoder);
    }
}

UNIT_TESTS(UNIT(a_multiply_add_has_its_operands_by_role),
           UNIT(an_operand_that_gives_both_floats_of_a_pair_is_one_register),
           UNIT(a_descriptor_is_no_part_of_the_address),
           UNIT(the_last_uniform_register_reads_zero_on_every_architecture), UNIT(branches_have_absolute_targets),
           UNIT(an_address_without_a_register_is_unsigned), UNIT(both_addresses_of_an_asynchronous_copy_are_there),
           UNIT(atomic_types_have_one_number_on_all_architectures), UNIT(a_barrier_has_its_number_in_both_places),
           UNIT(bit_91_is_no_part_of_most_opcodes_of_sm_75), UNIT(an_unknown_word_keeps_its_bits),
           UNIT(an_unknown_architecture_is_refused), UNIT(any_word_can_be_decoded_and_printed))
