/* Matrix products of warpgroups whose fence or wait is missing, instruction by instruction, and compiled code. */
#include <string.h>

#include "base/file.h"
#include "hazard/warp.h"
#include "isa/assemble.h"
#include "isa/resources.h"
#include "tests/unit.h"

enum { MOST = 16 };

/* The checker's findings when one warp issues these lines, one after the other, with a stall count of 11. */
static struct hazard_found check(const char *const *lines)
{
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(90, &status);
    struct isa_inst isa[MOST];
    struct hazard_code code;
    struct hazard_warp warp = {0};
    struct hazard_found found = {0};
    uint32_t count = 0;
    for (; lines[count]; count++) {
        struct word128 word;
        struct isa_asm_error error;
        if (!isa_assemble(assembler, lines[count], strlen(lines[count]), count * 16, NULL, NULL, &word, &error))
            fail_msg("%s: %s", lines[count], error.message);
        isa_control_encode((struct isa_control){.stall = 11, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB}, &word);
        isa_decode(isa_assembler_decoder(assembler), word, count * 16, &isa[count]);
    }
    assert_true(hazard_code_build(&code, 90, isa, sizeof *isa, count));
    assert_true(hazard_warp_start(&warp, &code, 0));
    for (uint32_t i = 0; i < count; i++) {
        const struct hazard_issue issue = {.index = i, .path = UINT32_MAX, .active = UINT32_MAX};
        hazard_warp_issue(&warp, &code, &issue, &found);
    }
    hazard_found_sort(&found);
    hazard_warp_free(&warp);
    hazard_code_free(&code);
    isa_assembler_destroy(assembler);
    return found;
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void clean(const char *const *lines)
{
    struct hazard_found found = check(lines);
    assert_int_equal(found.count, 0);
    hazard_found_free(&found);
}

/* Exactly one, between these lines at this register. */
static void one(const char *const *lines, unsigned first, unsigned second, unsigned reg, enum hazard_kind kind,
                enum hazard_cause cause)
{
    struct hazard_found found = check(lines);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.item[0].first, first * 16);
    assert_int_equal(found.item[0].second, second * 16);
    assert_int_equal(found.item[0].resource, reg);
    assert_int_equal(found.item[0].kind, kind);
    assert_int_equal(found.item[0].cause, cause);
    hazard_found_free(&found);
}

#define PRODUCT "HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0"
#define OPEN "HGMMA.64x8x16.F32 R24, gdesc[UR4], R24"
#define FROM_REGISTERS "HGMMA.64x8x16.F32 R24, R8, gdesc[UR4], R24, gsb0"
#define OTHER "HGMMA.64x8x16.F32 R32, gdesc[UR4], R32, gsb0"
#define ARRIVE "WARPGROUP.ARRIVE"
#define WAIT "WARPGROUP.DEPBAR.LE gsb0, 0x0"
#define WAIT_ONE "WARPGROUP.DEPBAR.LE gsb0, 0x1"

static void accumulators_are_there_behind_the_wait(void **state)
{
    (void)state;
    clean(LINES(ARRIVE, PRODUCT, WAIT, "FADD R0, R27, R1"));
    one(LINES(ARRIVE, PRODUCT, "FADD R0, R27, R1", WAIT), 1, 2, 27, HAZARD_RAW, HAZARD_NO_GROUP_WAIT);
    one(LINES(ARRIVE, PRODUCT, "FADD R24, R0, R1", WAIT), 1, 2, 24, HAZARD_WAW, HAZARD_NO_GROUP_WAIT);
    clean(LINES(ARRIVE, PRODUCT, "FADD R28, R23, R1", WAIT));
}

static void a_wait_covers_the_groups_that_it_says(void **state)
{
    (void)state;
    clean(LINES(ARRIVE, PRODUCT, OTHER, WAIT_ONE, "FADD R0, R24, R1"));
    one(LINES(ARRIVE, PRODUCT, OTHER, WAIT_ONE, "FADD R0, R32, R1"), 2, 4, 32, HAZARD_RAW, HAZARD_NO_GROUP_WAIT);
    /* A product that ends no group is in none that a wait could find. */
    one(LINES(ARRIVE, OPEN, WAIT, "FADD R0, R24, R1"), 1, 3, 24, HAZARD_RAW, HAZARD_NO_GROUP_WAIT);
    clean(LINES(ARRIVE, OPEN, PRODUCT, WAIT, "FADD R0, R24, R1"));
}

static void a_of_registers_stays_until_the_wait(void **state)
{
    (void)state;
    one(LINES(ARRIVE, FROM_REGISTERS, "MOV R11, R1", WAIT), 1, 2, 11, HAZARD_WAR, HAZARD_NO_GROUP_WAIT);
    clean(LINES(ARRIVE, FROM_REGISTERS, "FADD R0, R11, R1", WAIT, "MOV R11, R1"));
}

static void registers_that_others_write_need_a_fence(void **state)
{
    (void)state;
    one(LINES("MOV R25, R1", PRODUCT, WAIT), 0, 1, 25, HAZARD_RAW, HAZARD_NO_FENCE);
    one(LINES(ARRIVE, "MOV R9, R1", FROM_REGISTERS, WAIT), 1, 2, 9, HAZARD_RAW, HAZARD_NO_FENCE);
    clean(LINES("MOV R9, R1", "MOV R25, R1", ARRIVE, FROM_REGISTERS, WAIT));
    clean(LINES("MOV R25, R1", "HGMMA.64x8x16.F32 R24, gdesc[UR4], RZ, !UPT, gsb0", WAIT)); /* not read */
}

static void products_with_the_same_accumulators_need_no_wait(void **state)
{
    (void)state;
    clean(LINES(ARRIVE, PRODUCT, PRODUCT, OPEN, PRODUCT, WAIT));
    struct hazard_found found =
        check(LINES(ARRIVE, PRODUCT, "HGMMA.64x16x16.F32 R24, gdesc[UR4], R24, gsb0", WAIT)); /* another shape */
    assert_int_equal(found.count, 4);
    assert_int_equal(found.item[0].kind, HAZARD_WAW);
    hazard_found_free(&found);
}

UNIT_TESTS(UNIT(accumulators_are_there_behind_the_wait), UNIT(a_wait_covers_the_groups_that_it_says),
           UNIT(a_of_registers_stays_until_the_wait), UNIT(registers_that_others_write_need_a_fence),
           UNIT(products_with_the_same_accumulators_need_no_wait))
