/* A queued unit is a file and a row: this program links an SM that was compiled with the row of toy.def. */
#include "sm/save.h"
#include "tests/sm/harness.h"

static struct inst toy(uint8_t d)
{
    struct inst i = mufu(d, RZ);
    i.code.class = CLASS_TOY;
    return i;
}

static void run(struct harness *h)
{
    harness_start(h, 1);
    harness_run(h);
}

static void a_result_of_the_unit_comes_after_its_time(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(toy(4), 0), 2));
    uint32_t use = add(h, waits(nop(), 1));
    run(h);
    assert_int_equal(distance(h, 0, 0, use), 2 + TOY_CYCLES);
    harness_free(h);
}

static void a_full_queue_holds_warps_back_for_the_reason_of_the_row(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.core.adu_queue = 2;
    add_many(h, toy(4), 5);
    run(h);
    const uint64_t issue[] = {0, 1, 2, 12, 22}; /* the first leaves for the unit in cycle 2, others TOY_CYCLES later */
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(distance(h, 0, 0, i), issue[i]);
    const uint64_t throttled = 2 * (TOY_CYCLES - 1);
    assert_int_equal(h->sm->n.stall[STALL_TEX_THROTTLE], throttled);
    assert_int_equal(h->sm->n.cycle[CYCLE_UNIT_QUEUE], throttled);
    harness_free(h);
}

static void the_other_units_are_as_they_were(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(mufu(4, 2), 0), 2));
    uint32_t use = add(h, waits(nop(), 1));
    run(h);
    assert_int_equal(distance(h, 0, 0, use), h->config.core.xu_latency);
    harness_free(h);
}

static void a_nap_does_not_change_its_cycles(void **state)
{
    (void)state;
    uint64_t end[2];
    for (unsigned skip = 0; skip < 2; skip++) {
        struct harness *h = harness_new();
        h->config.run.skip_idle = skip;
        add_many(h, toy(4), 8);
        run(h);
        end[skip] = h->end;
        harness_free(h);
    }
    assert_int_equal(end[0], end[1]);
}

static uint64_t digest(struct harness *h)
{
    struct status status = {0};
    struct archive *a = archive_digest(NULL, NULL);
    assert_non_null(a);
    sm_archive(a, h->sm);
    uint64_t value = archive_value(a);
    assert_true(archive_close(a, &status));
    return value;
}

/* Two SMs at different addresses have the same state. */
static void a_save_has_its_queue_and_no_pointer(void **state)
{
    (void)state;
    uint64_t value[3];
    for (unsigned i = 0; i < 3; i++) {
        struct harness *h = harness_new();
        add_many(h, toy(4), i < 2 ? 3 : 4);
        harness_start(h, 1);
        harness_run_until(h, START + 4);
        value[i] = digest(h);
        harness_free(h);
    }
    assert_int_equal(value[0], value[1]);
    assert_int_not_equal(value[0], value[2]);
}

UNIT_TESTS(UNIT(a_result_of_the_unit_comes_after_its_time),
           UNIT(a_full_queue_holds_warps_back_for_the_reason_of_the_row), UNIT(the_other_units_are_as_they_were),
           UNIT(a_nap_does_not_change_its_cycles), UNIT(a_save_has_its_queue_and_no_pointer))
