/* Lines of a .traceg: the contents of each part. */
#include "accelsim/line.h"

#include "accelsim/stock.h"
#include "isa/assemble.h"
#include "tests/unit.h"

static struct trace_inst make(const char *text)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(86, &status);
    struct trace_inst inst = {0};
    struct word128 word;
    struct isa_asm_error error = {0};
    assert_non_null(assembler);
    if (!isa_assemble(assembler, text, strlen(text), 0, NULL, NULL, &word, &error))
        fail_msg("%s: %s", text, error.message);
    assert_true(isa_decode(isa_assembler_decoder(assembler), word, 0, &inst.isa));
    isa_assembler_destroy(assembler);
    return inst;
}

static const char *line_of(const struct trace_inst *inst, const struct issued *issued)
{
    static char text[LINE_MOST + 1];
    struct line_form form;
    line_form_make(&form, inst);
    size_t length = line_write(text, &form, issued);
    assert_true(length > 0 && length <= LINE_MOST && text[length - 1] == '\n');
    text[length - 1] = '\0';
    return text;
}

/* The line of an instruction without addresses, at pc 0x70 with all lanes. */
static const char *plain(const char *text)
{
    struct trace_inst inst = make(text);
    return line_of(&inst, &(struct issued){.pc = 0x70, .path = UINT32_MAX, .active = UINT32_MAX});
}

static struct issued access_to(enum isa_space space, uint32_t active, uint64_t first, int64_t stride)
{
    struct issued is = {.pc = 0x90, .path = UINT32_MAX, .active = active, .space = (uint8_t)space, .bytes = 4};
    for (unsigned lane = 0; lane < 32; lane++)
        is.address[lane] = first + (uint64_t)stride * lane;
    return is;
}

static const char *access(const char *text, const struct issued *is)
{
    struct trace_inst inst = make(text);
    return line_of(&inst, is);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static void the_first_register_is_the_destination_and_the_others_are_sources_in_order(void **state)
{
    (void)state;
    assert_string_equal(plain("FFMA R32, R16, -R20, |R32|"), "0070 ffffffff 1 R32 FFMA 3 R16 R20 R32 0 0");
    assert_string_equal(plain("FFMA.FTZ R3, R4.reuse, R5, R6"), "0070 ffffffff 1 R3 FFMA.FTZ 3 R4 R5 R6 0 0");
    assert_string_equal(plain("HFMA2 R3, R4.H0_H0, R5.H1_H1, R6"), "0070 ffffffff 1 R3 HFMA2 3 R4 R5 R6 0 0");
}

static void rz_is_register_255(void **state)
{
    (void)state;
    assert_string_equal(plain("IADD3 R1, RZ, R2, RZ"), "0070 ffffffff 1 R1 IADD3 3 R255 R2 R255 0 0");
    assert_string_equal(plain("IMAD.WIDE.U32 R2, R3, R4, RZ"), "0070 ffffffff 1 R2 IMAD.WIDE.U32 3 R3 R4 R255 0 0");
}

static void predicates_uniform_registers_constants_and_special_registers_are_left_out(void **state)
{
    (void)state;
    assert_string_equal(plain("@!P0 ISETP.NE.AND P1, PT, R2, UR4, PT"), "0070 ffffffff 0 ISETP.NE.AND 1 R2 0 0");
    assert_string_equal(plain("S2R R2, SR_TID.X"), "0070 ffffffff 1 R2 S2R 0 0 0");
    assert_string_equal(plain("MOV R1, c[0x0][0x28]"), "0070 ffffffff 1 R1 MOV 0 0 0");
    assert_string_equal(plain("UIADD3 UR4, UR5, 0x10, URZ"), "0070 ffffffff 0 UIADD3 0 0 16");
    assert_string_equal(plain("LDC R3, c[0x0][R7+0x160]"), "0070 ffffffff 1 R3 LDC 1 R7 0 0");
}

static void a_destination_behind_predicates_is_one(void **state)
{
    (void)state;
    assert_string_equal(plain("SHFL.BFLY PT, R7, R6, 0x10, 0x1f"), "0070 ffffffff 1 R7 SHFL.BFLY 1 R6 0 31");
    assert_string_equal(plain("LOP3.LUT P0, RZ, R2, 0x1f, RZ, 0xc0, !PT"),
                        "0070 ffffffff 1 R255 LOP3.LUT 2 R2 R255 0 192");
}

static void the_operand_of_an_instruction_without_result_is_a_source(void **state)
{
    (void)state;
    assert_string_equal(plain("NANOSLEEP R4"), "0070 ffffffff 0 NANOSLEEP 1 R4 0 0");
    assert_string_equal(plain("RET.REL.NODEC R20 0x0"), "0070 ffffffff 0 RET.REL.NODEC 1 R20 0 0");
}

static void the_last_whole_number_is_the_immediate(void **state)
{
    (void)state;
    assert_string_equal(plain("DEPBAR.LE SB0, 0x1"), "0070 ffffffff 0 DEPBAR.LE 0 0 1");
    assert_string_equal(plain("IADD3 R2, R3, -0x8, RZ"), "0070 ffffffff 1 R2 IADD3 2 R3 R255 0 -8");
    assert_string_equal(plain("FADD R2, R3, 1"), "0070 ffffffff 1 R2 FADD 1 R3 0 0");
    assert_string_equal(plain("BAR.SYNC 0x3, 0x40"), "0070 ffffffff 0 BAR.SYNC 0 0 64");
    assert_string_equal(plain("EXIT"), "0070 ffffffff 0 EXIT 0 0 0");
}

static void a_description_has_its_numbers_in_decimal(void **state)
{
    (void)state;
    struct trace_inst inst = {.described = (char *)(uintptr_t) "DEPBAR.LE 3"};
    assert_string_equal(line_of(&inst, &(struct issued){.pc = 0, .active = 1}), "0000 00000001 0 DEPBAR.LE 0 0 3");
    inst.described = (char *)(uintptr_t) "IADD3 R4, R5, -17";
    assert_string_equal(line_of(&inst, &(struct issued){.pc = 0, .active = 1}), "0000 00000001 0 IADD3 2 R4 R5 0 -17");
    inst.described = (char *)(uintptr_t) "FADD R4, 1.5";
    assert_string_equal(line_of(&inst, &(struct issued){.pc = 0, .active = 1}), "0000 00000001 0 FADD 1 R4 0 0");
}

static void more_than_four_sources_are_cut_and_counted(void **state)
{
    (void)state;
    struct trace_inst inst = {.described = (char *)(uintptr_t) "HMMA.SP.16832.F32 R4, R8, R12, R4, R20, R21, 0x1"};
    inst.isa.d = (struct isa_operand){.kind = ISA_REG, .index = 4, .words = 4};
    inst.isa.op = ISA_OP_HMMA;
    struct line_form form;
    line_form_make(&form, &inst);
    assert_int_equal(form.left_out, 1);
    assert_string_equal(line_of(&inst, &(struct issued){.pc = 0x1230, .active = 0xf}),
                        "1230 0000000f 1 R4 HMMA.SP.16832.F32 4 R8 R12 R4 R20 0 1");
}

static void a_mnemonic_stays_one_word(void **state)
{
    (void)state;
    struct trace_inst inst = {.described = (char *)(uintptr_t) "ODD\nNAME\t.X R4"};
    assert_string_equal(line_of(&inst, &(struct issued){.pc = 0, .active = 1}), "0000 00000001 0 ODD_NAME_.X 1 R4 0 0");
    char longest[201];
    memset(longest, 'A', 200);
    longest[200] = '\0';
    inst.described = longest;
    assert_int_equal(strlen(line_of(&inst, &(struct issued){.pc = 0, .active = 1})), 13 + 3 + 63 + 6);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static void the_width_is_what_the_mnemonic_says(void **state)
{
    (void)state;
    assert_int_equal(line_width("LDG.E"), 4);
    assert_int_equal(line_width("LDG.E.64"), 8);
    assert_int_equal(line_width("LDG.E.128.SYS"), 16);
    assert_int_equal(line_width("LDG.E.U8"), 1);
    assert_int_equal(line_width("LDG.E.S16"), 4);
    assert_int_equal(line_width("LDS.U.128"), 16);
    assert_int_equal(line_width("LDSM.16.M88.4"), 2);
    assert_int_equal(line_width("LDG.E.LTC128B.CONSTANT"), 4);
    assert_int_equal(line_width("ATOMG.E.ADD.F16x2.RN"), 4);
    assert_int_equal(line_width("LDG.E.LTC256B.64"), 8);
}

static void lanes_at_one_distance_are_a_base_and_a_stride(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_GLOBAL, UINT32_MAX, 0x7f1000000000, 16);
    assert_string_equal(access("LDG.E.128 R8, [R6.64]", &is),
                        "0090 ffffffff 1 R8 LDG.E.128 1 R6 16 1 0x7f1000000000 16 0");
    is = access_to(ISA_SPACE_GLOBAL, 0x00000ff0, 0x1000, -4);
    assert_string_equal(access("LDG.E R8, desc[UR4][R6.64+0x10]", &is), "0090 00000ff0 1 R8 LDG.E 1 R6 4 1 0xff0 -4 0");
    is = access_to(ISA_SPACE_GLOBAL, 0x80000000, 0x1000, 4);
    is.active = 0xc0000000;
    assert_string_equal(access("STG.E [R6.64], R9", &is), "0090 c0000000 0 STG.E 2 R6 R9 4 1 0x1078 4 0");
}

static void other_lanes_are_a_base_and_differences(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_GLOBAL, 0x0000000d, 0x1000, 4);
    assert_string_equal(access("STG.E [R6.64], R9", &is), "0090 0000000d 0 STG.E 2 R6 R9 4 2 0x1000 8 4 0");
    is.active = 0x10;
    assert_string_equal(access("STG.E [R6.64], R9", &is), "0090 00000010 0 STG.E 2 R6 R9 4 2 0x1010 0");
    is.active = 0x7;
    is.address[2] = 0x900;
    assert_string_equal(access("STG.E [R6.64], R9", &is), "0090 00000007 0 STG.E 2 R6 R9 4 2 0x1000 4 -1796 0");
}

static void a_stride_of_more_than_32_bits_is_written_as_differences(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_GLOBAL, 0x7, 0x1000, INT32_MAX);
    assert_string_equal(access("LDG.E R8, [R6.64]", &is), "0090 00000007 1 R8 LDG.E 1 R6 4 1 0x1000 2147483647 0");
    is = access_to(ISA_SPACE_GLOBAL, 0x7, 0x1000, INT64_C(2147483648));
    assert_string_equal(access("LDG.E R8, [R6.64]", &is),
                        "0090 00000007 1 R8 LDG.E 1 R6 4 2 0x1000 2147483648 2147483648 0");
}

static void an_access_of_no_lane_has_an_address_all_the_same(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_GLOBAL, 0, 0x1000, 4);
    assert_string_equal(access("@P0 LDG.E.64 R8, [R6.64]", &is), "0090 00000000 1 R8 LDG.E.64 1 R6 8 1 0x0 0 0");
}

static void generic_addresses_lie_in_the_windows_of_the_header(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_SHARED, 0x3, 0x40, 8);
    assert_string_equal(access("LD.E R8, [R6.64]", &is), "0090 00000003 1 R8 LD.E 1 R6 4 1 0x7e0000000040 8 0");
    is.space = ISA_SPACE_LOCAL;
    assert_string_equal(access("ST.E [R6.64], R8", &is), "0090 00000003 0 ST.E 2 R6 R8 4 1 0x7e0001000040 8 0");
    is.space = ISA_SPACE_GLOBAL;
    is.address[1] = LINE_TRACE_LOCAL_WINDOW + 0x18;
    assert_string_equal(access("LD.E R8, [R6.64]", &is), "0090 00000003 1 R8 LD.E 1 R6 4 2 0x40 138538481876952 0");
    assert_string_equal(access("LDG.E R8, [R6.64]", &is), /* not generic: as it is */
                        "0090 00000003 1 R8 LDG.E 1 R6 4 2 0x40 137438953471960 0");
}

static void offsets_in_shared_and_local_memory_are_offsets(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_SHARED, 0xff, 0x80, 4);
    assert_string_equal(access("LDS R8, [R6]", &is), "0090 000000ff 1 R8 LDS 1 R6 4 1 0x80 4 0");
    is.space = ISA_SPACE_LOCAL;
    is.active = 0x1;
    assert_string_equal(access("STL [R1+0x8], R9", &is), "0090 00000001 0 STL 2 R1 R9 4 2 0x80 0");
}

static void lanes_that_do_not_read_repeat_one_that_does(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_GLOBAL, 0xf, 0x1000, 4);
    is.zero_fill = 0x3;
    assert_string_equal(access("LDGSTS.E [R3], [R6.64]", &is), "0090 0000000f 0 LDGSTS.E 2 R3 R6 4 2 0x1008 0 0 4 0");
    is.zero_fill = 0xf;
    assert_string_equal(access("LDGSTS.E [R3], [R6.64]", &is), "0090 0000000f 0 LDGSTS.E 2 R3 R6 4 1 0x0 0 0");
}

static void the_longest_line_fits(void **state)
{
    (void)state;
    struct issued is = access_to(ISA_SPACE_GLOBAL, UINT32_MAX, 0, 0);
    is.pc = UINT32_MAX;
    for (unsigned lane = 0; lane < 32; lane++)
        is.address[lane] = lane % 2 ? UINT64_C(0x7fffffffffffffff) : 0;
    size_t length = strlen(access("LDGSTS.E.BYPASS.LTC128B.128 [R3], [R6.64]", &is));
    assert_in_range(length, 600, LINE_MOST - 1);
}

/* ---- Accel-Sim's tables ------------------------------------------------------------------------------------------ */

static bool knows(uint32_t version, const char *name) { return stock_knows(version, name, strlen(name)); }

static void mnemonics_are_known_by_their_whole_name_and_table(void **state)
{
    (void)state;
    assert_true(knows(86, "FFMA") && knows(80, "LDGSTS") && knows(75, "UIADD3") && knows(70, "HMMA"));
    assert_false(knows(70, "UIADD3"));
    assert_false(knows(86, "FFM"));
    assert_false(knows(86, "FMA"));
    assert_false(knows(86, "HGMMA"));
    assert_true(knows(90, "HGMMA"));
    assert_false(knows(86, ""));
    assert_true(knows(120, "WHATEVER"));
}

static void versions_without_a_table_are_told(void **state)
{
    (void)state;
    assert_int_equal(stock_version(86), STOCK_ALWAYS);
    assert_int_equal(stock_version(90), STOCK_SINCE_2_0);
    assert_int_equal(stock_version(89), STOCK_NEVER);
    assert_int_equal(stock_version(120), STOCK_NEVER);
}

UNIT_TESTS(UNIT(the_first_register_is_the_destination_and_the_others_are_sources_in_order), UNIT(rz_is_register_255),
           UNIT(predicates_uniform_registers_constants_and_special_registers_are_left_out),
           UNIT(a_destination_behind_predicates_is_one), UNIT(the_operand_of_an_instruction_without_result_is_a_source),
           UNIT(the_last_whole_number_is_the_immediate), UNIT(a_description_has_its_numbers_in_decimal),
           UNIT(more_than_four_sources_are_cut_and_counted), UNIT(a_mnemonic_stays_one_word),
           UNIT(the_width_is_what_the_mnemonic_says), UNIT(lanes_at_one_distance_are_a_base_and_a_stride),
           UNIT(other_lanes_are_a_base_and_differences), UNIT(a_stride_of_more_than_32_bits_is_written_as_differences),
           UNIT(an_access_of_no_lane_has_an_address_all_the_same),
           UNIT(generic_addresses_lie_in_the_windows_of_the_header),
           UNIT(offsets_in_shared_and_local_memory_are_offsets), UNIT(lanes_that_do_not_read_repeat_one_that_does),
           UNIT(the_longest_line_fits), UNIT(mnemonics_are_known_by_their_whole_name_and_table),
           UNIT(versions_without_a_table_are_told))
