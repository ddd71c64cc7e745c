/* Which kernels of a list may be in flight together. */
#include "gpu/stream_order.h"

#include "tests/unit.h"

static int item[2 * STREAM_WINDOW]; /* only their addresses count */

static int launch_at(struct stream_order *o, uint64_t *cycle)
{
    const int *i = stream_order_launch(o, cycle);
    return i ? (int)(i - item) : -1;
}

static int launch(struct stream_order *o)
{
    uint64_t cycle;
    return launch_at(o, &cycle);
}

static void add(struct stream_order *o, const uint64_t *streams, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        stream_order_add(o, streams[i], &item[i]);
}

static void a_stream_keeps_its_order_and_others_go_ahead(void **state)
{
    (void)state;
    struct stream_order o = {0};
    add(&o, (uint64_t[]){1, 1, 2, 2}, 4);
    assert_int_equal(launch(&o), 0);
    assert_int_equal(launch(&o), 2);
    assert_int_equal(launch(&o), -1);
    stream_order_end(&o, &item[2], 10);
    assert_int_equal(launch(&o), 3);
    assert_int_equal(launch(&o), -1);
    stream_order_end(&o, &item[0], 20);
    assert_int_equal(launch(&o), 1);
}

static void the_default_stream_waits_for_all_and_all_wait_for_it(void **state)
{
    (void)state;
    struct stream_order o = {0};
    add(&o, (uint64_t[]){1, 2, 0, 1, 2}, 5);
    assert_int_equal(launch(&o), 0);
    assert_int_equal(launch(&o), 1);
    assert_int_equal(launch(&o), -1);
    stream_order_end(&o, &item[0], 10);
    assert_int_equal(launch(&o), -1);
    stream_order_end(&o, &item[1], 20);
    assert_int_equal(launch(&o), 2);
    assert_int_equal(launch(&o), -1);
    stream_order_end(&o, &item[2], 30);
    assert_int_equal(launch(&o), 3);
    assert_int_equal(launch(&o), 4);
}

static void a_barrier_between_two_launches_keeps_them_apart(void **state)
{
    (void)state;
    struct stream_order o = {0};
    stream_order_add(&o, 1, &item[0]);
    stream_order_barrier(&o);
    stream_order_add(&o, 2, &item[1]);
    assert_int_equal(launch(&o), 0);
    assert_int_equal(launch(&o), -1);
    stream_order_end(&o, &item[0], 1);
    assert_int_equal(launch(&o), 1);
}

static void in_serial_order_none_overlap(void **state)
{
    (void)state;
    struct stream_order o = {.serial = true};
    add(&o, (uint64_t[]){1, 2, 3}, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(launch(&o), i);
        assert_int_equal(launch(&o), -1);
        stream_order_end(&o, &item[i], (uint64_t)i);
    }
}

/* Not of the last end, where that is of another stream. */
static void a_launch_is_at_the_last_end_of_what_it_waited_for(void **state)
{
    (void)state;
    struct stream_order o = {0};
    uint64_t cycle;
    add(&o, (uint64_t[]){1, 2, 1, 2}, 4);
    assert_int_equal(launch_at(&o, &cycle), 0);
    assert_int_equal(cycle, 0);
    assert_int_equal(launch(&o), 1);
    stream_order_end(&o, &item[1], 110);
    stream_order_end(&o, &item[0], 100);
    assert_int_equal(launch_at(&o, &cycle), 2);
    assert_int_equal(cycle, 100);
    assert_int_equal(launch_at(&o, &cycle), 3);
    assert_int_equal(cycle, 110);
    stream_order_end(&o, &item[2], 300);
    stream_order_add(&o, 9, &item[4]); /* comes into view with that end */
    assert_int_equal(launch_at(&o, &cycle), 4);
    assert_int_equal(cycle, 300);
}

static void cycles_begin_anew_with_a_new_run(void **state)
{
    (void)state;
    struct stream_order o = {0};
    uint64_t cycle;
    add(&o, (uint64_t[]){1, 1}, 2);
    assert_int_equal(launch(&o), 0);
    stream_order_end(&o, &item[0], 100);
    stream_order_restart(&o);
    assert_int_equal(launch_at(&o, &cycle), 1);
    assert_int_equal(cycle, 0);
}

static void the_window_is_full_at_its_size_and_not_one_before(void **state)
{
    (void)state;
    struct stream_order o = {0};
    for (unsigned i = 0; i < STREAM_WINDOW; i++) {
        assert_false(stream_order_full(&o));
        stream_order_add(&o, i + 1, &item[i]);
    }
    assert_true(stream_order_full(&o));
    for (int i = 0; i < STREAM_WINDOW; i++)
        assert_int_equal(launch(&o), i);
    stream_order_end(&o, &item[5], 1);
    assert_false(stream_order_full(&o));
}

UNIT_TESTS(UNIT(a_stream_keeps_its_order_and_others_go_ahead),
           UNIT(the_default_stream_waits_for_all_and_all_wait_for_it),
           UNIT(a_barrier_between_two_launches_keeps_them_apart), UNIT(in_serial_order_none_overlap),
           UNIT(a_launch_is_at_the_last_end_of_what_it_waited_for), UNIT(cycles_begin_anew_with_a_new_run),
           UNIT(the_window_is_full_at_its_size_and_not_one_before))
