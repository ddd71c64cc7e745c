/* Control bits that are filled in keep every instruction from running too early, on every path. */
#include "base/file.h"
#include "cli/code/listing.h"
#include "tests/asm/assemble.h"
#include "tests/asm/hazards.h"

/* ---- compiled kernels without their control bits ----------------------------------------------------------------- */

/* The output of `subcore disasm` for a cubin. The caller frees it. */
static char *listing_of(const char *path)
{
    char full[4096], *text = NULL;
    size_t size;
    struct file_bytes file;
    struct cubin cubin;
    struct status status = {0};
    if (!file_read(unit_path(full, path), (size_t)1 << 30, &file, &status) ||
        !cubin_open(&cubin, (struct cubin_bytes){file.data, file.size}, path, &status))
        fail_msg("%s", status.text);
    struct isa_assembler *assembler = isa_assembler_create(cubin.sm, &status);
    FILE *out = open_memstream(&text, &size);
    assert_true(assembler && out);
    listing_print_module(&cubin, out);
    for (size_t i = 0; i < cubin.kernel_count; i++) {
        struct listing listing;
        assert_true(listing_create(&listing, assembler, &cubin, &cubin.kernels[i], &status));
        listing_print(&listing, out);
        listing_free(&listing);
    }
    fclose(out);
    isa_assembler_destroy(assembler);
    cubin_close(&cubin);
    file_free(&file);
    return text;
}

static void strip_control(char *text)
{
    for (char *at = text; (at = strstr(at, "[B")) != NULL;) {
        char *end = strchr(at, ']');
        memset(at, ' ', (size_t)(end - at) + 1);
    }
}

static void check_kernels(const struct cubin *cubin, const char *path)
{
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        char why[512];
        size_t count;
        struct isa_inst *code = decoded(cubin, &cubin->kernels[i], &count);
        unsigned found = hazards(cubin->sm, code, count, why);
        free(code);
        if (found > 0)
            fail_msg("%s: %s: %u hazards, the first: %s", path, cubin->kernels[i].name, found, why);
    }
}

static const char *const compiled[] = {"examples/cubin/bfs.sm_86.cubin",       "examples/cubin/hgemm.sm_86.cubin",
                                       "examples/cubin/histogram.sm_80.cubin", "examples/cubin/nbody.sm_90.cubin",
                                       "examples/cubin/reduce.sm_86.cubin",    "examples/cubin/scan.sm_90.cubin",
                                       "examples/cubin/sgemm.sm_80.cubin",     "examples/cubin/softmax.sm_86.cubin",
                                       "examples/cubin/spmv.sm_90.cubin",      "examples/cubin/stencil.sm_86.cubin",
                                       "examples/cubin/transpose.sm_80.cubin", "tests/cubin/data/lines.sm_75.cubin",
                                       "tests/cubin/data/lines.sm_89.cubin",   "tests/cubin/data/lines.sm_100.cubin",
                                       "tests/cubin/data/lines.sm_120.cubin"};

static void compiled_kernels_are_safe_with_new_control_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof compiled / sizeof *compiled; i++) {
        char *text = listing_of(compiled[i]);
        strip_control(text);
        struct assembled a = assemble(text);
        check_kernels(&a.cubin, compiled[i]);
        assembled_free(&a);
        free(text);
    }
}

/* The checker would be worth nothing if it found no fault. */
static void taking_waits_or_stalls_away_is_noticed(void **state)
{
    (void)state;
    char *text = listing_of("examples/cubin/softmax.sm_86.cubin"), why[512];
    strip_control(text);
    struct assembled a = assemble(text);
    size_t count;
    struct isa_inst *code = decoded(&a.cubin, &a.cubin.kernels[0], &count);
    assert_int_equal(hazards(86, code, count, why), 0);
    for (size_t i = 0; i < count; i++)
        code[i].control.wait = 0;
    assert_true(hazards(86, code, count, why) > 10);
    free(code);
    code = decoded(&a.cubin, &a.cubin.kernels[0], &count);
    for (size_t i = 0; i < count; i++)
        code[i].control.stall = 1;
    assert_true(hazards(86, code, count, why) > 10);
    free(code);
    assembled_free(&a);
    free(text);
}

/* ---- single rules ------------------------------------------------------------------------------------------------ */

/* Assembles `lines` for an architecture and compares the control bits of the first instructions. */
static void controls(const char *arch, const char *lines, const char *const *expected, size_t expected_count)
{
    char text[2048], control[32];
    snprintf(text, sizeof text, ".arch %s\n.kernel k\n%s\n.end\n", arch, lines);
    struct assembled a = assemble(text);
    size_t count;
    struct isa_inst *code = decoded(&a.cubin, &a.cubin.kernels[0], &count);
    for (size_t i = 0; i < expected_count; i++) {
        isa_print_control(code[i].control, control);
        if (strcmp(control, expected[i]) != 0) {
            char line[ISA_TEXT];
            isa_print(&code[i], line);
            fail_msg("%s: '%s' has %s, not %s", lines, line, control, expected[i]);
        }
    }
    free(code);
    assembled_free(&a);
}

#define CONTROLS(arch, lines, ...)                                                                                     \
    do {                                                                                                               \
        static const char *const expected[] = {__VA_ARGS__};                                                           \
        controls(arch, lines, expected, sizeof expected / sizeof *expected);                                           \
    } while (0)

static void a_result_of_fixed_latency_is_waited_for_with_the_stall_count(void **state)
{
    (void)state;
    CONTROLS("sm_86", "IADD3 R0, R1, R2, RZ\nIADD3 R3, R0, R2, RZ\nEXIT", "[B------:R-:W-:-:S06]");
    CONTROLS("sm_86", "IADD3 R0, R1, R2, RZ\nIADD3 R4, R1, R2, RZ\nIADD3 R3, R0, R2, RZ\nEXIT", "[B------:R-:W-:-:S01]",
             "[B------:R-:W-:-:S05]");
    CONTROLS("sm_86", "IADD3 R0, R1, R2, RZ\nLDS R3, [R0]\nEXIT", "[B------:R-:W-:-:S08]", "[B------:R-:W0:-:S02]");
}

static void a_guard_is_waited_for_longer_than_an_operand(void **state)
{
    (void)state;
    CONTROLS("sm_86", "ISETP.NE.AND P0, PT, R0, RZ, PT\n@P0 IADD3 R3, R1, R2, RZ\nEXIT", "[B------:R-:W-:Y:S13]");
    CONTROLS("sm_86", "ISETP.NE.AND P0, PT, R0, RZ, PT\nSEL R3, R1, R2, P0\nEXIT", "[B------:R-:W-:-:S06]");
}

/* Compiled code: DSETP to a guard 14 on sm_90 and sm_100, a comparison to VOTE, VOTEU and to FP64 13
 * (docs/latencies.md). On an H200 the votes of predicates that LOP3 had written 6 cycles before were wrong. */
static void a_predicate_is_waited_for_as_long_as_its_consumer_asks(void **state)
{
    (void)state;
    CONTROLS("sm_90", "DSETP.GEU.AND P0, PT, R2, R4, PT\n@P0 IADD3 R3, R1, R2, RZ\nEXIT", "[B------:R-:W-:Y:S14]");
    CONTROLS("sm_90", "ISETP.NE.AND P0, PT, R0, RZ, PT\nDSETP.GEU.AND P1, PT, R2, R4, P0\nEXIT",
             "[B------:R-:W-:Y:S13]");
    CONTROLS("sm_86", "ISETP.NE.AND P0, PT, R0, RZ, PT\nVOTEU.ANY UR4, UPT, P0\nEXIT", "[B------:R-:W-:Y:S13]");
    CONTROLS("sm_90", "LOP3.LUT P0, RZ, R4, 0x1, RZ, 0xc0, !PT\nVOTE.ANY R0, PT, P0\nEXIT", "[B------:R-:W-:Y:S13]");
}

/* Compiled code lets CCTL hold a read counter. */
static void the_address_of_cctl_is_not_overwritten_before(void **state)
{
    (void)state;
    CONTROLS("sm_86", "CCTL.IVALL\nIADD3 R1, R2, R3, RZ\nEXIT", "[B------:R-:W-:-:S02]");
    CONTROLS("sm_86", "CCTL.E.PF2 [R2]\nIADD3 R2, R4, R3, RZ\nEXIT", "[B------:R0:W-:-:S02]", "[B0-----:R-:W-:-:S01]");
}

static void a_load_has_a_counter_and_its_first_use_waits(void **state)
{
    (void)state;
    CONTROLS("sm_86", "LDS R0, [R1]\nLDS R2, [R3]\nIADD3 R4, R0, R0, RZ\nIADD3 R5, R2, R2, RZ\nEXIT",
             "[B------:R-:W0:-:S02]", "[B------:R-:W1:-:S02]", "[B0-----:R-:W-:-:S01]", "[B-1----:R-:W-:-:S01]");
}

static void what_a_store_reads_is_not_overwritten_before(void **state)
{
    (void)state;
    CONTROLS("sm_86", "STS [R0], R1\nIADD3 R1, R2, R3, RZ\nEXIT", "[B------:R0:W-:-:S02]", "[B0-----:R-:W-:-:S01]",
             "[B------:R-:W-:-:S05]");
    CONTROLS("sm_86", "LDS R4, [R1]\nIADD3 R1, R2, R3, RZ\nEXIT", "[B------:R-:W0:-:S02]", "[B0-----:R-:W-:-:S01]");
}

static void a_branch_leaves_nothing_open(void **state)
{
    (void)state;
    CONTROLS("sm_86", "again:\nLDS R0, [R1]\nBRA again\n", "[B------:R-:W0:-:S02]", "[B0-----:R-:W-:-:S05]");
    CONTROLS("sm_86", "LDS R0, [R1]\nIADD3 R2, R2, R3, RZ\nnext:\nIADD3 R2, R2, R2, RZ\nEXIT", "[B------:R-:W0:-:S02]",
             "[B------:R-:W-:-:S08]", "[B0-----:R-:W-:-:S01]");
}

static void long_latencies_take_nops(void **state)
{
    (void)state;
    CONTROLS("sm_86", "HMMA.16816.F32 R4, R8, R12, R4\nSTS [R0], R4\nEXIT", "[B------:R-:W-:Y:S15]",
             "[B------:R-:W-:Y:S15]", "[B------:R-:W-:-:S10]", "[B------:R0:W-:-:S02]");
}

static void control_bits_that_are_written_stay(void **state)
{
    (void)state;
    CONTROLS("sm_86", "[B------:R-:W3:-:S01] LDS R0, [R1]\n[B------:R-:W-:-:S01] NOP\nIADD3 R4, R0, R0, RZ\nEXIT",
             "[B------:R-:W3:-:S01]", "[B------:R-:W-:-:S01]", "[B---3--:R-:W-:-:S01]");
    CONTROLS("sm_86", "LDS R0, [R1]\n[B------:R-:W-:-:S04] IADD3 R4, R0, R0, RZ\nEXIT", "[B------:R-:W0:-:S02]",
             "[B0-----:R-:W-:-:S01]", "[B------:R-:W-:-:S04]");
}

static void nothing_is_put_between_exact_instructions(void **state)
{
    (void)state;
    CONTROLS("sm_86",
             ".exact\n[B------:R-:W-:-:S01] FADD R1, R2, R3\n[B------:R-:W-:-:S12] FFMA R5, R1, R1, R1\n"
             ".endexact\nFADD R6, R5, R5\nEXIT",
             "[B------:R-:W-:-:S01]", "[B------:R-:W-:-:S12]");
}

static void labels_move_when_nops_are_put_in(void **state)
{
    (void)state;
    struct assembled a = assemble(".arch sm_86\n.kernel k\nHMMA.16816.F32 R4, R8, R12, R4\nSTS [R0], R4\n"
                                  "again:\nBRA again\n.end\n");
    size_t count;
    struct isa_inst *code = decoded(&a.cubin, &a.cubin.kernels[0], &count);
    assert_int_equal(code[4].op, ISA_OP_BRA);
    assert_int_equal(code[4].target, 0x40);
    free(code);
    assembled_free(&a);
}

static void a_copy_group_counts_in_its_own_counter(void **state)
{
    (void)state;
    CONTROLS("sm_86", "LDGDEPBAR\nLDS R0, [R1]\nDEPBAR.LE SB0, 0x0\nIADD3 R0, R0, R0, RZ\nEXIT",
             "[B------:R-:W0:-:S02]", "[B------:R-:W1:-:S02]", "[B------:R-:W-:-:S05]", "[B-1----:R-:W-:-:S01]");
}

UNIT_TESTS(UNIT(compiled_kernels_are_safe_with_new_control_bits), UNIT(taking_waits_or_stalls_away_is_noticed),
           UNIT(a_result_of_fixed_latency_is_waited_for_with_the_stall_count),
           UNIT(a_guard_is_waited_for_longer_than_an_operand),
           UNIT(a_predicate_is_waited_for_as_long_as_its_consumer_asks),
           UNIT(the_address_of_cctl_is_not_overwritten_before), UNIT(a_load_has_a_counter_and_its_first_use_waits),
           UNIT(what_a_store_reads_is_not_overwritten_before), UNIT(a_branch_leaves_nothing_open),
           UNIT(long_latencies_take_nops), UNIT(control_bits_that_are_written_stay),
           UNIT(nothing_is_put_between_exact_instructions), UNIT(labels_move_when_nops_are_put_in),
           UNIT(a_copy_group_counts_in_its_own_counter))
