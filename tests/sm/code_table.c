/* Which mechanism handles the dependences of a kernel. */
#include "sm/code_table.h"

#include "sm/issue/scoreboard.h"
#include "tests/unit.h"

enum { COUNT = 4 };

static const struct isa_inst *at(const void *self, uint32_t index) { return &((const struct isa_inst *)self)[index]; }

/* Whether a kernel of these stall counts runs by scoreboard. Every other field is `other`. */
static bool by_scoreboard(enum config_dependence mode, const uint8_t stall[COUNT], uint8_t other)
{
    struct config config;
    struct isa_inst inst[COUNT + 1] = {{.op = ISA_INVALID}};
    struct code_table table = {0};
    config_defaults(&config);
    config.core.dependence = mode;
    for (unsigned i = 0; i <= COUNT; i++) {
        inst[i].op = i < COUNT ? ISA_OP_FADD : ISA_INVALID;
        inst[i].control = (struct isa_control){.write_sb = other, .read_sb = other, .wait = other};
        inst[i].control.stall = i < COUNT ? stall[i] : 9;
    }
    const struct code_source source = {.self = inst, .at = at, .count = COUNT};
    assert_true(code_table_build(&table, &source, &config));
    assert_int_equal(table.count, COUNT);
    bool scoreboard = table.registers != NULL;
    for (unsigned i = 0; scoreboard && i < COUNT; i++)
        assert_true(table.code[i].stall == 1 && table.code[i].wait == 0 && table.code[i].write_sb == ISA_NO_SB);
    code_table_free(&table);
    return scoreboard;
}

static const uint8_t zero[COUNT] = {0, 0, 0, 0}, equal[COUNT] = {4, 4, 4, 4}, real[COUNT] = {4, 4, 4, 5};

static void control_bits_are_obeyed_whatever_they_are_when_the_configuration_says_so(void **state)
{
    (void)state;
    assert_false(by_scoreboard(CONFIG_DEPENDENCE_CONTROL_BITS, zero, 0));
    assert_false(by_scoreboard(CONFIG_DEPENDENCE_CONTROL_BITS, real, ISA_NO_SB));
}

static void a_scoreboard_is_used_for_all_code_when_the_configuration_says_so(void **state)
{
    (void)state;
    assert_true(by_scoreboard(CONFIG_DEPENDENCE_SCOREBOARD, zero, 0));
    assert_true(by_scoreboard(CONFIG_DEPENDENCE_SCOREBOARD, real, ISA_NO_SB));
}

static void automatic_takes_the_scoreboard_where_all_control_fields_are_alike(void **state)
{
    (void)state;
    assert_true(by_scoreboard(CONFIG_DEPENDENCE_AUTOMATIC, zero, 0));
    assert_true(by_scoreboard(CONFIG_DEPENDENCE_AUTOMATIC, equal, ISA_NO_SB));
    assert_false(by_scoreboard(CONFIG_DEPENDENCE_AUTOMATIC, real, ISA_NO_SB));
    assert_false(by_scoreboard(CONFIG_DEPENDENCE_AUTOMATIC, real, 0));
}

static void the_branch_and_the_nops_behind_the_last_instruction_do_not_count(void **state)
{
    (void)state;
    static const enum isa_op op[] = {ISA_OP_LDG, ISA_OP_FADD, ISA_OP_EXIT, ISA_OP_BRA, ISA_OP_NOP, ISA_OP_NOP};
    enum { CODE = 3, ALL = 6 };
    struct config config;
    struct isa_inst inst[ALL + 1] = {{.op = ISA_INVALID}};
    config_defaults(&config);
    config.core.dependence = CONFIG_DEPENDENCE_AUTOMATIC;
    for (unsigned different = 0; different < ALL; different++) {
        struct code_table table = {0};
        for (unsigned i = 0; i <= ALL; i++) {
            inst[i].op = (uint16_t)(i < ALL ? op[i] : ISA_INVALID);
            inst[i].control = (struct isa_control){.write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB, .stall = 1};
        }
        inst[different].control.stall = 5;
        assert_true(code_table_build(&table, &(struct code_source){.self = inst, .at = at, .count = ALL}, &config));
        assert_int_equal(table.registers != NULL, different >= CODE);
        code_table_free(&table);
    }
}

static struct isa_control under_scoreboard(enum isa_op op, uint8_t write_sb, bool usable)
{
    struct isa_inst inst = {.op = (uint16_t)op,
                            .control = {.stall = 9, .yield = true, .write_sb = write_sb, .read_sb = 3, .wait = 5}};
    return scoreboard_control(&inst, usable);
}

static void only_the_counter_of_groups_of_copies_is_left(void **state)
{
    (void)state;
    struct isa_control load = under_scoreboard(ISA_OP_LDG, 2, true);
    assert_true(load.stall == 1 && !load.yield && load.wait == 0);
    assert_int_equal(load.write_sb, ISA_NO_SB);
    assert_int_equal(load.read_sb, ISA_NO_SB);
    assert_int_equal(under_scoreboard(ISA_OP_LDGDEPBAR, 2, true).write_sb, 2);
    assert_int_equal(under_scoreboard(ISA_OP_LDGDEPBAR, ISA_NO_SB, true).write_sb, 0);
    assert_int_equal(under_scoreboard(ISA_OP_LDGDEPBAR, 2, false).write_sb, 0);
    assert_int_equal(under_scoreboard(ISA_OP_UTMACMDFLUSH, 2, true).read_sb, 3);
    assert_int_equal(under_scoreboard(ISA_OP_UTMACMDFLUSH, 2, true).write_sb, ISA_NO_SB);
    assert_int_equal(under_scoreboard(ISA_OP_UTMACMDFLUSH, 2, false).read_sb, 0);
}

UNIT_TESTS(UNIT(control_bits_are_obeyed_whatever_they_are_when_the_configuration_says_so),
           UNIT(a_scoreboard_is_used_for_all_code_when_the_configuration_says_so),
           UNIT(automatic_takes_the_scoreboard_where_all_control_fields_are_alike),
           UNIT(the_branch_and_the_nops_behind_the_last_instruction_do_not_count),
           UNIT(only_the_counter_of_groups_of_copies_is_left))
