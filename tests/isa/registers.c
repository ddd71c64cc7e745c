#include "isa/isa.h"
#include "tests/unit.h"

/* Words of compiled kernels for sm_86, high half first. */
static struct isa_regs of(uint64_t hi, uint64_t lo)
{
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(86, &status);
    assert_non_null(decoder);
    struct isa_inst inst;
    struct isa_regs regs;
    assert_true(isa_decode(decoder, (struct word128){.lo = lo, .hi = hi}, 0, &inst));
    isa_registers(&inst, &regs);
    isa_decoder_destroy(decoder);
    return regs;
}

static void assert_range(struct isa_reg_range range, unsigned first, unsigned words)
{
    assert_int_equal(range.first, first);
    assert_int_equal(range.words, words);
}

static void a_wide_load_reads_an_address_pair_and_writes_four_registers(void **state)
{
    (void)state;
    struct isa_regs r = of(UINT64_C(0x000f62000c1e9d00), UINT64_C(0x0000000404047981)); /* LDG.E.128 R4, [R4.64] */
    assert_int_equal(r.reads, 1);
    assert_range(r.read[0], 4, 2);
    assert_int_equal(r.writes, 1);
    assert_range(r.write[0], 4, 4);
}

static void a_store_reads_its_address_and_its_data(void **state)
{
    (void)state;
    struct isa_regs r = of(UINT64_C(0x000fe8000c101b04), UINT64_C(0x0000003404007986)); /* STG.E.64 [R4.64], R52 */
    assert_int_equal(r.reads, 2);
    assert_range(r.read[0], 4, 2);
    assert_range(r.read[1], 52, 2);
    assert_int_equal(r.writes, 0);
    r = of(UINT64_C(0x0041e8000000cc00), UINT64_C(0x0000000c00007388)); /* STS.128 [R0.X16], R12 */
    assert_range(r.read[0], 0, 1);
    assert_range(r.read[1], 12, 4);
}

static void a_wide_multiply_reads_and_writes_pairs(void **state)
{
    (void)state;
    struct isa_regs r =
        of(UINT64_C(0x001fcc00078e0002), UINT64_C(0x0000000405027825)); /* IMAD.WIDE.U32 R2, R5, 4, R2 */
    assert_int_equal(r.reads, 2);
    assert_range(r.read[0], 5, 1);
    assert_range(r.read[1], 2, 2);
    assert_int_equal(r.read[1].position, 2);
    assert_range(r.write[0], 2, 2);
}

static void the_upper_product_adds_a_pair_to_one_register(void **state)
{
    (void)state;
    struct isa_regs r = of(UINT64_C(0x000fe200078e0006), UINT64_C(0x0000000405027227)); /* IMAD.HI.U32 R2, R5, R4, R6 */
    assert_int_equal(r.reads, 3);
    assert_range(r.read[2], 6, 2);
    assert_range(r.write[0], 2, 1);
}

static void a_matrix_multiply_reads_4_2_4_registers_and_writes_4(void **state)
{
    (void)state;
    struct isa_regs r =
        of(UINT64_C(0x050ff00000001838), UINT64_C(0x000000101438723c)); /* HMMA.16816.F32 R56, R20, R16, R56 */
    assert_int_equal(r.reads, 3);
    assert_range(r.read[0], 20, 4);
    assert_true(r.read[0].reuse);
    assert_range(r.read[1], 16, 2);
    assert_false(r.read[1].reuse);
    assert_range(r.read[2], 56, 4);
    assert_range(r.write[0], 56, 4);
    r = of(UINT64_C(0x084ff60000000804), UINT64_C(0x000000060804723c)); /* HMMA.16816.F16 R4, R8, R6, R4 */
    assert_range(r.read[0], 8, 4);
    assert_range(r.read[2], 4, 2);
    assert_range(r.write[0], 4, 2);
    r = of(UINT64_C(0x000ff00000081020), UINT64_C(0x000000061c20723c)); /* HMMA.1688.F32.TF32 R32, R28, R6, R32 */
    assert_range(r.read[0], 28, 4);
    assert_range(r.read[1], 6, 2);
}

static void an_asynchronous_copy_reads_two_addresses(void **state)
{
    (void)state;
    struct isa_regs r =
        of(UINT64_C(0x0005e2000b901c44), UINT64_C(0x00a00000100d7fae)); /* LDGSTS [R13+0xa00], [R16.64] */
    assert_int_equal(r.reads, 2);
    assert_range(r.read[0], 16, 2);
    assert_range(r.read[1], 13, 1);
    assert_int_equal(r.writes, 0);
}

static void a_compare_and_swap_reads_both_values(void **state)
{
    (void)state;
    struct isa_regs r =
        of(UINT64_C(0x002e68000000040e), UINT64_C(0x0001180cff0c738d)); /* ATOMS.CAS.64 R12, [0x118], R12, R14 */
    assert_int_equal(r.reads, 2);
    assert_range(r.read[0], 12, 2);
    assert_range(r.read[1], 14, 2);
    assert_range(r.write[0], 12, 2);
    r = of(UINT64_C(0x000ea400001ee105), UINT64_C(0x00000004060673a9)); /* ATOMG.E.CAS PT, R6, [R6], R4, R5 */
    assert_int_equal(r.reads, 3);
    assert_range(r.read[0], 6, 2);
    assert_range(r.read[1], 4, 1);
}

static void a_matrix_load_writes_as_many_registers_as_matrices(void **state)
{
    (void)state;
    struct isa_regs r = of(UINT64_C(0x004e680000000200), UINT64_C(0x000000001910783b)); /* LDSM.16.M88.4 R16, [R25] */
    assert_range(r.write[0], 16, 4);
    assert_range(r.read[0], 25, 1);
}

static void predicates_are_read_by_guard_and_carry_and_written_by_comparisons(void **state)
{
    (void)state;
    struct isa_regs r =
        of(UINT64_C(0x000fe200007fe4ff), UINT64_C(0x0000001aff101210)); /* @P1 IADD3.X R16, RZ, R26, RZ, P0, !PT */
    assert_int_equal(r.predicates_read, 1 << 0 | 1 << 1);
    assert_int_equal(r.predicates_written, 0);
    assert_int_equal(r.reads, 1);
    r = of(UINT64_C(0x040fe40003fa6070),
           UINT64_C(0x000000100400780c)); /* ISETP.GE.U32.AND P5, PT, R4.reuse, 0x10, PT */
    assert_int_equal(r.predicates_read, 0);
    assert_int_equal(r.predicates_written, 1 << 5);
    assert_true(r.read[0].reuse);
}

static void whole_predicate_files_are_read_and_written(void **state)
{
    (void)state;
    struct isa_regs r = of(UINT64_C(0x000fc80000000000), UINT64_C(0x00000001ff007803)); /* P2R R0, PR, RZ, 0x1 */
    assert_int_equal(r.predicates_read, 0x7f);
    assert_int_equal(r.reads, 0);
    r = of(UINT64_C(0x000fe20000000000), UINT64_C(0x0000000300007804)); /* R2P PR, R0, 0x3 */
    assert_int_equal(r.predicates_written, 0x7f);
}

static void the_second_source_of_an_addition_is_operand_c(void **state)
{
    (void)state;
    struct isa_regs r = of(UINT64_C(0x000fe40000000100), UINT64_C(0x0000000a0e137221)); /* FADD R19, -R14, R10 */
    assert_int_equal(r.read[0].position, 0);
    assert_int_equal(r.read[1].position, 2);
}

UNIT_TESTS(UNIT(a_wide_load_reads_an_address_pair_and_writes_four_registers),
           UNIT(a_store_reads_its_address_and_its_data), UNIT(a_wide_multiply_reads_and_writes_pairs),
           UNIT(the_upper_product_adds_a_pair_to_one_register),
           UNIT(a_matrix_multiply_reads_4_2_4_registers_and_writes_4), UNIT(an_asynchronous_copy_reads_two_addresses),
           UNIT(a_compare_and_swap_reads_both_values), UNIT(a_matrix_load_writes_as_many_registers_as_matrices),
           UNIT(predicates_are_read_by_guard_and_carry_and_written_by_comparisons),
           UNIT(whole_predicate_files_are_read_and_written), UNIT(the_second_source_of_an_addition_is_operand_c))
