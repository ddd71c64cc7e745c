/* The tables of isa/contract.def fit each other, and have a row for everything. */
#include "isa/contract.h"
#include "isa/resources.h"
#include "tests/unit.h"

static const unsigned ARCHITECTURES[] = {60, 70, 75, 80, 86, 89, 90, 100, 120};
enum { COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES, R4 = 4, UR4 = RESOURCE_UNIFORM + 4 };
enum { P0 = RESOURCE_PREDICATE, UP0 = RESOURCE_UNIFORM_PREDICATE };

/* An instruction without counters that writes `words` registers from R4 on. */
static struct isa_inst instruction(enum isa_op op, uint8_t words)
{
    struct isa_inst inst = {.op = (uint16_t)op, .control = {.write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB}};
    inst.d = inst.a = (struct isa_operand){.kind = ISA_REG, .index = R4, .words = words};
    return inst;
}

static void check(enum isa_op op, unsigned resource, uint8_t words, unsigned sm)
{
    struct isa_inst inst = instruction(op, words);
    assert_in_range(isa_write_distance(&inst, resource, sm), 1, ISA_LONGEST_FIXED);
    for (unsigned c = 0; c < ISA_CONSUMER_COUNT; c++) {
        unsigned cycles = isa_distance(&inst, resource, (enum isa_consumer)c, sm);
        assert_in_range(cycles, 1, ISA_LONGEST_FIXED);
        if (sm >= 70 && isa_distance_bound(&inst, resource, (enum isa_consumer)c) < cycles)
            fail_msg("%s, resource %u, consumer %u, sm_%u", isa_op_info(op)->name, resource, c, sm);
    }
}

static void every_result_has_a_distance_to_every_consumer_and_a_bound_above_it(void **state)
{
    static const unsigned resources[] = {R4, R4 + 1, UR4, P0, UP0, RESOURCE_BARRIER};
    (void)state;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        for (unsigned i = 0; i < COUNT; i++)
            for (unsigned r = 0; r < sizeof resources / sizeof *resources; r++)
                for (uint8_t words = 1; words <= 4; words++)
                    check((enum isa_op)op, resources[r], words, ARCHITECTURES[i]);
}

static bool is_fixed(enum isa_op op, unsigned sm) { return isa_latency_is_fixed(isa_op_info(op)->latency, sm); }

static void a_latency_is_fixed_on_the_architectures_of_its_class(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned sm = ARCHITECTURES[i];
        assert_true(is_fixed(ISA_OP_IADD3, sm));
        assert_true(is_fixed(ISA_OP_HFMA2_MMA, sm));
        assert_int_equal(is_fixed(ISA_OP_DFMA, sm), sm == 90 || sm == 100);
        assert_int_equal(is_fixed(ISA_OP_HMMA, sm), sm >= 80);
        assert_int_equal(is_fixed(ISA_OP_IMMA, sm), sm >= 80);
        assert_int_equal(is_fixed(ISA_OP_R2UR, sm), sm >= 90);
        static const enum isa_op variable[] = {ISA_OP_DMMA, ISA_OP_LDCU,  ISA_OP_BMOV,      ISA_OP_REDUX, ISA_OP_BAR,
                                               ISA_OP_CCTL, ISA_OP_FENCE, ISA_OP_LDGDEPBAR, ISA_OP_MEMBAR};
        for (unsigned k = 0; k < sizeof variable / sizeof *variable; k++)
            assert_false(is_fixed(variable[k], sm));
    }
}

static void an_instruction_that_names_a_counter_is_variable(void **state)
{
    (void)state;
    struct isa_inst inst = instruction(ISA_OP_IADD3, 1);
    assert_false(isa_is_variable(&inst, 86));
    inst.control.read_sb = 0;
    assert_true(isa_is_variable(&inst, 86));
    assert_int_equal(isa_write_distance(&inst, R4, 86), ISA_SHORTEST_VARIABLE);
}

static void a_variable_latency_makes_a_queue_of_a_datapath(void **state)
{
    (void)state;
    assert_int_equal(isa_consumer_of(ISA_OP_DFMA, false), ISA_CONSUMER_FP64);
    assert_int_equal(isa_consumer_of(ISA_OP_DFMA, true), ISA_CONSUMER_FAST_QUEUE);
    assert_int_equal(isa_consumer_of(ISA_OP_R2UR, false), ISA_CONSUMER_CROSS_LANE);
    assert_int_equal(isa_consumer_of(ISA_OP_R2UR, true), ISA_CONSUMER_FAST_QUEUE);
    assert_int_equal(isa_consumer_of(ISA_OP_VOTE, false), ISA_CONSUMER_CROSS_LANE);
    assert_int_equal(isa_consumer_of(ISA_OP_IADD3, true), ISA_CONSUMER_ALU);
    assert_int_equal(isa_consumer_of(ISA_OP_LDC, true), ISA_CONSUMER_FAST_QUEUE);
    assert_int_equal(isa_consumer_of(ISA_OP_LDG, true), ISA_CONSUMER_QUEUE);
    assert_int_equal(isa_consumer_of(ISA_OP_UTCHMMA, true), ISA_CONSUMER_TENSOR);
}

static void a_queue_finds_its_operands_in_the_files(void **state)
{
    (void)state;
    assert_int_equal(isa_place_of(ISA_OP_IADD3, false, R4), ISA_BYPASS);
    assert_int_equal(isa_place_of(ISA_OP_LDG, true, R4), ISA_REGISTER_FILE);
    assert_int_equal(isa_place_of(ISA_OP_SEL, false, P0), ISA_BYPASS);
    assert_int_equal(isa_place_of(ISA_OP_BRA, false, P0), ISA_PREDICATE_FILE);
    assert_int_equal(isa_place_of(ISA_OP_UIADD3, false, UR4), ISA_BYPASS);
    assert_int_equal(isa_place_of(ISA_OP_IADD3, false, UR4), ISA_REGISTER_FILE);
}

UNIT_TESTS(UNIT(every_result_has_a_distance_to_every_consumer_and_a_bound_above_it),
           UNIT(a_latency_is_fixed_on_the_architectures_of_its_class),
           UNIT(an_instruction_that_names_a_counter_is_variable), UNIT(a_variable_latency_makes_a_queue_of_a_datapath),
           UNIT(a_queue_finds_its_operands_in_the_files))
