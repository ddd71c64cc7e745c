#include "mem/l2_slice.h"
#include "tests/mem/l2_rig.h"

enum { NEAR, FAR }; /* slices at which a request enters; line 0 and all others are at home in slice NEAR */

enum { FAR_HIT = HIT + 2 * LINK, FAR_MISS = MISS + 2 * LINK };

static struct request load(unsigned sectors, unsigned token) { return rig_request(REQUEST_LOAD, sectors, token); }

static struct request strong(enum request_kind kind, unsigned sectors, unsigned token)
{
    struct request request = rig_request(kind, sectors, token);
    request.effect = true;
    return request;
}

static void start(void)
{
    rig_two_partitions(rig);
    rig_start(rig);
}

static unsigned copies(void) { return rig->slice[FAR].tags.resident[L2_COPY]; }

static void a_far_access_crosses_the_link_twice(void **state)
{
    (void)state;
    start();
    assert_int_equal(rig_access_at(rig, NEAR, 1000, load(1, 0), 7), 1000 + MISS);
    assert_int_equal(rig_access_at(rig, NEAR, 2000, load(1, 0), 7), 2000 + HIT);
    assert_int_equal(rig_access_at(rig, FAR, 3000, load(1, 0), 7), 3000 + FAR_HIT);
    assert_int_equal(rig_access_at(rig, FAR, 4000, load(1, 0), 8), 4000 + FAR_MISS);
    assert_int_equal(rig->n.l2_requests_crossed, 2);
    assert_int_equal(rig->n.l2_sectors_read, 4);
    assert_int_equal(rig->n.l2_sectors_read_hit, 2);
}

static void the_answer_of_a_weak_load_leaves_a_copy(void **state)
{
    (void)state;
    start();
    rig_access_at(rig, FAR, 1000, load(3, 0), 7);
    assert_int_equal(copies(), 1);
    assert_int_equal(rig_access_at(rig, FAR, 2000, load(1, 0), 7), 2000 + HIT);
    assert_int_equal(rig_access_at(rig, FAR, 3000, load(4, 0), 7), 3000 + FAR_MISS); /* that sector was not brought */
    assert_int_equal(rig_access_at(rig, FAR, 4000, load(7, 0), 7), 4000 + 2 + HIT);
    assert_int_equal(rig->n.l2_sectors_copy, 4);
    assert_int_equal(rig->n.l2_requests, 4);
    assert_int_equal(rig->n.l2_sectors_read, 7);
    assert_int_equal(rig->n.l2_sectors_passed, 3); /* those that its half did not have */
    assert_int_equal(rig->n.l2_sectors_passed_load, 3);
}

static void without_copies_every_far_load_crosses(void **state)
{
    (void)state;
    rig->config.l2.copies = false;
    start();
    rig_access_at(rig, FAR, 1000, load(1, 0), 7);
    assert_int_equal(rig_access_at(rig, FAR, 2000, load(1, 0), 7), 2000 + FAR_HIT);
    assert_int_equal(copies(), 0);
}

static void strong_loads_and_atomics_go_home_past_a_copy(void **state)
{
    (void)state;
    start();
    rig_access_at(rig, FAR, 1000, load(1, 0), 7);
    assert_int_equal(rig_access_at(rig, FAR, 2000, strong(REQUEST_LOAD, 1, 5), 7), 2000 + FAR_HIT);
    assert_int_equal(rig->applies, 1);
    assert_int_equal(rig->applied[0].token, 5);
    assert_int_equal(copies(), 1);
    assert_int_equal(rig_access_at(rig, FAR, 3000, load(1, 0), 7), 3000 + HIT);
    assert_int_equal(rig_access_at(rig, FAR, 4000, strong(REQUEST_ATOMIC, 1, 6), 7), 4000 + FAR_HIT);
    assert_int_equal(copies(), 0);
}

static void a_store_takes_the_copy_it_passes(void **state)
{
    (void)state;
    start();
    rig_access_at(rig, FAR, 1000, load(3, 0), 7);
    assert_int_equal(rig_access_at(rig, FAR, 2000, strong(REQUEST_STORE, 1, 1), 7), 2000 + FAR_HIT);
    assert_int_equal(copies(), 1); /* the other sector */
    assert_int_equal(rig_access_at(rig, FAR, 3000, load(2, 0), 7), 3000 + HIT);
    assert_int_equal(rig_access_at(rig, FAR, 4000, load(1, 0), 7), 4000 + FAR_HIT);
    assert_int_equal(rig->n.l2_copies_dropped, 0); /* no order was needed */
    assert_int_equal(rig->slice[NEAR].tags.dirty, 1);
    assert_int_equal(rig->slice[FAR].tags.dirty, 0);
}

static void a_store_at_home_orders_the_copy_away(void **state)
{
    (void)state;
    start();
    rig_access_at(rig, FAR, 1000, load(1, 0), 7);
    rig_access_at(rig, NEAR, 2000, strong(REQUEST_STORE, 2, 1), 7); /* a sector without a copy */
    assert_int_equal(rig->n.l2_copies_dropped, 0);
    rig_access_at(rig, NEAR, 3000, strong(REQUEST_STORE, 1, 1), 7);
    assert_int_equal(rig->n.l2_copies_dropped, 1);
    assert_int_equal(copies(), 0);
    rig_access_at(rig, NEAR, 4000, strong(REQUEST_STORE, 1, 1), 7);
    assert_int_equal(rig->n.l2_copies_dropped, 1);
    assert_int_equal(rig_access_at(rig, FAR, 5000, load(1, 0), 7), 5000 + FAR_HIT);
}

static void a_copy_that_was_written_while_it_was_on_its_way_is_not_kept(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = i % 2 ? FAR : NEAR;
        if (i >= 2)
            rig->config.l2.mshrs = 1; /* none for copies */
        start();
        rig_access_at(rig, NEAR, 1000, load(1, 0), 7);
        rig_send_at(rig, FAR, 2000, load(1, 1), 7);
        /* At home after the load: from the near side directly, from the far side behind it on the link. */
        rig_send_at(rig, from, 2000 + (from == NEAR ? LINK + 1 : 1), strong(REQUEST_STORE, 1, 2), 7);
        rig_run(rig, RIG_FOREVER);
        assert_int_equal(rig_arrival(rig, 1), 2000 + FAR_HIT);
        assert_int_equal(copies(), 0);
        rig_free(rig);
        rig = rig_new();
    }
    start();
}

static void loads_for_a_copy_merge_at_the_mirror(void **state)
{
    (void)state;
    start();
    rig_send_at(rig, FAR, 1000, load(1, 0), 7);
    rig_send_at(rig, FAR, 1010, load(3, 1), 7);
    rig_send_at(rig, FAR, 1020, load(3, 2), 7);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig->n.l2_requests_crossed, 2);
    assert_int_equal(rig_arrival(rig, 0), 1000 + FAR_MISS);
    assert_int_equal(rig_arrival(rig, 1), 1011 + FAR_MISS);
    assert_int_equal(rig_arrival(rig, 2), 1011 + FAR_MISS); /* the request that crossed had two sectors' turns */
    assert_int_equal(rig->fills_begun, 2);
    assert_int_equal(rig->n.l2_sectors_read, 5);
}

static void a_load_that_waits_for_a_copy_is_not_faster_than_a_hit(void **state)
{
    (void)state;
    start();
    rig_access_at(rig, NEAR, 500, load(1, 9), 7);
    rig_send_at(rig, FAR, 1000, load(1, 0), 7);
    rig_send_at(rig, FAR, 1000 + 2 * LINK + L2 - 1, load(1, 1), 7); /* a cycle before the answer comes */
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 1000 + FAR_HIT);
    assert_int_equal(rig_arrival(rig, 1), 1000 + 2 * LINK + L2 - 1 + HIT);
}

static void copies_go_before_lines_at_home_but_may_take_their_place(void **state)
{
    (void)state;
    start();
    /* Slice FAR is also home to lines. In the rig those come as requests whose home it is. */
    uint64_t of_set[6];
    for (unsigned i = 0; i < 6; i++)
        of_set[i] = rig_line_of_set(rig, 5, i);
    for (unsigned i = 0; i < 3; i++)
        rig_access_at(rig, FAR, 1000 * (i + 1), load(1, 0), of_set[i]);
    rig_home_at(rig, FAR, 5000, load(1, 0), of_set[3]); /* the set is full */
    rig_home_at(rig, FAR, 6000, load(1, 0), of_set[4]);
    assert_int_equal(copies(), 2);
    assert_int_equal(rig->slice[FAR].tags.resident[L2_NORMAL], 2);
    assert_int_equal(rig_access_at(rig, FAR, 7000, load(1, 0), of_set[2]), 7000 + HIT);
    assert_int_equal(rig_access_at(rig, FAR, 8000, load(1, 0), of_set[0]), 8000 + FAR_HIT); /* for of_set[1] */
    assert_int_equal(copies(), 2);
    for (unsigned i = 0; i < 4; i++)
        rig_home_at(rig, FAR, 9000 + 1000 * i, load(1, 0), of_set[i]);
    assert_int_equal(copies(), 0);
    rig_access_at(rig, FAR, 15000, load(1, 0), of_set[5]);
    assert_int_equal(copies(), 1);
}

static void a_line_that_leaves_its_home_takes_its_copy_along(void **state)
{
    (void)state;
    start();
    rig_access_at(rig, FAR, 1000, load(1, 0), rig_line_of_set(rig, 5, 0));
    for (unsigned i = 1; i <= 4; i++)
        rig_access_at(rig, NEAR, 1000 + 1000 * i, load(1, 0), rig_line_of_set(rig, 5, i));
    assert_int_equal(rig->n.l2_copies_dropped, 1);
    assert_int_equal(copies(), 0);
}

static void a_load_without_a_register_for_a_copy_goes_on_and_its_answer_leaves_one(void **state)
{
    (void)state;
    rig->config.l2.mshrs = 4; /* two for copies */
    start();
    for (unsigned i = 0; i < 4; i++)
        rig_send_at(rig, FAR, 1000 + i, load(1, i), i);
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rig_arrival(rig, i), 1000 + i + FAR_MISS);
    assert_int_equal(rig->n.l2_requests_crossed, 4);
    assert_int_equal(copies(), 4);
    assert_int_equal(rig->slice[FAR].copies_pending, 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rig_access_at(rig, FAR, 5000 + 1000 * i, load(1, i), i), 5000 + 1000 * i + HIT);
}

static void loads_that_find_no_register_do_not_merge(void **state)
{
    (void)state;
    rig->config.l2.mshrs = 1; /* none for copies */
    start();
    rig_access_at(rig, NEAR, 500, load(3, 9), 7);
    rig_send_at(rig, FAR, 1000, load(1, 0), 7);
    rig_send_at(rig, FAR, 1010, load(2, 1), 7);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 1000 + FAR_HIT);
    assert_int_equal(rig_arrival(rig, 1), 1010 + FAR_HIT);
    assert_int_equal(rig->n.l2_requests_crossed, 2);
    assert_int_equal(copies(), 1);
    assert_int_equal(rig_access_at(rig, FAR, 2000, load(3, 0), 7), 2000 + 1 + HIT);
}

static void a_strong_load_leaves_no_copy(void **state)
{
    (void)state;
    start();
    rig_access_at(rig, FAR, 1000, strong(REQUEST_LOAD, 1, 0), 7);
    assert_int_equal(copies(), 0);
}

static void a_way_of_each_set_is_left_to_lines_at_home(void **state)
{
    (void)state;
    start();
    for (unsigned i = 0; i < 4; i++)
        rig_send_at(rig, FAR, 1000 + i, load(1, i), rig_line_of_set(rig, 5, i));
    assert_int_equal(rig_home_at(rig, FAR, 1010, load(1, 9), rig_line_of_set(rig, 5, 9)), 1010 + MISS);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 3), 1003 + FAR_MISS);
    assert_int_equal(rig->slice[FAR].tags.resident[L2_NORMAL], 1);
    assert_int_equal(copies(), 3); /* the fourth took the place of another */
}

static void requests_and_answers_have_wires_of_their_own(void **state)
{
    (void)state;
    rig->config.l2.link_request_bytes = 17;
    rig->config.l2.link_reply_bytes = 8;
    rig->config.l2.sectors_per_cycle = 4;
    start();
    for (unsigned i = 0; i < 3; i++)
        rig_access_at(rig, NEAR, 1000 * (i + 1), load(15, 9), i);
    for (unsigned i = 0; i < 3; i++)
        rig_send_at(rig, FAR, 5000, load(15, i), i);
    rig_send_at(rig, FAR, 5000, strong(REQUEST_STORE, 15, 3), 0);
    rig_send_at(rig, FAR, 5000, strong(REQUEST_STORE, 15, 4), 0);
    for (unsigned i = 0; i < 24; i++) { /* the way that the answers take, 8 cycles each */
        struct request store = strong(REQUEST_STORE, 15, 5 + i);
        store.bytes = 128;
        rig_send_home(rig, FAR, NEAR, 5000, store, 9);
    }
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 3; i++) /* requests of 8 bytes one a cycle; answers of 136 bytes, 17 cycles */
        assert_int_equal(rig_arrival(rig, i), 5000 + 17 * i + FAR_HIT);
    assert_int_equal(rig_arrival(rig, 3), 5000 + 51 + FAR_HIT); /* its acknowledgement is behind the three answers */
    assert_int_equal(rig_arrival(rig, 4), 5000 + 52 + FAR_HIT);
}

static void a_request_that_passes_takes_the_turns_of_its_sectors_in_both_halves(void **state)
{
    (void)state;
    rig->config.l2.link_request_bytes = rig->config.l2.link_reply_bytes = 1024;
    start();
    for (unsigned i = 0; i < 2; i++)
        rig_access_at(rig, NEAR, 1000 * (i + 1), load(15, 9), i);
    rig_send_at(rig, FAR, 5000, strong(REQUEST_LOAD, 15, 0), 0); /* turns 0 to 3 here, then 3 to 6 at home */
    rig_send_at(rig, FAR, 5000, strong(REQUEST_LOAD, 1, 1), 1);  /* turn 4 here, 7 at home */
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 5000 + 6 + FAR_HIT);
    assert_int_equal(rig_arrival(rig, 1), 5000 + 7 + FAR_HIT);
    assert_int_equal(rig->n.l2_sectors_passed, 5);
    assert_int_equal(rig->n.l2_sectors_passed_load, 5);
    rig_access_at(rig, FAR, 6000, strong(REQUEST_STORE, 3, 0), 0);
    assert_int_equal(rig->n.l2_sectors_passed, 7);
    assert_int_equal(rig->n.l2_sectors_passed_load, 5);
}

static void both_halves_get_on_when_each_waits_for_the_other(void **state)
{
    (void)state;
    rig->config.l2.mshrs = 2;
    rig->config.l2.ways = 2;
    start();
    enum { EACH = 200 };
    for (unsigned i = 0; i < EACH; i++) {
        rig_send_at(rig, FAR, 1000 + i, load(15, i), i);
        rig_send_home(rig, FAR, NEAR, 1000 + i, load(15, EACH + i), i);
    }
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 2 * EACH; i++)
        assert_true(rig_arrival(rig, i) > 0);
    assert_int_equal(rig->pool.count, 0);
}

UNIT_TESTS(RIG_UNIT(a_far_access_crosses_the_link_twice), RIG_UNIT(the_answer_of_a_weak_load_leaves_a_copy),
           RIG_UNIT(without_copies_every_far_load_crosses), RIG_UNIT(strong_loads_and_atomics_go_home_past_a_copy),
           RIG_UNIT(a_store_takes_the_copy_it_passes), RIG_UNIT(a_store_at_home_orders_the_copy_away),
           RIG_UNIT(a_copy_that_was_written_while_it_was_on_its_way_is_not_kept),
           RIG_UNIT(loads_for_a_copy_merge_at_the_mirror),
           RIG_UNIT(a_load_that_waits_for_a_copy_is_not_faster_than_a_hit),
           RIG_UNIT(copies_go_before_lines_at_home_but_may_take_their_place),
           RIG_UNIT(a_line_that_leaves_its_home_takes_its_copy_along),
           RIG_UNIT(a_load_without_a_register_for_a_copy_goes_on_and_its_answer_leaves_one),
           RIG_UNIT(loads_that_find_no_register_do_not_merge), RIG_UNIT(a_strong_load_leaves_no_copy),
           RIG_UNIT(a_way_of_each_set_is_left_to_lines_at_home), RIG_UNIT(requests_and_answers_have_wires_of_their_own),
           RIG_UNIT(a_request_that_passes_takes_the_turns_of_its_sectors_in_both_halves),
           RIG_UNIT(both_halves_get_on_when_each_waits_for_the_other))
