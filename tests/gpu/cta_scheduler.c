/* CTAs leave in grid order. An SM receives one each so many cycles, and replaces those that have ended more slowly. */
#include "gpu/cta_scheduler.h"

#include "tests/unit.h"

enum { SMS = 3, FROM = 1500 };

static const struct cta_arrangement in_order = {.order = CONFIG_CTA_ORDER_GRID, .group = 1, .groups = 100};

static void an_sm_receives_one_cta_a_cycle_and_all_sms_do_in_the_same(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue[SMS] = {0};
    cta_scheduler_begin(&s, 100, (struct cta_pace){.interval = 1, .replacement = 150 * CTA_TICKS}, &in_order);
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

static void warps_of_a_cta_keep_its_sm_from_the_next(void **state)
{
    (void)state;
    const struct config_launch launch = {.cta_interval = 2, .warp_interval = 6};
    for (uint32_t warps = 1; warps <= 8; warps++) {
        struct cta_scheduler s;
        struct cta_queue queue = {0};
        cta_scheduler_begin(&s, 100, cta_pace(&launch, warps), &in_order);
        for (uint32_t slot = 0; slot < 4; slot++)
            cta_scheduler_place(&s, &queue, &(struct cta_placement){.slot = (uint8_t)slot}, FROM);
        for (uint32_t slot = 0; slot < 4; slot++)
            assert_int_equal(queue.start[slot].cycle, FROM + slot * (2 + 6 * warps));
    }
}

static void an_sm_receives_a_cta_each_so_many_cycles(void **state)
{
    (void)state;
    struct cta_scheduler s;
    struct cta_queue queue = {0};
    const uint32_t from[] = {FROM, FROM, FROM, FROM + 25, FROM + 25, FROM + 100};
    const uint32_t expected[] = {FROM, FROM + 10, FROM + 20, FROM + 30, FROM + 40, FROM + 100};
    cta_scheduler_begin(&s, 100, (struct cta_pace){.interval = 10}, &in_order);
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
        cta_scheduler_begin(&s, 100, cta_pace(&launch, rows[r].warps), &in_order);
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
    cta_scheduler_begin(&s, 100, cta_pace(&launch, 1), &in_order);
    replace(&s, queue, 8);
    for (uint32_t slot = 0; slot < 8; slot++)
        for (uint32_t i = 0; i < SMS; i++)
            assert_int_equal(queue[i].start[slot].cycle, (uint64_t)(FROM + 1.5 * (slot * SMS + i)));
}

static void each_order_has_every_cta_once_and_keeps_clusters_together(void **state)
{
    (void)state;
    static const enum config_cta_order orders[] = {CONFIG_CTA_ORDER_GRID, CONFIG_CTA_ORDER_REVERSED,
                                                   CONFIG_CTA_ORDER_SCATTERED};
    static const uint64_t sizes[] = {1, 2, 3, 12, 97, 1000};
    for (unsigned o = 0; o < 3; o++)
        for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++)
            for (uint32_t group = 1; group <= 4; group += 3) {
                bool seen[4000] = {false};
                struct cta_arrangement a = cta_arrange(orders[o], sizes[n] * group, group);
                for (uint64_t i = 0; i < sizes[n] * group; i++) {
                    uint64_t number = cta_number(&a, i);
                    assert_in_range(number, 0, sizes[n] * group - 1);
                    assert_false(seen[number]);
                    seen[number] = true;
                    assert_int_equal(number % group, i % group);
                }
            }
}

static void orders_differ(void **state)
{
    (void)state;
    struct cta_arrangement reversed = cta_arrange(CONFIG_CTA_ORDER_REVERSED, 100, 1);
    struct cta_arrangement scattered = cta_arrange(CONFIG_CTA_ORDER_SCATTERED, 100, 1);
    struct cta_arrangement pairs = cta_arrange(CONFIG_CTA_ORDER_REVERSED, 100, 2);
    assert_int_equal(cta_number(&reversed, 0), 99);
    assert_int_equal(cta_number(&scattered, 1), 61);
    assert_int_equal(cta_number(&scattered, 2), 22);
    assert_int_equal(cta_number(&pairs, 0), 98);
    assert_int_equal(cta_number(&pairs, 1), 99);
}

UNIT_TESTS(UNIT(an_sm_receives_one_cta_a_cycle_and_all_sms_do_in_the_same),
           UNIT(an_sm_receives_a_cta_each_so_many_cycles), UNIT(warps_of_a_cta_keep_its_sm_from_the_next),
           UNIT(an_sm_replaces_ctas_one_after_another_whatever_other_sms_do),
           UNIT(with_a_limit_of_the_gpu_its_sms_wait_for_each_other),
           UNIT(each_order_has_every_cta_once_and_keeps_clusters_together), UNIT(orders_differ))
