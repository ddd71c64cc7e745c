/* Ranges of copies that are joined. */
#include "accelsim/copies.h"

#include <stdlib.h>

#include "tests/unit.h"

static struct copies *make(void)
{
    struct copies *c = calloc(1, sizeof *c);
    assert_non_null(c);
    return c;
}

static void check(const struct copies *c, uint32_t index, uint64_t first, uint64_t last)
{
    assert_true(index < c->count);
    assert_int_equal(c->range[index].first, first);
    assert_int_equal(c->range[index].last, last);
}

static void a_run_of_neighbours_upwards_is_one_range_at_once(void **state)
{
    (void)state;
    struct copies *c = make();
    for (uint64_t i = 0; i < 4 * (uint64_t)COPIES_MOST; i++)
        assert_true(copies_add(c, 4 * i, 4));
    assert_int_equal(c->count, 1);
    check(c, 0, 0, 16 * (uint64_t)COPIES_MOST - 1);
    free(c);
}

static void ranges_in_any_order_are_joined_when_there_is_no_more_room(void **state)
{
    (void)state;
    struct copies *c = make();
    for (uint64_t i = 4 * (uint64_t)COPIES_MOST; i-- > 0;) /* downwards */
        assert_true(copies_add(c, 4 * i, 4));
    assert_true(c->count <= COPIES_MOST);
    copies_join(c);
    assert_int_equal(c->count, 1);
    check(c, 0, 0, 16 * (uint64_t)COPIES_MOST - 1);
    free(c);
}

static void a_range_inside_of_another_does_not_shorten_it(void **state)
{
    (void)state;
    struct copies *c = make();
    copies_add(c, 100, 100);
    copies_add(c, 150, 10);
    copies_add(c, 120, 10);
    copies_add(c, 200, 1);
    copies_add(c, 202, 1);
    copies_join(c);
    assert_int_equal(c->count, 2);
    check(c, 0, 100, 200);
    check(c, 1, 202, 202);
    free(c);
}

static void the_last_byte_of_the_address_space_has_no_neighbour(void **state)
{
    (void)state;
    struct copies *c = make();
    copies_add(c, UINT64_MAX, 1);
    copies_add(c, 0, 1);
    copies_add(c, UINT64_MAX - 9, 100); /* cut at the end */
    copies_add(c, 5, 0);
    copies_join(c);
    assert_int_equal(c->count, 2);
    check(c, 0, 0, 0);
    check(c, 1, UINT64_MAX - 9, UINT64_MAX);
    copies_add(c, 0, UINT64_MAX);
    copies_join(c);
    check(c, 0, 0, UINT64_MAX);
    assert_int_equal(c->count, 1);
    free(c);
}

static void it_is_full_when_joining_leaves_more_than_half(void **state)
{
    (void)state;
    struct copies *c = make();
    for (uint64_t i = 0; i < COPIES_MOST; i++)
        assert_true(copies_add(c, 8 * i, 4));
    assert_false(copies_add(c, 8 * (uint64_t)COPIES_MOST, 4));
    assert_int_equal(c->count, COPIES_MOST);
    c->count = COPIES_MOST / 2;
    for (uint64_t i = COPIES_MOST / 2; i < COPIES_MOST; i++) /* the other half again and again */
        assert_true(copies_add(c, 8 * (i % 2), 4));
    assert_true(copies_add(c, 8 * (uint64_t)COPIES_MOST, 4));
    assert_int_equal(c->count, COPIES_MOST / 2 + 1);
    free(c);
}

UNIT_TESTS(UNIT(a_run_of_neighbours_upwards_is_one_range_at_once),
           UNIT(ranges_in_any_order_are_joined_when_there_is_no_more_room),
           UNIT(a_range_inside_of_another_does_not_shorten_it),
           UNIT(the_last_byte_of_the_address_space_has_no_neighbour),
           UNIT(it_is_full_when_joining_leaves_more_than_half))
