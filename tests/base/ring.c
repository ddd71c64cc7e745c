#include "base/ring.h"
#include "tests/unit.h"

RING(port, int, 4)

static void a_message_is_invisible_before_its_ready_cycle(void **state)
{
    (void)state;
    struct port p = {0};
    assert_true(port_empty(&p));
    *port_push(&p, 10) = 7;
    assert_false(port_ready(&p, 9));
    assert_true(port_ready(&p, 10));
    assert_int_equal(*port_front(&p), 7);
}

static void messages_leave_in_the_order_of_entry_even_if_a_later_one_is_ready_first(void **state)
{
    (void)state;
    struct port p = {0};
    *port_push(&p, 20) = 1;
    *port_push(&p, 5) = 2;
    assert_false(port_ready(&p, 19));
    assert_int_equal(port_next(&p), 20);
    port_pop(&p);
    assert_true(port_ready(&p, 5));
    assert_int_equal(*port_front(&p), 2);
}

static void a_ring_is_full_at_its_capacity_and_not_one_before(void **state)
{
    (void)state;
    struct port p = {0};
    for (int i = 0; i < 3; i++)
        *port_push(&p, 0) = i;
    assert_false(port_full(&p));
    *port_push(&p, 0) = 3;
    assert_true(port_full(&p));
    assert_int_equal(port_count(&p), 4);
    port_pop(&p);
    assert_false(port_full(&p));
}

static void an_empty_ring_is_never_ready(void **state)
{
    (void)state;
    struct port p = {0};
    assert_false(port_ready(&p, UINT64_MAX));
    assert_true(port_next(&p) == UINT64_MAX);
}

static void the_counters_may_wrap_around(void **state)
{
    (void)state;
    struct port p = {.head = UINT32_MAX - 1, .tail = UINT32_MAX - 1};
    for (int i = 0; i < 4; i++)
        *port_push(&p, 0) = i;
    assert_true(port_full(&p));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(*port_front(&p), i);
        port_pop(&p);
    }
    assert_true(port_empty(&p));
}

UNIT_TESTS(UNIT(a_message_is_invisible_before_its_ready_cycle),
           UNIT(messages_leave_in_the_order_of_entry_even_if_a_later_one_is_ready_first),
           UNIT(a_ring_is_full_at_its_capacity_and_not_one_before), UNIT(an_empty_ring_is_never_ready),
           UNIT(the_counters_may_wrap_around))
