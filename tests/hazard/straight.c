/* All compiled code of the repository, also code that no test executes: each straight piece as one warp would run it.
 * Guards are taken to hold in the upper half of the warp, inverted ones in the lower. */
#include <glob.h>

#include "asm/asm.h"
#include "cubin/cubin.h"
#include "hazard/hazard.h"
#include "isa/pascal.h"
#include "tests/unit.h"

struct totals {
    size_t cubins, instructions, hazards;
};

static struct isa_inst *decoded(const struct isa_decoder *decoder, unsigned sm, const struct cubin_kernel *kernel,
                                size_t *count)
{
    *count = isa_code_count(sm, kernel->code.size);
    struct isa_inst *code = calloc(*count + 1, sizeof *code);
    assert_non_null(code);
    for (size_t i = 0; i < *count; i++) {
        struct word128 word;
        if (pascal_supported(sm))
            word = pascal_word(kernel->code.data, (uint32_t)i);
        else
            memcpy(&word, kernel->code.data + 16 * i, sizeof word);
        isa_decode(decoder, word, (uint32_t)(16 * i), &code[i]);
    }
    return code;
}

static uint32_t lanes_of(const struct isa_inst *inst)
{
    if (inst->guard.index == ISA_PT)
        return inst->guard.inverted ? 0 : UINT32_MAX;
    return inst->guard.inverted ? 0x0000ffff : 0xffff0000;
}

static const struct isa_op_info *info(const struct isa_inst *inst) { return isa_op_info((enum isa_op)inst->op); }

/* Behind it no code follows in a straight line. */
static bool ends_piece(const struct isa_inst *inst)
{
    bool leaves =
        info(inst)->flags & (ISA_BRANCH | ISA_EXIT) && inst->op != ISA_OP_BSYNC && inst->op != ISA_OP_WARPSYNC;
    return leaves && (inst->op == ISA_OP_CALL || lanes_of(inst) == UINT32_MAX);
}

static bool *begins_of_pieces(const struct isa_inst *code, size_t count)
{
    bool *begins = calloc(count + 1, 1);
    assert_non_null(begins);
    for (size_t i = 0; i < count; i++) {
        if (code[i].op == ISA_INVALID)
            continue;
        if (info(&code[i])->pipe == ISA_PIPE_CBU && code[i].target / 16 < count)
            begins[code[i].target / 16] = true;
        begins[i + 1] |= ends_piece(&code[i]);
    }
    return begins;
}

static void walk(const char *path, unsigned sm, const struct cubin_kernel *kernel, const struct isa_decoder *decoder,
                 struct totals *totals)
{
    size_t count;
    struct hazards hazards;
    struct isa_inst *code = decoded(decoder, sm, kernel, &count);
    bool *begins = begins_of_pieces(code, count);
    hazards_init(&hazards);
    const struct hazard_launch launch = {.kernel = kernel->name,
                                         .architecture = sm,
                                         .isa = code,
                                         .stride = sizeof *code,
                                         .count = (uint32_t)count,
                                         .sms = 1,
                                         .warps_per_cta = 1};
    assert_true(hazards_begin(&hazards, &launch));
    uint64_t piece = 0; /* each a CTA of its own */
    for (size_t i = 0; i < count; i++) {
        piece += begins[i];
        hazards_issued(&hazards, 0, 0, piece, (uint32_t)(16 * i), UINT32_MAX, lanes_of(&code[i]), 0);
    }
    hazards_end(&hazards);
    const struct hazard_found *found = &hazards.kernel[0].found;
    for (uint32_t i = 0; i < found->count; i++) {
        char first[ISA_TEXT], second[ISA_TEXT];
        isa_print(&code[found->item[i].first / 16], first);
        isa_print(&code[found->item[i].second / 16], second);
        print_message("# %s %s: 0x%x %s; 0x%x %s\n", path, kernel->name, found->item[i].first, first,
                      found->item[i].second, second);
    }
    totals->instructions += count;
    totals->hazards += found->count;
    hazards_free(&hazards);
    free(begins);
    free(code);
}

static void walk_cubin(const char *name, struct cubin_bytes bytes, struct totals *totals)
{
    struct status status = {0};
    struct cubin cubin;
    if (!cubin_open(&cubin, bytes, name, &status))
        fail_msg("%s", status.text);
    struct isa_decoder *decoder = isa_decoder_create(cubin.sm, &status);
    assert_non_null(decoder);
    for (size_t k = 0; k < cubin.kernel_count; k++)
        walk(name, cubin.sm, &cubin.kernels[k], decoder, totals);
    totals->cubins++;
    isa_decoder_destroy(decoder);
    cubin_close(&cubin);
}

static void walk_file(const char *path, struct totals *totals)
{
    struct status status = {0};
    struct cubin_file file;
    struct cubin_bytes bytes = {0};
    uint8_t *owned = NULL;
    if (!cubin_file_open(&file, path, &status) || !cubin_file_image(&file, &file.images[0], &bytes, &owned, &status))
        fail_msg("%s", status.text);
    walk_cubin(path, bytes, totals);
    free(owned);
    cubin_file_close(&file);
}

static void no_straight_piece_of_compiled_code_has_a_hazard(void **state)
{
    static const char *const folders[] = {"examples/cubin/*.cubin",         "tests/exec/cubin/*.cubin",
                                          "tests/litmus/cubin/*.cubin",     "bench/cubin/*.cubin",
                                          "validate/kernels/cubin/*.cubin", "validate/micro/cubin/*.cubin"};
    struct totals totals = {0};
    (void)state;
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[4096];
        glob_t found;
        assert_int_equal(glob(unit_path(path, folders[i]), 0, NULL, &found), 0);
        for (size_t n = 0; n < found.gl_pathc; n++)
            walk_file(found.gl_pathv[n], &totals);
        globfree(&found);
    }
    print_message("# %zu cubins, %zu instructions, %zu hazards\n", totals.cubins, totals.instructions, totals.hazards);
    assert_true(totals.instructions > 800000);
    assert_int_equal(totals.hazards, 0);
}

/* ---- our own pieces, with instructions that sm_86, for which rules.c writes, does not have ---------------------- */

static size_t hazards_of(const char *architecture, const char *lines)
{
    char text[1024];
    struct asm_output output;
    struct status status = {0};
    struct totals totals = {0};
    int size = snprintf(text, sizeof text, ".arch %s\n.kernel piece\n.exact\n%s.endexact\n.end\n", architecture, lines);
    const struct asm_input input = {.text = text, .size = (size_t)size};
    if (!asm_assemble(&input, &output, &status)) {
        diagnostics_print(&output.errors, "piece", text, (size_t)size, stderr);
        fail_msg("%s", status.text);
    }
    walk_cubin("piece", (struct cubin_bytes){output.cubin, output.size}, &totals);
    free(output.cubin);
    return totals.hazards;
}

static void the_index_of_ldcu_is_read_at_issue_and_its_result_must_be_waited_for(void **state)
{
    static const char *const architectures[] = {"sm_100", "sm_120"};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(hazards_of(architectures[i], "[B------:R-:W0:-:S01] LDCU.64 UR8, c[0x3][UR5+0x18]\n"
                                                      "[B------:R-:W-:-:S02] UMOV UR5, 0x1\n"
                                                      "[B0-----:R-:W-:-:S05] EXIT\n"),
                         0);
        assert_int_equal(hazards_of(architectures[i], "[B------:R-:W0:-:S02] LDCU.64 UR8, c[0x3][UR5+0x18]\n"
                                                      "[B------:R-:W-:-:S02] UMOV UR9, 0x1\n"
                                                      "[B0-----:R-:W-:-:S05] EXIT\n"),
                         1);
    }
}

static void the_addresses_of_a_bulk_copy_are_read_later(void **state)
{
    (void)state;
    assert_int_equal(hazards_of("sm_90", "[B------:R0:W-:-:S02] UBLKPF.L2 [UR4], UR6\n"
                                         "[B------:R-:W-:-:S02] UMOV UR6, 0x1\n"
                                         "[B------:R-:W-:-:S05] EXIT\n"),
                     1);
    assert_int_equal(hazards_of("sm_90", "[B------:R0:W-:-:S02] UBLKPF.L2 [UR4], UR6\n"
                                         "[B0-----:R-:W-:-:S02] UMOV UR6, 0x1\n"
                                         "[B------:R-:W-:-:S05] EXIT\n"),
                     0);
}

/* ---- Pascal ------------------------------------------------------------------------------------------------------ */

static const char *const pascals[] = {"sm_60", "sm_61"};

/* As many on both architectures. */
static size_t on_pascal(const char *lines)
{
    size_t count = hazards_of(pascals[0], lines);
    assert_int_equal(hazards_of(pascals[1], lines), count);
    return count;
}

/* `format` has a place for the stall count of the first instruction, which must be `needed`. */
static void pascal_needs(const char *format, unsigned needed)
{
    char lines[512];
    snprintf(lines, sizeof lines, format, needed - 1);
    assert_int_equal(on_pascal(lines), 1);
    snprintf(lines, sizeof lines, format, needed);
    assert_int_equal(on_pascal(lines), 0);
}

static void distances_on_pascal_are_those_of_its_latencies(void **state)
{
    (void)state;
    pascal_needs("[B------:R-:W-:-:S%02u] FADD R1, R4, R4\n[B------:R-:W-:-:S15] FMUL R2, R1, R5\n", 6);
    pascal_needs("[B------:R-:W-:-:S%02u] XMAD R1, R4, R4, R5\n[B------:R-:W-:-:S15] IADD R2, R1, R5\n", 6);
    pascal_needs("[B------:R-:W-:-:S%02u] MOV R1, R4\n[B------:R0:W-:-:S15] STG.E [R8], R1\n", 2);
    pascal_needs("[B------:R-:W-:-:S%02u] ISETP.EQ.AND P0, PT, R1, R2, PT\n[B------:R-:W-:-:S15] @P0 MOV R3, R4\n", 12);
    assert_int_equal(on_pascal("[B------:R-:W-:-:S00] FADD R1, R4, R4\n[B------:R-:W-:-:S15] FMUL R2, R1, R5\n"), 1);
}

/* The wait for the load takes 8 cycles at least, so that 4 cycles are enough for the move. */
static void a_wait_on_pascal_takes_the_time_that_no_variable_latency_undercuts(void **state)
{
    (void)state;
    assert_int_equal(on_pascal("[B------:R-:W5:-:S02] LDG.E R5, [R8]\n[B------:R-:W-:-:S04] MOV R0, RZ\n"
                               "[B-----5:R-:W-:-:S15] FMUL R7, R0, R5\n"),
                     0);
    assert_int_equal(on_pascal("[B------:R-:W5:-:S02] LDG.E R5, [R8]\n[B------:R-:W-:-:S04] MOV R0, RZ\n"
                               "[B----4-:R-:W-:-:S15] FMUL R7, R0, R0\n"),
                     1);
}

static void loads_on_pascal_come_in_order(void **state)
{
    (void)state;
    static const char loads[] = "[B------:R-:W-:-:S01] LDG.E R4, [R8]\n[B------:R-:W5:-:S02] LDG.E R5, [R10]\n";
    char lines[512];
    snprintf(lines, sizeof lines, "%s[B-----5:R-:W-:-:S15] FADD R6, R4, R5\n", loads);
    assert_int_equal(on_pascal(lines), 0);
    snprintf(lines, sizeof lines, "%s[B------:R-:W-:-:S15] FADD R6, R4, R4\n", loads);
    assert_int_equal(on_pascal(lines), 1);
}

/* Of 2,000 random programs for sm_60, 3 have a product without a counter, and a comparison behind it that has one. */
static void a_comparison_of_doubles_on_pascal_tells_that_a_product_before_it_is_done(void **state)
{
    (void)state;
    static const char product[] = "[B------:R-:W-:-:S02] IMUL32I R4, R8, 0x3\n";
    char lines[512];
    snprintf(lines, sizeof lines,
             "%s[B------:R-:W1:-:S02] DSETP.NAN.AND P1, PT, R22, R22, PT\n[B-1----:R-:W-:-:S15] FADD R6, R4, R5\n",
             product);
    assert_int_equal(on_pascal(lines), 0);
    snprintf(lines, sizeof lines,
             "%s[B------:R-:W1:-:S15] DSETP.NAN.AND P1, PT, R22, R22, PT\n[B------:R-:W-:-:S15] FADD R6, R4, R5\n",
             product);
    assert_int_equal(on_pascal(lines), 1);
}

static void a_depbar_on_pascal_holds_after_three_cycles(void **state)
{
    (void)state;
    pascal_needs("[B------:R-:W5:-:S01] LDG.E R4, [R8]\n[B------:R-:W5:-:S01] LDG.E R5, [R10]\n"
                 "[B------:R-:W-:-:S%02u] DEPBAR.LE SB5, 0x1\n[B------:R-:W-:-:S15] FADD R6, R4, R4\n",
                 3);
}

static void a_division_check_on_pascal_has_a_fixed_latency(void **state)
{
    (void)state;
    pascal_needs("[B------:R-:W-:-:S%02u] FCHK.DIVIDE P0, R4, R5\n[B------:R-:W-:-:S15] @P0 MOV R3, R4\n", 12);
}

UNIT_TESTS(UNIT(no_straight_piece_of_compiled_code_has_a_hazard),
           UNIT(the_index_of_ldcu_is_read_at_issue_and_its_result_must_be_waited_for),
           UNIT(the_addresses_of_a_bulk_copy_are_read_later), UNIT(distances_on_pascal_are_those_of_its_latencies),
           UNIT(a_wait_on_pascal_takes_the_time_that_no_variable_latency_undercuts),
           UNIT(loads_on_pascal_come_in_order),
           UNIT(a_comparison_of_doubles_on_pascal_tells_that_a_product_before_it_is_done),
           UNIT(a_depbar_on_pascal_holds_after_three_cycles), UNIT(a_division_check_on_pascal_has_a_fixed_latency))
