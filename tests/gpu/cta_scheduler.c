/* CTAs leave in grid order, and an SM receives one each so many cycles. */
#include "gpu/cta_scheduler.h"

#include "tests/unit.h"

enum { SMS = 3, FROM = 1500 };

static void an_sm_receives_one_cta_a_cycle_and_all_sms_do_in_the_same(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue[SMS] = {0};
    cta_scheduler_begin(&s, 100, 1);
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint32_t i = 0; i < SMS; i++)
            cta_scheduler_place(&s, &queue[i], slot, FROM);
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

static void an_sm_receives_a_cta_each_so_many_cycles(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue = {0};
    const uint32_t from[] = {FROM, FROM, FROM, FROM + 25, FROM + 25, FROM + 100};
    const uint32_t expected[] = {FROM, FROM + 10, FROM + 20, FROM + 30, FROM + 40, FROM + 100};
    cta_scheduler_begin(&s, 100, 10);
    for (uint32_t i = 0; i < 6; i++) {
        cta_scheduler_place(&s, &queue, i, from[i]);
        assert_int_equal(queue.start[i].cycle, expected[i]);
    }
}

UNIT_TESTS(UNIT(an_sm_receives_one_cta_a_cycle_and_all_sms_do_in_the_same),
           UNIT(an_sm_receives_a_cta_each_so_many_cycles))
