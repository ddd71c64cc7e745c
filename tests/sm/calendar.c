/* Events in order of cycle, then entry. Replies in order of arrival, then entry. */
#include "sm/calendar.h"

#include "base/hash.h"
#include "sm/port/inbox.h"
#include "tests/unit.h"

struct storage {
    struct calendar calendar;
    struct arena arena;
};

static struct calendar *calendar_at(uint64_t now)
{
    struct storage *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_true(calendar_init(&s->calendar, &s->arena));
    calendar_begin_at(&s->calendar, now);
    return &s->calendar;
}

static void drop(struct calendar *c)
{
    struct storage *s = (struct storage *)c;
    arena_free(&s->arena);
    free(s);
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
    drop(c);
}

static void events_of_one_cycle_come_in_the_order_of_entry(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(0);
    for (uint16_t i = 0; i < 5; i++)
        put(c, 7, i);
    for (uint16_t i = 0; i < 5; i++)
        assert_next(c, 7, i);
    drop(c);
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
    drop(c);
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
    drop(c);
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
    drop(c);
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
    drop(c);
}

/* A calendar without wheels, to compare with: a list of the pending events in the order of entry. */
struct waiting {
    uint64_t when;
    uint32_t name;
};

static uint32_t first_of(const struct waiting *list, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (list[i].when < list[first].when)
            first = i;
    return first;
}

static void take_all(struct calendar *c, struct waiting *list, uint32_t *count, uint64_t now)
{
    struct event e;
    while (*count && list[first_of(list, *count)].when <= now) {
        uint32_t first = first_of(list, *count);
        assert_int_equal(calendar_next(c), list[first].when);
        assert_true(calendar_take(c, now, &e));
        assert_int_equal(e.a, list[first].name);
        memmove(&list[first], &list[first + 1], (--*count - first) * sizeof *list);
    }
    assert_nothing(c, now);
}

/* Steps are short, long, or land where a block of the wheel begins or ends, and so are the waits. */
static uint64_t some_distance(uint64_t *seed)
{
    static const uint64_t edge[] = {0, 1, CALENDAR_BLOCK - 1, CALENDAR_BLOCK, CALENDAR_BLOCK + 1, CALENDAR_SPAN - 1};
    uint64_t number = hash_mix(++*seed);
    switch (number % 4) {
    case 0: return number / 4 % CALENDAR_SPAN;
    case 1: return edge[number / 4 % (sizeof edge / sizeof *edge)];
    default: return number / 4 % 40;
    }
}

static void a_calendar_does_what_a_sorted_list_does(void **state)
{
    (void)state;
    uint64_t seed = 12;
    struct waiting list[600];
    uint32_t count = 0, name = 0;
    struct calendar *c = calendar_at(1000);
    for (uint64_t now = 1000, round = 0; round < 30000; round++) {
        for (uint64_t adds = hash_mix(++seed) % 4; adds-- && count < 600;) {
            list[count] = (struct waiting){now + some_distance(&seed), name++};
            calendar_add(c, list[count].when, (struct event){EVENT_COMPLETE, 0, list[count].name});
            count++;
        }
        if (hash_mix(++seed) % 3)
            take_all(c, list, &count, now);
        now += some_distance(&seed);
        if (hash_mix(++seed) % 2)
            calendar_turn(c, now);
        else
            take_all(c, list, &count, now);
        if (count && list[first_of(list, count)].when < now)
            take_all(c, list, &count, now);
    }
    drop(c);
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
    drop(c);
}

static void turning_a_wheel_passes_no_event(void **state)
{
    (void)state;
    struct calendar *c = calendar_at(0);
    put(c, 10, 1);
    calendar_turn(c, 20);
    assert_next(c, 20, 1);
    drop(c);
}

UNIT_TESTS(UNIT(an_event_is_taken_at_its_cycle_and_not_before), UNIT(events_of_one_cycle_come_in_the_order_of_entry),
           UNIT(earlier_cycles_come_first_however_they_were_entered),
           UNIT(an_event_added_while_taking_its_own_cycle_is_taken_in_it), UNIT(the_wheel_turns),
           UNIT(a_wheel_that_nobody_touched_for_long_takes_events_when_its_cycle_has_begun),
           UNIT(turning_a_wheel_passes_no_event), UNIT(as_many_events_as_the_calendar_has_can_wait),
           UNIT(a_calendar_does_what_a_sorted_list_does), UNIT(replies_are_taken_by_arrival_and_equal_ones_by_entry),
           UNIT(replies_of_no_whole_number_of_cycles_lose_nothing_to_rounding),
           UNIT(a_port_takes_one_small_reply_a_cycle))
