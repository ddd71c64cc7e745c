/* Events in order of cycle, then entry. Replies in order of arrival, then entry. */
#include "sm/calendar.h"

#include "sm/port/inbox.h"
#include "tests/unit.h"

static struct calendar *calendar_at(uint64_t now)
{
    struct calendar *c = malloc(sizeof *c);
    assert_non_null(c);
    calendar_init(c, now);
    return c;
}

static void put(struct calendar *c, uint64_t when, uint16_t name)
{
    calendar_add(c, when, (struct event){EVENT_COMPLETE, 0, name});
}

static void assert_next(struct calendar *c, uint64_t now, uint16_t name)
{
    struct event e;
    assert_true(calendar_take(c, now, &e));
    assert_int_equal(e.a, name);
}

static void assert_nothing(struct calendar *c, uint64_t now)
{
    struct event e;
    assert_false(calendar_take(c, now, &e));
}

static void an_event_is_taken_at_its_cycle_and_not_before(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(100);
    put(c, 110, 1);
    assert_int_equal(calendar_next(c), 110);
    assert_nothing(c, 109);
    assert_next(c, 110, 1);
    assert_nothing(c, 110);
    assert_true(calendar_next(c) == UINT64_MAX);
    free(c);
}

static void events_of_one_cycle_come_in_the_order_of_entry(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(0);
    for (uint16_t i = 0; i < 5; i++)
        put(c, 7, i);
    for (uint16_t i = 0; i < 5; i++)
        assert_next(c, 7, i);
    free(c);
}

static void earlier_cycles_come_first_however_they_were_entered(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(0);
    put(c, 300, 3);
    put(c, 1, 1);
    put(c, 64, 2);
    put(c, CALENDAR_SPAN - 1, 4);
    assert_next(c, 10000000, 1);
    assert_next(c, 10000000, 2);
    assert_next(c, 10000000, 3);
    assert_next(c, 10000000, 4);
    free(c);
}

static void an_event_added_while_taking_its_own_cycle_is_taken_in_it(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(0);
    put(c, 5, 1);
    assert_next(c, 5, 1);
    put(c, 5, 2);
    assert_next(c, 5, 2);
    assert_nothing(c, 5);
    free(c);
}

static void the_wheel_turns(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(0);
    uint64_t now = 0;
    for (uint16_t i = 0; i < 2000; i++) { /* steps up to the whole span */
        uint64_t when = now + i * 37u % CALENDAR_SPAN;
        put(c, when, i);
        assert_int_equal(calendar_next(c), when);
        if (when > now)
            assert_nothing(c, when - 1);
        assert_next(c, when, i);
        now = when;
    }
    free(c);
}

static void as_many_events_as_the_calendar_has_can_wait(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(50);
    for (uint32_t i = 0; i < CALENDAR_EVENTS; i++)
        put(c, 50 + (i * 7919u) % CALENDAR_SPAN, (uint16_t)i);
    assert_int_equal(c->count, CALENDAR_EVENTS);
    uint64_t last = 0;
    struct event e;
    for (uint32_t i = 0; i < CALENDAR_EVENTS; i++) {
        uint64_t next = calendar_next(c);
        assert_true(next >= last);
        assert_true(calendar_take(c, next, &e));
        assert_int_equal(50 + (e.a * 7919u) % CALENDAR_SPAN, next);
        last = next;
    }
    assert_int_equal(c->count, 0);
    free(c);
}

/* ---- inbox ------------------------------------------------------------------------------------------------------ */

static void replies_are_taken_by_arrival_and_equal_ones_by_entry(void **state)
{
    (void)state;
    struct inbox in;
    assert_true(inbox_init(&in, 1000));
    assert_true(inbox_next(&in) == UINT64_MAX);
    for (uint32_t i = 0; i < 1000; i++) {
        struct reply reply = {.arrival = i * 7919u % 100, .token = (uint16_t)i};
        inbox_add(&in, &reply);
    }
    uint64_t arrival = 0;
    int token = -1;
    for (uint32_t i = 0; i < 1000; i++) {
        struct reply reply;
        uint64_t next = inbox_next(&in);
        reply = inbox_take(&in);
        assert_int_equal(reply.arrival, next);
        assert_true(reply.arrival > arrival || (reply.arrival == arrival && (int)reply.token > token));
        arrival = reply.arrival;
        token = reply.token;
    }
    assert_true(inbox_next(&in) == UINT64_MAX);
    inbox_free(&in);
}

/* 136 bytes at 64 a cycle are 2 1/8 cycles: eight replies take 17, not 24. */
static void replies_of_no_whole_number_of_cycles_lose_nothing_to_rounding(void **state)
{
    (void)state;
    static const uint64_t starts[] = {10, 12, 14, 16, 18, 20, 22, 24, 27};
    struct inbox in = {0};
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++) {
        uint64_t now = i == 0 ? 10 : inbox_port_free(&in);
        assert_int_equal(now, starts[i]);
        inbox_port_take(&in, now, 136, 64);
    }
}

static void a_port_takes_one_small_reply_a_cycle(void **state)
{
    (void)state;
    struct inbox in = {0};
    inbox_port_take(&in, 10, 8, 64);
    assert_int_equal(inbox_port_free(&in), 11);
    inbox_port_take(&in, 40, 64, 64);
    assert_int_equal(inbox_port_free(&in), 41);
}

static void a_wheel_that_nobody_touched_for_long_takes_events_when_its_cycle_has_begun(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(100);
    uint64_t now = 100 + 3 * CALENDAR_SPAN + 7;
    calendar_turn(c, now);
    put(c, now + CALENDAR_SPAN - 1, 2);
    put(c, now, 1);
    assert_next(c, now, 1);
    assert_nothing(c, now + CALENDAR_SPAN - 2);
    assert_next(c, now + CALENDAR_SPAN - 1, 2);
    free(c);
}

static void turning_a_wheel_passes_no_event(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(0);
    put(c, 10, 1);
    calendar_turn(c, 20);
    assert_next(c, 20, 1);
    free(c);
}

UNIT_TESTS(UNIT(an_event_is_taken_at_its_cycle_and_not_before), UNIT(events_of_one_cycle_come_in_the_order_of_entry),
           UNIT(earlier_cycles_come_first_however_they_were_entered),
           UNIT(an_event_added_while_taking_its_own_cycle_is_taken_in_it), UNIT(the_wheel_turns),
           UNIT(a_wheel_that_nobody_touched_for_long_takes_events_when_its_cycle_has_begun),
           UNIT(turning_a_wheel_passes_no_event), UNIT(as_many_events_as_the_calendar_has_can_wait),
           UNIT(replies_are_taken_by_arrival_and_equal_ones_by_entry),
           UNIT(replies_of_no_whole_number_of_cycles_lose_nothing_to_rounding),
           UNIT(a_port_takes_one_small_reply_a_cycle))
