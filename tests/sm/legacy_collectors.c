/* Operand collectors: banks, steps, the order in which instructions leave. */
#include "sm/legacy/collectors.h"
#include "tests/sm/sass.h"

enum { WAY = 5 };

/* From an FFMA with these sources to its consumer, with one step in a cycle. Slot 0: the bank is the register's. */
static uint64_t with_sources(unsigned a, unsigned b, unsigned c, uint32_t steps)
{
    struct harness *h = sass_legacy();
    h->config.legacy.operand_steps = steps;
    char text[64];
    snprintf(text, sizeof text, "FFMA R30, R%u, R%u, R%u", a, b, c);
    sass(h, a == ISA_RZ ? c == 3 ? "FFMA R30, RZ, RZ, R3" : "FFMA R30, RZ, RZ, R2" : text);
    sass(h, "MOV R31, R30");
    return sass_distance(h, 0, 1);
}

static void each_further_operand_of_a_bank_costs_a_step(void **state)
{
    (void)state;
    uint64_t free = with_sources(1, 2, 3, 1);
    assert_int_equal(free, 2 + WAY + 1); /* entering and reading are two cycles then */
    assert_int_equal(with_sources(1, 5, 3, 1), free + 1);
    assert_int_equal(with_sources(1, 5, 9, 1), free + 2);
    assert_int_equal(with_sources(1, 5, 6, 1), free + 1);
}

static void two_steps_in_a_cycle_hide_one_conflict(void **state)
{
    (void)state;
    assert_int_equal(with_sources(1, 2, 3, 2), 2 + WAY);
    assert_int_equal(with_sources(1, 5, 3, 2), 2 + WAY);
    assert_int_equal(with_sources(1, 5, 9, 2), 2 + WAY + 1);
}

static void a_register_that_comes_twice_is_read_once_and_rz_like_another(void **state)
{
    (void)state;
    assert_int_equal(with_sources(1, 1, 1, 1), 2 + WAY + 1);
    assert_int_equal(with_sources(255, 255, 3, 1), 2 + WAY + 2); /* R255 and R3 are of bank 3 */
    assert_int_equal(with_sources(255, 255, 2, 1), 2 + WAY + 1);
}

static void banks_belong_to_a_sub_core_and_turn_with_the_slot(void **state)
{
    (void)state;
    struct config_legacy config = {.banks = 16};
    assert_int_equal(legacy_bank_of(&config, 0, 0), 0);
    assert_int_equal(legacy_bank_of(&config, 7, 0), 3);
    assert_int_equal(legacy_bank_of(&config, 0, 1), 4 + 1);
    assert_int_equal(legacy_bank_of(&config, 3, 5), 4 + 0);
    assert_int_equal(legacy_bank_of(&config, 255, 63), 12 + 2);
    config.banks = 8;
    assert_int_equal(legacy_bank_of(&config, 5, 6), 2 * 2 + 1);
}

/* ---- the structure alone ----------------------------------------------------------------------------------------- */

struct board {
    struct config_legacy config;
    struct code code[4];
    struct code_table table;
    struct nap nap[SM_SUBCORES];
    struct warp_gates gates;
    struct legacy_latches in, out;
    struct sm_counters n;
    struct legacy_collectors c;
    uint32_t age;
};

/* Code 0 reads registers 0, 1 and 2, code 1 registers 0, 4 and 8 of one bank, code 2 none. */
static struct board *board_new(void)
{
    struct board *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->config = (struct config_legacy){
        .collectors = 8, .collector_ports = 8, .dispatch_ports = 8, .banks = 16, .operand_steps = 1};
    for (uint8_t i = 0; i < 3; i++) {
        b->code[0].read[i].first = i;
        b->code[1].read[i].first = (uint8_t)(4 * i);
    }
    b->code[0].reads = b->code[1].reads = 3;
    b->table.code = b->code;
    for (unsigned i = 0; i < SM_SUBCORES; i++)
        b->gates.subcore[i].nap = &b->nap[i];
    b->c.to = (struct legacy_collector_ports){&b->config, &b->table, &b->gates, &b->in, &b->out, &b->n};
    legacy_collectors_begin(&b->c);
    return b;
}

static void put(struct board *b, enum legacy_unit unit, uint32_t slot, uint32_t code)
{
    legacy_latch_put(&b->in, unit, slot_subcore(slot),
                     (struct legacy_op){code, ++b->age, LSU_NO_TOKEN, (uint8_t)slot, true});
}

static void an_instruction_enters_reads_and_leaves_in_three_steps(void **state)
{
    (void)state;
    struct board *b = board_new();
    put(b, LEGACY_SP, 0, 0);
    assert_true(legacy_collectors_cycle(&b->c)); /* enters */
    assert_int_equal(b->in.count, 0);
    assert_int_equal(b->c.count, 1);
    assert_true(legacy_collectors_cycle(&b->c)); /* reads */
    assert_int_equal(b->n.register_reads, 3);
    assert_int_equal(b->out.count, 0);
    assert_true(legacy_collectors_cycle(&b->c)); /* leaves */
    assert_true(legacy_latch_taken(&b->out, LEGACY_SP, 0));
    assert_true(legacy_collectors_idle(&b->c));
    free(b);
}

static void a_write_takes_its_bank_for_a_step(void **state)
{
    (void)state;
    struct board *b = board_new();
    put(b, LEGACY_SP, 0, 0);
    legacy_collectors_cycle(&b->c);
    assert_true(legacy_collectors_write(&b->c, 1));
    assert_false(legacy_collectors_write(&b->c, 1));
    legacy_collectors_cycle(&b->c);
    assert_int_equal(b->n.register_reads, 2);
    legacy_collectors_cycle(&b->c);
    assert_int_equal(b->n.register_reads, 3);
    assert_int_equal(b->out.count, 0);
    legacy_collectors_cycle(&b->c);
    assert_int_equal(b->out.count, 1);
    free(b);
}

static void a_sub_core_has_its_share_and_the_oldest_blocks_those_behind_it(void **state)
{
    (void)state;
    struct board *b = board_new();
    for (unsigned i = 0; i < 3; i++) { /* two collectors of sub-core 0, and one warp without any */
        put(b, LEGACY_SP, 0, 1);
        legacy_collectors_cycle(&b->c);
    }
    assert_int_equal(b->c.count, 2);
    assert_true(legacy_latch_taken(&b->in, LEGACY_SP, 0));
    put(b, LEGACY_SP, 1, 2);  /* younger, for the same unit */
    put(b, LEGACY_INT, 2, 2); /* for another */
    legacy_collectors_cycle(&b->c);
    assert_true(legacy_latch_taken(&b->in, LEGACY_SP, 1));
    assert_false(legacy_latch_taken(&b->in, LEGACY_INT, 2));
    free(b);
}

static void a_new_instruction_in_the_lower_collector_overtakes_one_in_the_higher(void **state)
{
    (void)state;
    struct board *b = board_new();
    put(b, LEGACY_SP, 0, 2);
    legacy_collectors_cycle(&b->c);                                            /* the first into the lower */
    legacy_latch_put(&b->out, LEGACY_SP, 0, (struct legacy_op){.used = true}); /* the unit is busy */
    put(b, LEGACY_SP, 0, 2);
    legacy_collectors_cycle(&b->c); /* the second into the higher */
    assert_int_equal(b->c.count, 2);
    legacy_latch_take(&b->out, LEGACY_SP, 0);
    put(b, LEGACY_SP, 0, 2);
    legacy_collectors_cycle(&b->c); /* the first leaves, the third takes its place */
    assert_int_equal(legacy_latch_take(&b->out, LEGACY_SP, 0).age, 1);
    legacy_collectors_cycle(&b->c);
    assert_int_equal(legacy_latch_take(&b->out, LEGACY_SP, 0).age, 3);
    legacy_collectors_cycle(&b->c);
    assert_int_equal(legacy_latch_take(&b->out, LEGACY_SP, 0).age, 2);
    free(b);
}

UNIT_TESTS(UNIT(each_further_operand_of_a_bank_costs_a_step), UNIT(two_steps_in_a_cycle_hide_one_conflict),
           UNIT(a_register_that_comes_twice_is_read_once_and_rz_like_another),
           UNIT(banks_belong_to_a_sub_core_and_turn_with_the_slot),
           UNIT(an_instruction_enters_reads_and_leaves_in_three_steps), UNIT(a_write_takes_its_bank_for_a_step),
           UNIT(a_sub_core_has_its_share_and_the_oldest_blocks_those_behind_it),
           UNIT(a_new_instruction_in_the_lower_collector_overtakes_one_in_the_higher))
