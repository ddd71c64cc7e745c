/* CTAs leave in grid order: a first round over the SMs, then one for each that ends. */
#include "gpu/cta_scheduler.h"

#include "tests/unit.h"

enum { SMS = 3, FROM = 1500 };

static void first_round(struct cta_scheduler *s, struct cta_queue queue[SMS], uint32_t slots)
{
    for (uint32_t slot = 0; slot < slots; slot++) {
        for (uint32_t i = 0; i < SMS; i++)
            cta_scheduler_place(s, &queue[i], slot, FROM);
    }
}

static void the_first_round_goes_over_the_sms_and_each_receives_one_cta_a_cycle(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue[SMS] = {0};
    cta_scheduler_begin(&s, 100, 1);
    first_round(&s, queue, 2);
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(queue[i].count, 2);
        for (uint32_t slot = 0; slot < 2; slot++) {
            assert_int_equal(queue[i].start[slot].linear, slot * SMS + i);
            assert_int_equal(queue[i].start[slot].cta_slot, slot);
            assert_int_equal(queue[i].start[slot].cycle, FROM + slot);
        }
    }
    assert_int_equal(s.next, 6);
}

static void a_small_grid_leaves_later_sms_without_a_cta(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue[SMS] = {0};
    cta_scheduler_begin(&s, 4, 1);
    first_round(&s, queue, 2);
    assert_int_equal(queue[0].count, 2);
    assert_int_equal(queue[1].count, 1);
    assert_int_equal(queue[2].count, 1);
    assert_int_equal(queue[0].start[1].linear, 3);
}

static void an_sm_receives_a_cta_each_so_many_cycles(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue = {0};
    cta_scheduler_begin(&s, 100, 10);
    for (uint32_t slot = 0; slot < 3; slot++)
        cta_scheduler_place(&s, &queue, slot, FROM);
    assert_int_equal(queue.start[0].cycle, FROM);
    assert_int_equal(queue.start[1].cycle, FROM + 10);
    assert_int_equal(queue.start[2].cycle, FROM + 20);
    cta_scheduler_replace(&s, &queue, 0, FROM + 25);
    cta_scheduler_replace(&s, &queue, 1, FROM + 25);
    cta_scheduler_replace(&s, &queue, 2, FROM + 100);
    assert_int_equal(queue.start[3].cycle, FROM + 30);
    assert_int_equal(queue.start[4].cycle, FROM + 40);
    assert_int_equal(queue.start[5].cycle, FROM + 100);
}

static void a_cta_that_ends_is_replaced_in_its_slot_until_the_grid_is_done(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue[SMS] = {0};
    cta_scheduler_begin(&s, 7, 1);
    first_round(&s, queue, 2);
    cta_scheduler_replace(&s, &queue[2], 1, 9000);
    assert_int_equal(queue[2].count, 3);
    assert_int_equal(queue[2].start[2].linear, 6);
    assert_int_equal(queue[2].start[2].cta_slot, 1);
    assert_int_equal(queue[2].start[2].cycle, 9000);
    cta_scheduler_replace(&s, &queue[0], 0, 9001);
    assert_int_equal(queue[0].count, 2);
    assert_int_equal(s.done, 2);
    assert_int_equal(s.next, 7);
}

UNIT_TESTS(UNIT(the_first_round_goes_over_the_sms_and_each_receives_one_cta_a_cycle),
           UNIT(a_small_grid_leaves_later_sms_without_a_cta), UNIT(an_sm_receives_a_cta_each_so_many_cycles),
           UNIT(a_cta_that_ends_is_replaced_in_its_slot_until_the_grid_is_done))
