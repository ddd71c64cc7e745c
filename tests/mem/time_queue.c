#include "mem/time_queue.h"

#include "base/hash.h"
#include "tests/unit.h"

static struct arena arena;
static struct time_queue queue;

static int setup(void **state)
{
    (void)state;
    return time_queue_create(&queue, &arena) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void entries_come_by_time_and_equal_ones_by_order(void **state)
{
    (void)state;
    const uint64_t time[] = {7, 5, 7, 5000, 5, 5000, 6};
    const unsigned order[] = {1, 4, 6, 0, 2, 3, 5};
    uint32_t number[7];
    for (unsigned i = 0; i < 7; i++)
        number[i] = time_queue_add(&queue, time[i]);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(time_queue_take(&queue, 5001), number[order[i]]);
    assert_int_equal(time_queue_take(&queue, 6000), TIME_QUEUE_NONE);
}

static void an_entry_is_taken_before_the_end_and_not_at_it(void **state)
{
    (void)state;
    uint32_t near = time_queue_add(&queue, 40), far = time_queue_add(&queue, 4000);
    assert_int_equal(time_queue_take(&queue, 40), TIME_QUEUE_NONE);
    assert_int_equal(time_queue_take(&queue, 41), near);
    assert_int_equal(time_queue_take(&queue, 4000), TIME_QUEUE_NONE);
    assert_int_equal(time_queue_take(&queue, 4001), far);
}

static void an_earlier_entry_of_a_later_call_comes_first(void **state)
{
    (void)state;
    uint32_t late = time_queue_add(&queue, 90);
    assert_int_equal(time_queue_take(&queue, 50), TIME_QUEUE_NONE);
    uint32_t early = time_queue_add(&queue, 50);
    assert_int_equal(time_queue_take(&queue, 100), early);
    assert_int_equal(time_queue_take(&queue, 100), late);
}

static void nothing_is_lost_or_disordered_whatever_comes(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    static uint64_t time_of[MANY];
    static uint32_t order_of[MANY];
    uint32_t added = 0, taken = 0;
    for (uint64_t end = 64; taken < MANY; end += 64) {
        for (unsigned i = 0; i < 200 && added < MANY; i++, added++) {
            uint64_t hash = hash_mix(added);
            uint64_t time = end - 64 + hash % (hash >> 60 ? 300 : 9000);
            uint32_t number = time_queue_add(&queue, time);
            assert_true(number < MANY);
            time_of[number] = time;
            order_of[number] = added;
        }
        uint64_t last = 0;
        uint32_t before = 0;
        for (uint32_t n; (n = time_queue_take(&queue, end)) != TIME_QUEUE_NONE; taken++) {
            assert_in_range(time_of[n], end - 64, end - 1);
            assert_true(time_of[n] > last || (time_of[n] == last && order_of[n] >= before));
            last = time_of[n];
            before = order_of[n];
        }
    }
    assert_int_equal(queue.count, 0);
}

#define QUEUE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS(QUEUE_TEST(entries_come_by_time_and_equal_ones_by_order),
           QUEUE_TEST(an_entry_is_taken_before_the_end_and_not_at_it),
           QUEUE_TEST(an_earlier_entry_of_a_later_call_comes_first),
           QUEUE_TEST(nothing_is_lost_or_disordered_whatever_comes))
