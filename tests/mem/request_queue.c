#include "mem/request_queue.h"

#include "tests/unit.h"

static struct arena arena;
static struct request_pool pool;
static struct request_queue queue;

static int setup(void **state)
{
    (void)state;
    request_queue_reset(&queue);
    return request_pool_create(&pool, &arena) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void push(uint64_t arrival, unsigned sm, unsigned token)
{
    uint32_t index = request_pool_take(&pool);
    pool.entry[index].request =
        (struct request){.arrival = arrival, .sm = (uint16_t)sm, .token = (uint16_t)token, .sectors = 1};
    request_queue_push(&queue, &pool, index);
}

static int pop(uint64_t end)
{
    if (request_queue_next(&queue, &pool, end) == UINT64_MAX)
        return -1;
    uint32_t index = request_queue_take(&queue, &pool);
    int token = pool.entry[index].request.token;
    request_pool_release(&pool, index);
    return token;
}

static void the_next_arrival_is_told_before_it_is_taken(void **state)
{
    (void)state;
    push(130, 0, 1);
    push(100, 0, 0);
    assert_true(request_queue_next(&queue, &pool, 100) == UINT64_MAX);
    assert_int_equal(request_queue_next(&queue, &pool, 200), 100);
    assert_int_equal(pop(200), 0);
    assert_int_equal(request_queue_next(&queue, &pool, 200), 130);
    assert_int_equal(queue.count, 1);
}

static void the_pool_counts_what_is_taken_and_grows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5000; i++)
        assert_int_equal(request_pool_take(&pool), i);
    assert_int_equal(pool.count, 5000);
    request_pool_release(&pool, 77);
    assert_int_equal(pool.count, 4999);
    assert_int_equal(request_pool_take(&pool), 77);
    request_pool_reset(&pool);
    assert_int_equal(pool.count, 0);
}

static void a_request_is_not_taken_before_its_cycle(void **state)
{
    (void)state;
    push(100, 0, 1);
    assert_int_equal(pop(100), -1);
    assert_int_equal(pop(101), 1);
    assert_int_equal(pop(1000), -1);
    assert_int_equal(queue.count, 0);
}

static void requests_come_by_arrival_then_sm_then_order_of_sending(void **state)
{
    (void)state;
    push(200, 3, 6);
    push(200, 3, 7);
    push(150, 4, 2);
    push(200, 1, 4);
    push(200, 1, 5);
    push(150, 0, 1);
    push(160, 9, 3);
    push(200, 2, 60);
    int expected[] = {1, 2, 3, 4, 5, 60, 6, 7, -1};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(pop(1000), expected[i]);
}

static void requests_beyond_the_window_keep_the_order(void **state)
{
    (void)state;
    push(5000, 2, 1);
    push(5000, 7, 4);
    push(90000, 0, 5);
    assert_int_equal(pop(4500), -1);
    push(5000, 2, 2);
    push(5000, 3, 3);
    push(4500, 1, 0);
    for (int i = 0; i <= 4; i++)
        assert_int_equal(pop(6000), i);
    assert_int_equal(pop(90000), -1);
    assert_int_equal(pop(90001), 5);
}

static void the_last_cycle_of_the_window_and_the_first_beyond_it_come_in_order(void **state)
{
    (void)state;
    assert_int_equal(pop(777), -1);
    push(777 + REQUEST_WINDOW, 0, 2);
    push(777 + REQUEST_WINDOW - 1, 0, 1);
    push(777, 0, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pop(UINT64_MAX), i);
}

/* Against sorting, in rounds of a quantum, with more requests than the first pool holds. */
static void many_requests_come_in_the_order_of_a_stable_sort(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    static uint64_t key[COUNT];
    uint64_t seed = 1, popped = 0, last = 0, now = 0;
    unsigned sent = 0;
    for (unsigned round = 0; popped < COUNT; round++) {
        for (unsigned i = 0; i < 3000 && sent < COUNT; i++, sent++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint64_t arrival = now + (seed >> 33) % (round % 3 == 0 ? 5000 : 300);
            unsigned sm = i / 30;
            key[sent] = arrival << 32 | (uint64_t)sm << 24;
            push(arrival, sm, sent);
        }
        now += 300;
        for (int token; (token = pop(now)) >= 0; popped++) {
            uint64_t k = key[token] | (uint64_t)token; /* tokens stay below 2^24 */
            assert_true(k > last);
            assert_true(key[token] >> 32 < now);
            last = k;
        }
    }
    assert_int_equal(popped, COUNT);
}

static void the_first_arrival_is_told_without_time_passing(void **state)
{
    (void)state;
    assert_true(request_queue_first(&queue) == UINT64_MAX);
    push(100000, 0, 1);
    assert_int_equal(request_queue_first(&queue), 100000);
    push(30, 0, 2);
    assert_int_equal(request_queue_first(&queue), 30);
    push(20, 0, 3);
    assert_int_equal(request_queue_first(&queue), 20);
    assert_int_equal(queue.now, 0);
}

static void reset_empties_the_queue_and_turns_time_back(void **state)
{
    (void)state;
    push(10, 0, 1);
    push(100000, 0, 2);
    assert_int_equal(pop(50), 1);
    request_queue_reset(&queue);
    request_pool_reset(&pool);
    assert_int_equal(queue.count, 0);
    push(5, 0, 3);
    assert_int_equal(pop(UINT64_MAX), 3);
    assert_int_equal(pop(UINT64_MAX), -1);
}

#define QUEUE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS(QUEUE_TEST(the_next_arrival_is_told_before_it_is_taken), QUEUE_TEST(the_pool_counts_what_is_taken_and_grows),
           QUEUE_TEST(a_request_is_not_taken_before_its_cycle),
           QUEUE_TEST(requests_come_by_arrival_then_sm_then_order_of_sending),
           QUEUE_TEST(requests_beyond_the_window_keep_the_order),
           QUEUE_TEST(the_last_cycle_of_the_window_and_the_first_beyond_it_come_in_order),
           QUEUE_TEST(many_requests_come_in_the_order_of_a_stable_sort),
           QUEUE_TEST(the_first_arrival_is_told_without_time_passing),
           QUEUE_TEST(reset_empties_the_queue_and_turns_time_back))
