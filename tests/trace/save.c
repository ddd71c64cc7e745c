/* A cursor that is saved in the middle of a stream goes on elsewhere as if nothing had been. Traces are told apart. */
#include <unistd.h>

#include "../unit.h"
#include "stream.h"
#include "trace/save.h"

enum { CTAS = 3, WARPS = 2, LENGTH = 3000, LAYOUT = 1 };

static void save(struct trace_cursor *cursor, const char *path)
{
    struct status status = {0};
    struct archive *a = archive_create(path, LAYOUT, &status);
    assert_non_null(a);
    trace_cursor_archive(a, cursor);
    if (!archive_close(a, &status))
        fail_msg("%s", status.text);
}

/* Into a cursor of a file that was opened anew. */
static struct trace_cursor *restore(struct trace_kernel *kernel, const char *path, struct status *status)
{
    struct trace_cursor *cursor = trace_cursor_create(kernel);
    struct archive *a = archive_open(path, LAYOUT, status);
    assert_non_null(cursor);
    assert_non_null(a);
    trace_cursor_archive(a, cursor);
    archive_close(a, status);
    return cursor;
}

static void compare_rest(struct trace_cursor *one, struct trace_cursor *other)
{
    struct issued a = {0}, b = {0};
    struct status status = {0};
    bool more = true;
    while (more) {
        assert_int_equal(trace_cursor_pc(one), trace_cursor_pc(other));
        more = trace_cursor_next(one, &a, &status);
        assert_int_equal(more, trace_cursor_next(other, &b, &status));
        assert_int_equal(issued_hash(1, &a, test_copies(a.pc)), issued_hash(1, &b, test_copies(b.pc)));
        assert_int_equal(a.next_pc, b.next_pc);
    }
    assert_string_equal(status.text, "");
}

static void go(struct trace_cursor *cursor, uint64_t cta, uint32_t warp, uint64_t instructions)
{
    struct status status = {0};
    struct issued is;
    assert_true(trace_cursor_seek(cursor, cta, warp, &status));
    while (instructions-- && trace_cursor_next(cursor, &is, &status))
        ;
    assert_string_equal(status.text, "");
}

static void begin(struct trial *t, char path[4096], unsigned calm)
{
    trial_begin(t, CTAS, WARPS * 32);
    free(wild_write(t, CTAS, WARPS, LENGTH, calm));
    trial_reopen(t);
    snprintf(path, 4096, "%.4000s.save", t->path);
}

static void a_saved_cursor_goes_on_where_it_was(void **state)
{
    static const unsigned calms[] = {0, 60, 98};
    (void)state;
    for (unsigned i = 0; i < sizeof calms / sizeof calms[0]; i++) {
        struct trial t;
        char path[4096];
        begin(&t, path, calms[i]);
        struct trace_file *file = trace_open(t.path, &t.status);
        struct trace_kernel *kernel = trace_kernel_open(file, 0, &t.status);
        assert_non_null(kernel);
        uint64_t all = trace_kernel_instructions(kernel, 1, 1);
        for (uint64_t n = 0; n <= all; n += n < 5 ? 1 : all - n > 5 ? (all - 5 - n) / 40 + 1 : 1) {
            go(t.cursor, 1, 1, n);
            save(t.cursor, path);
            struct trace_cursor *cursor = restore(kernel, path, &t.status);
            assert_string_equal(t.status.text, "");
            compare_rest(t.cursor, cursor);
            trace_cursor_destroy(cursor);
        }
        unlink(path);
        trace_kernel_close(kernel);
        trace_close(file);
        trial_end(&t);
    }
}

static void a_cursor_that_was_nowhere_is_at_an_end(void **state)
{
    struct trial t;
    char path[4096];
    (void)state;
    begin(&t, path, 50);
    struct trace_cursor *nowhere = trace_cursor_create(t.kernel);
    save(nowhere, path);
    trace_cursor_destroy(nowhere);
    nowhere = restore(t.kernel, path, &t.status);
    assert_string_equal(t.status.text, "");
    assert_int_equal(trace_cursor_pc(nowhere), UINT32_MAX);
    assert_true(trace_cursor_seek(nowhere, 2, 0, &t.status));
    assert_true(trace_cursor_seek(t.cursor, 2, 0, &t.status));
    compare_rest(t.cursor, nowhere);
    trace_cursor_destroy(nowhere);
    unlink(path);
    trial_end(&t);
}

/* The file is whole, but of a stream that is longer than this trace's. */
static void a_place_that_the_trace_does_not_have_is_refused(void **state)
{
    struct trial t, brief;
    char path[4096];
    (void)state;
    begin(&t, path, 50);
    go(t.cursor, 1, 1, trace_kernel_instructions(t.kernel, 1, 1) - 1);
    save(t.cursor, path);
    trial_begin(&brief, CTAS, WARPS * 32);
    free(wild_write(&brief, CTAS, WARPS, 8, 50));
    trial_reopen(&brief);
    trace_cursor_destroy(restore(brief.kernel, path, &brief.status));
    assert_int_equal(brief.status.code, STATUS_FORMAT);
    unlink(path);
    brief.status = (struct status){0};
    trial_end(&brief);
    trial_end(&t);
}

static uint64_t identity(const char *path)
{
    struct status status = {0};
    struct trace_file *file = trace_open(path, &status);
    assert_non_null(file);
    uint64_t value = trace_identity(file);
    trace_close(file);
    return value;
}

/* One warp, whose only access is to `address`. */
static uint64_t identity_of(uint64_t address)
{
    struct trial t;
    struct issued is = {.pc = 0, .path = 1, .active = 1, .space = ISA_SPACE_GLOBAL, .bytes = 4, .address = {address}};
    trial_begin(&t, 1, 32);
    struct trace_stream *s = trace_writer_stream(t.writer, 0, 0);
    trace_stream_add(s, &is);
    is = (struct issued){.pc = 16, .path = 1, .active = 1, .flow = ISSUED_EXITED};
    trace_stream_add(s, &is);
    trace_stream_end(s);
    trial_reopen(&t);
    uint64_t value = identity(t.path);
    trial_end(&t);
    return value;
}

static void traces_that_differ_in_one_address_are_told_apart_and_a_copy_is_not(void **state)
{
    (void)state;
    assert_int_equal(identity_of(0x1000), identity_of(0x1000));
    assert_int_not_equal(identity_of(0x1000), identity_of(0x1080));
}

UNIT_TESTS(UNIT(a_saved_cursor_goes_on_where_it_was), UNIT(a_cursor_that_was_nowhere_is_at_an_end),
           UNIT(a_place_that_the_trace_does_not_have_is_refused),
           UNIT(traces_that_differ_in_one_address_are_told_apart_and_a_copy_is_not))
