/* CTAs leave in grid order. An SM receives one each so many cycles, and replaces those that have ended more slowly. */
#include "gpu/cta_scheduler.h"

#include "tests/unit.h"

enum { SMS = 3, FROM = 1500 };

static void an_sm_receives_one_cta_a_cycle_and_all_sms_do_in_the_same(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue[SMS] = {0};
    cta_scheduler_begin(&s, 100, (struct cta_pace){.interval = 1, .replacement = 150 * CTA_TICKS});
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint32_t i = 0; i < SMS; i++)
            cta_scheduler_place(&s, &queue[i], &(struct cta_placement){.slot = (uint8_t)(slot)}, FROM);
    for (uint32_t i = 0; i < SMS; i++) {
        assert_int_equal(queue[i].count, 2);
        for (uint32_t slot = 0; slot < 2; slot++) {
            assert_int_equal(queue[i].start[slot].order, slot * SMS + i);
            assert_int_equal(queue[i].start[slot].place.slot, slot);
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
    cta_scheduler_begin(&s, 100, (struct cta_pace){.interval = 10});
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(cta_scheduler_place(&s, &queue, &(struct cta_placement){.slot = (uint8_t)(i)}, from[i]),
                         expected[i]);
        assert_int_equal(queue.start[i].cycle, expected[i]);
    }
}

/* Starts of `count` CTAs on each SM, all of which have others' places from FROM on. */
static void replace(struct cta_scheduler *s, struct cta_queue queue[SMS], uint32_t count)
{
    memset(queue, 0, SMS * sizeof *queue);
    for (uint32_t slot = 0; slot < count; slot++)
        for (uint32_t i = 0; i < SMS; i++)
            cta_scheduler_replace(s, &queue[i], &(struct cta_placement){.slot = (uint8_t)(slot)}, FROM);
}

static void an_sm_replaces_ctas_one_after_another_whatever_other_sms_do(void **state)
{
    (void)state;
    struct config_launch launch = {.cta_interval = 1, .cta_replacement = 152, .warp_replacement = 1.75};
    struct cta_scheduler s;
    struct cta_queue queue[SMS];
    static const struct {
        uint32_t warps;
        double cycles;
    } rows[] = {{1, 153.75}, {8, 166}, {32, 208}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        cta_scheduler_begin(&s, 100, cta_pace(&launch, rows[r].warps));
        replace(&s, queue, 8);
        for (uint32_t i = 0; i < SMS; i++)
            for (uint32_t slot = 0; slot < 8; slot++)
                assert_int_equal(queue[i].start[slot].cycle, (uint64_t)(FROM + slot * rows[r].cycles));
        /* one that ends later waits for nobody */
        assert_int_equal(cta_scheduler_replace(&s, &queue[0], &(struct cta_placement){.slot = (uint8_t)(8)}, 9000),
                         9000);
        assert_int_equal(cta_scheduler_replace(&s, &queue[0], &(struct cta_placement){.slot = (uint8_t)(9)}, 9001),
                         (uint64_t)(9000 + rows[r].cycles));
    }
}

static void with_a_limit_of_the_gpu_its_sms_wait_for_each_other(void **state)
{
    (void)state;
    struct config_launch launch = {.cta_interval = 1, .gpu_replacement = 1.5};
    struct cta_scheduler s;
    struct cta_queue queue[SMS];
    cta_scheduler_begin(&s, 100, cta_pace(&launch, 1));
    replace(&s, queue, 8);
    for (uint32_t slot = 0; slot < 8; slot++)
        for (uint32_t i = 0; i < SMS; i++)
            assert_int_equal(queue[i].start[slot].cycle, (uint64_t)(FROM + 1.5 * (slot * SMS + i)));
}

UNIT_TESTS(UNIT(an_sm_receives_one_cta_a_cycle_and_all_sms_do_in_the_same),
           UNIT(an_sm_receives_a_cta_each_so_many_cycles),
           UNIT(an_sm_replaces_ctas_one_after_another_whatever_other_sms_do),
           UNIT(with_a_limit_of_the_gpu_its_sms_wait_for_each_other))
