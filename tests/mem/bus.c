#include "mem/bus.h"

#include "tests/unit.h"

static struct arena arena; /* the buses lie in it */

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static struct bus make(double bytes, double bytes_per_cycle)
{
    struct bus bus;
    assert_true(bus_create(&bus, bus_period(bytes, bytes_per_cycle), &arena));
    return bus;
}

static void a_message_on_a_free_bus_leaves_when_it_is_ready(void **state)
{
    (void)state;
    struct bus bus = make(32, 10);
    for (uint64_t when = 0; when < 100000; when += 997)
        assert_int_equal(bus_take(&bus, when, 1), when);
}

static void messages_that_are_ready_together_leave_one_slot_apart(void **state)
{
    (void)state;
    struct bus bus = make(32, 8);
    assert_int_equal(bus_take(&bus, 400, 1), 400);
    assert_int_equal(bus_take(&bus, 400, 1), 404);
    assert_int_equal(bus_take(&bus, 400, 1), 408);
}

static void a_message_that_is_ready_early_passes_one_booked_before_it(void **state)
{
    (void)state;
    struct bus bus = make(32, 8);
    assert_int_equal(bus_take(&bus, 400, 1), 400);
    assert_int_equal(bus_take(&bus, 40, 1), 40);
    assert_int_equal(bus_take(&bus, 396, 1), 396);
    assert_int_equal(bus_take(&bus, 396, 1), 404);
}

static void slots_of_a_broken_length_lose_nothing_to_rounding(void **state)
{
    (void)state;
    struct bus bus = make(32, 12); /* 8/3 cycles */
    uint64_t last = 0;
    for (unsigned i = 0; i <= 300000; i++)
        last = bus_take(&bus, 0, 1);
    assert_in_range(last, 800000, 800001);
}

static void a_message_of_several_slots_is_as_late_as_its_last_one(void **state)
{
    (void)state;
    struct bus bus = make(8, 8);
    assert_int_equal(bus_take(&bus, 10, 5), 10); /* 10..14 */
    assert_int_equal(bus_take(&bus, 10, 5), 15); /* 15..19 */
    assert_int_equal(bus_take(&bus, 21, 1), 21);
    assert_int_equal(bus_take(&bus, 20, 3), 21); /* 20, 22, 23: as late as 21..23 */
    assert_int_equal(bus_take(&bus, 20, 1), 24);
    assert_int_equal(bus_take(&bus, 60, 17), 60); /* over the border of a word */
    assert_int_equal(bus_take(&bus, 60, 1), 77);
}

static void the_window_moves_with_time_and_forgets_what_lies_behind(void **state)
{
    (void)state;
    struct bus bus = make(8, 8);
    uint64_t window = (uint64_t)bus.words * 64;
    assert_int_equal(bus_take(&bus, 64, 1), 64);
    assert_int_equal(bus_take(&bus, window - 1, 1), window - 1);
    assert_int_equal(bus_take(&bus, 65, 1), 65);
    assert_int_equal(bus_take(&bus, window, 1), window); /* the words of cycles 0 to 63 go */
    assert_int_equal(bus_take(&bus, 3, 1), 66);
    assert_int_equal(bus_take(&bus, 1000 * window, 1), 1000 * window);
    assert_int_equal(bus_take(&bus, 0, 1), 999 * window + 64);
    bus_reset(&bus);
    assert_int_equal(bus_take(&bus, 0, 1), 0);
}

#define BUS_TEST(function) cmocka_unit_test_teardown(function, teardown)

UNIT_TESTS(BUS_TEST(a_message_on_a_free_bus_leaves_when_it_is_ready),
           BUS_TEST(messages_that_are_ready_together_leave_one_slot_apart),
           BUS_TEST(a_message_that_is_ready_early_passes_one_booked_before_it),
           BUS_TEST(slots_of_a_broken_length_lose_nothing_to_rounding),
           BUS_TEST(a_message_of_several_slots_is_as_late_as_its_last_one),
           BUS_TEST(the_window_moves_with_time_and_forgets_what_lies_behind))
