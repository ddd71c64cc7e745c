/* Host memory that the device uses at its own address. */
#include "exec/memory/window.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit.h"

enum { PAGE = MEMORY_PAGE, PAGES = 16, BYTES = PAGES * PAGE };

struct rig {
    struct memory *m;
    uint8_t *host; /* pages with their offset in them, at first */
};

static void rig_begin(struct rig *r, bool visible)
{
    struct status status = {0};
    r->m = visible ? memory_create_visible(1 << 24, &status) : memory_create(1 << 24, &status);
    assert_non_null(r->m);
    r->host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(r->host, MAP_FAILED);
    for (unsigned i = 0; i < BYTES; i++)
        r->host[i] = (uint8_t)(i * 7 + i / 251);
}

static void rig_end(struct rig *r)
{
    memory_destroy(r->m);
    munmap(r->host, BYTES);
}

/* Where the device finds a byte of the host (NULL: nowhere). */
static uint8_t *device(struct rig *r, const uint8_t *host, unsigned bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)host;
    return memory_reach(r->m, &address, bytes) ? memory_at(r->m, address) : NULL;
}

static void only_addresses_inside_of_a_window_are_found(void **state)
{
    (void)state;
    for (unsigned visible = 0; visible < 2; visible++) {
        struct rig r;
        rig_begin(&r, visible);
        uint8_t *from = r.host + PAGE + 40;
        assert_null(device(&r, from, 1));
        assert_true(memory_window_add(r.m, from, 2 * PAGE));
        assert_null(device(&r, from - 1, 1));
        assert_null(device(&r, from + 2 * PAGE, 1));
        assert_null(device(&r, from + 2 * PAGE - 4, 8));
        for (unsigned i = 0; i < 2 * PAGE; i++)
            assert_int_equal(*device(&r, from + i, 1), from[i]);
        assert_memory_equal(device(&r, from + 2 * PAGE - 8, 8), from + 2 * PAGE - 8, 8);
        assert_ptr_equal(memory_window_find(r.m, from + 5)->host, from);
        assert_true(memory_window_remove(r.m, from));
        assert_false(memory_window_remove(r.m, from));
        assert_null(device(&r, from, 1));
        assert_int_equal(r.m->block_count, 0);
        rig_end(&r);
    }
}

static void windows_do_not_overlap(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, true);
    assert_true(memory_window_add(r.m, r.host + PAGE, PAGE));
    assert_false(memory_window_add(r.m, r.host + PAGE, PAGE));
    assert_false(memory_window_add(r.m, r.host, PAGE + 1));
    assert_false(memory_window_add(r.m, r.host + 2 * PAGE - 1, PAGE));
    assert_false(memory_window_add(r.m, r.host, 0));
    assert_true(memory_window_add(r.m, r.host, PAGE));
    assert_true(memory_window_add(r.m, r.host + 2 * PAGE, PAGE));
    rig_end(&r);
}

static void what_the_launch_has_changed_and_nothing_else_goes_back(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, true);
    assert_true(memory_window_add(r.m, r.host + 3, BYTES - 3));
    uint8_t expected[BYTES];
    for (unsigned round = 0; round < 3; round++) {
        memcpy(expected, r.host, BYTES);
        for (unsigned i = 3; i < BYTES; i += 1 + (i * 13 + round) % 5) {
            if (i / PAGE % 3 == round)
                continue;
            uint8_t *at = device(&r, r.host + i, 1);
            assert_int_equal(*at, expected[i]);
            expected[i] = *at = (uint8_t)(expected[i] + 1 + i % 3);
        }
        r.host[4 + round] = expected[4 + round] = 99; /* by the host, meanwhile, and not by the device */
        *device(&r, r.host + 4 + round, 1) = (uint8_t)0;
        expected[4 + round] = 0;
        r.host[PAGE - 1] = 77;
        bool changed = (r.host[PAGE - 1] = 77, *device(&r, r.host + PAGE - 1, 1) != expected[PAGE - 1]);
        assert_false(changed);
        memory_windows_flush(r.m);
        assert_memory_equal(r.host, expected, PAGE - 1);
        assert_memory_equal(r.host + PAGE, expected + PAGE, BYTES - PAGE);
    }
    rig_end(&r);
}

static void the_next_launch_sees_what_the_host_has_written(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, true);
    assert_true(memory_window_add(r.m, r.host, BYTES));
    assert_int_equal(*device(&r, r.host + 5, 1), r.host[5]);
    uint8_t before = r.host[5];
    r.host[5] = (uint8_t)(before + 1);
    assert_int_equal(*device(&r, r.host + 5, 1), before);
    memory_windows_flush(r.m);
    assert_int_equal(r.host[5], (uint8_t)(before + 1));
    assert_int_equal(*device(&r, r.host + 5, 1), (uint8_t)(before + 1));
    rig_end(&r);
}

static void host_memory_that_is_gone_is_no_memory(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, true);
    assert_true(memory_window_add(r.m, r.host, BYTES));
    assert_non_null(device(&r, r.host + 5 * PAGE, 4));
    assert_int_equal(munmap(r.host + 4 * PAGE, 4 * PAGE), 0);
    *device(&r, r.host + 5 * PAGE, 4) = 1;
    assert_null(device(&r, r.host + 6 * PAGE, 4));
    assert_non_null(device(&r, r.host + 8 * PAGE, 4));
    memory_windows_flush(r.m); /* and bytes that cannot go back are lost */
    rig_end(&r);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

struct reader {
    struct rig *rig;
    unsigned first, wrong;
};

static void *read_all(void *argument)
{
    struct reader *reader = argument;
    for (unsigned k = 0; k < BYTES; k += 61) {
        unsigned i = (reader->first + k) % BYTES;
        const uint8_t *at = device(reader->rig, reader->rig->host + i, 1);
        reader->wrong += !at || *at != (uint8_t)(i * 7 + i / 251);
    }
    return NULL;
}

static void many_threads_load_each_page_once(void **state)
{
    (void)state;
    enum { THREADS = 8, ROUNDS = 20 };
    struct rig r;
    rig_begin(&r, true);
    assert_true(memory_window_add(r.m, r.host, BYTES));
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t thread[THREADS];
        struct reader reader[THREADS];
        for (unsigned i = 0; i < THREADS; i++) {
            reader[i] = (struct reader){&r, i % 2 * PAGE, 0};
            assert_int_equal(pthread_create(&thread[i], NULL, read_all, &reader[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(reader[i].wrong, 0);
        }
        memory_windows_flush(r.m);
    }
    rig_end(&r);
}

UNIT_TESTS(UNIT(only_addresses_inside_of_a_window_are_found), UNIT(windows_do_not_overlap),
           UNIT(what_the_launch_has_changed_and_nothing_else_goes_back),
           UNIT(the_next_launch_sees_what_the_host_has_written), UNIT(host_memory_that_is_gone_is_no_memory),
           UNIT(many_threads_load_each_page_once))
