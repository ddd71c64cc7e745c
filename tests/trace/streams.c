/* The reader returns every written word, whatever it is and in whatever order. */
#include <malloc.h>
#include <pthread.h>

#include "../unit.h"
#include "stream.h"
#include "trace/kernel.h"

static void a_stream_without_instructions_ends_at_once(void **state)
{
    struct trial t;
    struct issued is;
    (void)state;
    trial_begin(&t, 1, 32);
    trace_stream_end(trace_writer_stream(t.writer, 0, 0));
    trial_reopen(&t);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &t.status));
    assert_int_equal(trace_cursor_pc(t.cursor), UINT32_MAX);
    assert_false(trace_cursor_next(t.cursor, &is, &t.status));
    assert_string_equal(t.status.text, "");
    trial_end(&t);
}

static void round_trip(uint32_t ctas, uint32_t warps, uint32_t length, unsigned calm)
{
    struct trial t;
    trial_begin(&t, ctas, warps * 32);
    struct wild *all = wild_write(&t, ctas, warps, length, calm);
    trial_reopen(&t);
    wild_compare(t.cursor, all, ctas, warps);
    free(all);
    trial_end(&t);
}

static void short_streams_of_many_warps_are_read_as_they_were_written(void **state)
{
    (void)state;
    round_trip(700, 5, 8, 70);
}

static void long_streams_that_take_turns_are_read_as_they_were_written(void **state)
{
    (void)state;
    round_trip(3, 4, 9000, 60);
}

static void streams_of_mostly_expected_instructions_are_read_as_they_were_written(void **state)
{
    (void)state;
    round_trip(4, 32, 3000, 98);
}

static void streams_without_any_order_are_read_as_they_were_written(void **state)
{
    (void)state;
    round_trip(2, 2, 4000, 0);
}

static void a_warp_may_be_read_twice_and_left_in_the_middle(void **state)
{
    enum { CTAS = 6, WARPS = 2 };
    struct trial t;
    struct issued is;
    (void)state;
    trial_begin(&t, CTAS, WARPS * 32);
    struct wild *all = wild_write(&t, CTAS, WARPS, 2000, 50);
    trial_reopen(&t);
    for (unsigned i = 0; i < 40; i++) {
        assert_true(trace_cursor_seek(t.cursor, i * 5 % CTAS, i % WARPS, &t.status));
        for (unsigned n = 0; n < i * 40; n++)
            assert_true(trace_cursor_next(t.cursor, &is, &t.status));
    }
    wild_compare(t.cursor, all, CTAS, WARPS);
    wild_compare(t.cursor, all, CTAS, WARPS);
    free(all);
    trial_end(&t);
}

/* Reads the instructions that another cursor has passed over. They have no access. */
static void read_plain(struct trace_cursor *cursor, uint64_t count, struct status *status)
{
    struct issued is;
    while (count-- > 0) {
        assert_true(trace_cursor_next(cursor, &is, status));
        assert_true(is.space == ISA_SPACE_NONE && is.flow != ISSUED_EXITED && is.active == is.path);
    }
}

/* Returns the instructions of a stream, and adds those that were passed over. */
static uint64_t skip_and_read(struct trace_cursor *skips, struct trace_cursor *reads, uint64_t *skipped)
{
    struct status status = {0};
    struct issued is, read;
    for (uint64_t count = 0;; count++) {
        uint64_t passed = trace_cursor_skip(skips);
        read_plain(reads, passed, &status);
        *skipped += passed;
        count += passed;
        assert_int_equal(trace_cursor_pc(skips), trace_cursor_pc(reads));
        bool more = trace_cursor_next(skips, &is, &status);
        assert_int_equal(more, trace_cursor_next(reads, &read, &status));
        if (!more)
            return count;
        assert_int_equal(issued_hash(1, &is, false), issued_hash(1, &read, false));
    }
}

static void unfold(struct issued *is, const struct trace_folded *folded)
{
    for (unsigned lane = 0; folded->offset && lane < 32; lane++)
        is->address[lane] = folded->base + (uint64_t)(int64_t)folded->offset[lane];
}

static void folded_addresses_are_those_that_are_read_otherwise(void **state)
{
    struct trial t;
    struct issued is, other;
    struct trace_folded folded;
    unsigned folds = 0, others = 0;
    (void)state;
    trial_begin(&t, 1, 32);
    free(wild_write(&t, 1, 1, 20000, 98));
    trial_reopen(&t);
    struct trace_cursor *reads = trace_cursor_create(t.kernel);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &t.status));
    assert_true(trace_cursor_seek(reads, 0, 0, &t.status));
    while (trace_cursor_next_folded(t.cursor, &is, &folded, &t.status)) {
        assert_true(trace_cursor_next(reads, &other, &t.status));
        unfold(&is, &folded);
        assert_int_equal(issued_hash(1, &is, false), issued_hash(1, &other, false));
        folds += folded.offset != NULL;
        others += !folded.offset && is.space != ISA_SPACE_NONE;
    }
    assert_false(trace_cursor_next(reads, &other, &t.status));
    print_message("%u folded, %u others\n", folds, others);
    assert_true(folds > 20 && others > 20);
    trace_cursor_destroy(reads);
    trial_end(&t);
}

/* An access of lanes that go down from `base`. Returns whether it is read folded. */
static bool reads_folded(uint64_t base)
{
    struct trial t;
    struct trace_folded folded = {0};
    struct issued is = {.active = UINT32_MAX, .path = UINT32_MAX, .space = ISA_SPACE_GLOBAL, .bytes = 4};
    is.flow = ISSUED_EXITED;
    trial_begin(&t, 2, 32);
    for (uint64_t cta = 0; cta < 2; cta++) { /* a pattern is known from the second time on */
        struct trace_stream *stream = trace_writer_stream(t.writer, cta, 0);
        for (unsigned lane = 0; lane < 32; lane++)
            is.address[lane] = base - 4 * lane;
        trace_stream_add(stream, &is);
        trace_stream_end(stream);
    }
    trial_reopen(&t);
    assert_true(trace_cursor_seek(t.cursor, 1, 0, &t.status));
    assert_true(trace_cursor_next_folded(t.cursor, &is, &folded, &t.status));
    for (unsigned lane = 0; !folded.offset && lane < 32; lane++)
        assert_int_equal(is.address[lane], base - 4 * lane);
    trial_end(&t);
    return folded.offset != NULL;
}

static void addresses_that_may_leave_the_address_space_are_not_left_folded(void **state)
{
    (void)state;
    assert_true(reads_folded(124));
    assert_false(reads_folded(120));
    assert_true(reads_folded(INT64_MAX / 2));
    assert_false(reads_folded(INT64_MAX / 2 + 1));
}

/* A loop of 40 instructions: two copy, the last one branches or exits, and one sleeps once, which needs no place in the
 * dictionary. Returns the instructions. */
static uint64_t write_loop(struct trace_stream *stream, uint32_t rounds)
{
    enum { LENGTH = 40, SLEEP = 30 };
    uint64_t count = 0;
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < LENGTH; i++, count++) {
            struct issued is = {.pc = i * 16, .active = UINT32_MAX, .path = UINT32_MAX, .next_pc = i * 16 + 16};
            bool back = i + 1 == LENGTH && round + 1 < rounds, copies = test_copies(i * 16);
            is.space = copies ? ISA_SPACE_GLOBAL : ISA_SPACE_NONE;
            is.bytes = copies ? 4 : 0;
            for (unsigned lane = 0; lane < 32; lane++)
                is.address[lane] = 4096 * (round + 1) + 4 * lane;
            is.flow = i + 1 == LENGTH ? back ? ISSUED_JUMP : ISSUED_EXITED : ISSUED_NEXT;
            is.next_pc = back ? 0 : is.next_pc;
            is.sleep = i == SLEEP && round == rounds / 2 ? 20 : 0;
            if (copies)
                trace_stream_add_copy(stream, &is);
            else
                trace_stream_add(stream, &is);
        }
    trace_stream_end(stream);
    return count;
}

static void what_a_cursor_skips_is_counted_and_the_rest_is_as_it_was_read(void **state)
{
    enum { ROUNDS = 9 };
    struct trial t;
    uint64_t skipped = 0;
    (void)state;
    trial_begin(&t, 1, 32);
    uint64_t count = write_loop(trace_writer_stream(t.writer, 0, 0), ROUNDS);
    trial_reopen(&t);
    struct trace_cursor *reads = trace_cursor_create(t.kernel);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &t.status));
    assert_true(trace_cursor_seek(reads, 0, 0, &t.status));
    assert_int_equal(skip_and_read(t.cursor, reads, &skipped), count);
    assert_int_equal(skipped, ROUNDS * (40 - 2) - 3); /* two copies; the first branch, the exit, the sleep */
    trace_cursor_destroy(reads);
    trial_end(&t);
}

static void a_cursor_passes_at_most_as_many_as_it_is_asked_for_and_tells_their_lanes(void **state)
{
    enum { ROUNDS = 3, MOST = 5 };
    struct trial t;
    struct issued is;
    uint64_t passed = 0, read = 0;
    (void)state;
    trial_begin(&t, 1, 32);
    uint64_t count = write_loop(trace_writer_stream(t.writer, 0, 0), ROUNDS);
    trial_reopen(&t);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &t.status));
    while (trace_cursor_pc(t.cursor) != UINT32_MAX) {
        uint32_t lanes = 0, before = trace_cursor_pc(t.cursor);
        uint64_t some = trace_cursor_pass(t.cursor, MOST, &lanes);
        assert_true(some <= MOST);
        assert_int_equal(lanes, UINT32_MAX);
        assert_int_equal(trace_cursor_pc(t.cursor), before + 16 * some);
        passed += some;
        if (some < MOST && trace_cursor_next(t.cursor, &is, &t.status))
            read++;
    }
    assert_int_equal(passed + read, count);
    assert_int_equal(passed, ROUNDS * (40 - 3) - 1);
    trial_end(&t);
}

static void the_summary_and_the_instructions_of_warps_and_ctas_are_what_was_written(void **state)
{
    enum { CTAS = 5, WARPS = 3 };
    struct trial t;
    struct trace_summary summary;
    uint64_t sum = 0;
    (void)state;
    trial_begin(&t, CTAS, WARPS * 32);
    struct wild *all = wild_write(&t, CTAS, WARPS, 1500, 30);
    trial_reopen(&t);
    for (uint32_t i = 0; i < CTAS * WARPS; i++) {
        assert_int_equal(trace_kernel_instructions(t.kernel, i / WARPS, i % WARPS), all[i].instructions);
        sum += all[i].instructions;
    }
    for (uint32_t first = 0; first < CTAS; first++)
        for (uint32_t last = first; last < CTAS; last++) {
            uint64_t some = 0;
            for (uint32_t i = first * WARPS; i < (last + 1) * WARPS; i++)
                some += all[i].instructions;
            assert_int_equal(trace_kernel_instructions_of(t.kernel, first, last), some);
            t.kernel->frames.counted = false; /* as in version 2 */
            assert_int_equal(trace_kernel_instructions_of(t.kernel, first, last), some);
            t.kernel->frames.counted = true;
        }
    trace_summary(t.file, 0, &summary);
    assert_string_equal(summary.name, "wild");
    assert_int_equal(summary.ctas, CTAS);
    assert_int_equal(summary.warps, CTAS * WARPS);
    assert_int_equal(summary.instructions, sum);
    assert_true(summary.complete);
    assert_true(summary.bytes > 0);
    free(all);
    trial_end(&t);
}

/* Every slot in use, and parts as long as they come. Where the allocator does not tell, as with sanitizers, both
 * numbers are 0. */
static void a_cursor_takes_less_than_17_kib_in_the_middle_of_a_long_stream(void **state)
{
    enum { CURSORS = 64, MOST = 17 << 10 };
    struct trial t;
    struct issued is;
    struct trace_cursor *cursor[CURSORS];
    (void)state;
    trial_begin(&t, 1, 32);
    free(wild_write(&t, 1, 1, 6000, 0));
    trial_reopen(&t);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &t.status));
    while (trace_cursor_next(t.cursor, &is, &t.status))
        continue;
    size_t before = mallinfo2().uordblks;
    for (unsigned i = 0; i < CURSORS; i++) {
        cursor[i] = trace_cursor_create(t.kernel);
        assert_non_null(cursor[i]);
        assert_true(trace_cursor_seek(cursor[i], 0, 0, &t.status));
        for (unsigned n = 0; n < 3000; n++)
            assert_true(trace_cursor_next(cursor[i], &is, &t.status));
    }
    assert_in_range(mallinfo2().uordblks - before, 0, (uint64_t)CURSORS * MOST);
    for (unsigned i = 0; i < CURSORS; i++)
        trace_cursor_destroy(cursor[i]);
    trial_end(&t);
}

/* Threads take CTAs in turns, each with a cursor of its own. */
struct reader {
    pthread_t thread;
    const struct trace_kernel *kernel;
    const struct wild *all;
    uint32_t first;
};

enum { THREADS = 4, THREAD_CTAS = 40, THREAD_WARPS = 3 };

static void *read_some(void *argument)
{
    const struct reader *r = argument;
    struct trace_cursor *cursor = trace_cursor_create(r->kernel);
    assert_non_null(cursor);
    for (uint32_t cta = r->first; cta < THREAD_CTAS; cta += THREADS)
        for (uint32_t warp = 0; warp < THREAD_WARPS; warp++) {
            uint64_t instructions, hash = stream_hash(cursor, cta, warp, &instructions);
            assert_int_equal(hash, r->all[cta * THREAD_WARPS + warp].hash);
        }
    trace_cursor_destroy(cursor);
    return NULL;
}

static void a_kernel_may_be_read_by_threads(void **state)
{
    struct trial t;
    struct reader reader[THREADS];
    (void)state;
    trial_begin(&t, THREAD_CTAS, THREAD_WARPS * 32);
    struct wild *all = wild_write(&t, THREAD_CTAS, THREAD_WARPS, 600, 40);
    trial_reopen(&t);
    for (uint32_t i = 0; i < THREADS; i++) {
        reader[i] = (struct reader){.kernel = t.kernel, .all = all, .first = i};
        assert_int_equal(pthread_create(&reader[i].thread, NULL, read_some, &reader[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(reader[i].thread, NULL), 0);
    free(all);
    trial_end(&t);
}

UNIT_TESTS(UNIT(a_stream_without_instructions_ends_at_once),
           UNIT(short_streams_of_many_warps_are_read_as_they_were_written),
           UNIT(long_streams_that_take_turns_are_read_as_they_were_written),
           UNIT(streams_of_mostly_expected_instructions_are_read_as_they_were_written),
           UNIT(streams_without_any_order_are_read_as_they_were_written),
           UNIT(a_warp_may_be_read_twice_and_left_in_the_middle),
           UNIT(what_a_cursor_skips_is_counted_and_the_rest_is_as_it_was_read),
           UNIT(folded_addresses_are_those_that_are_read_otherwise),
           UNIT(addresses_that_may_leave_the_address_space_are_not_left_folded),
           UNIT(a_cursor_passes_at_most_as_many_as_it_is_asked_for_and_tells_their_lanes),
           UNIT(the_summary_and_the_instructions_of_warps_and_ctas_are_what_was_written),
           UNIT(a_cursor_takes_less_than_17_kib_in_the_middle_of_a_long_stream), UNIT(a_kernel_may_be_read_by_threads))
