/* Streams of single instructions. */
#include <unistd.h>

#include "../unit.h"
#include "stream.h"
#include "trace/writer.h"

/* A writer in the middle of a kernel, and the file that becomes of it. */
struct trial {
    char path[4096];
    struct trace_writer *writer;
    struct trace_file *file;
    struct trace_kernel *kernel;
    struct trace_cursor *cursor;
    struct status status;
};

static void begin(struct trial *t, uint32_t ctas, uint32_t threads)
{
    *t = (struct trial){0};
    struct trace_launch launch = launch_of_nops(ctas, threads);
    t->writer = trace_writer_create(trace_test_path(t->path), NULL, &t->status);
    assert_non_null(t->writer);
    assert_true(trace_writer_begin(t->writer, &launch, &t->status));
    trace_launch_free(&launch);
}

static void reopen(struct trial *t)
{
    bool ok = trace_writer_end(t->writer, true, &t->status) && trace_writer_finish(t->writer, &t->status);
    if (!ok)
        fail_msg("%s", t->status.text);
    trace_writer_destroy(t->writer);
    t->file = trace_open(t->path, &t->status);
    t->kernel = t->file ? trace_kernel_open(t->file, 0, &t->status) : NULL;
    t->cursor = t->kernel ? trace_cursor_create(t->kernel) : NULL;
    if (!t->cursor)
        fail_msg("%s", t->status.text);
}

static void end(struct trial *t)
{
    trace_cursor_destroy(t->cursor);
    trace_kernel_close(t->kernel);
    trace_close(t->file);
    unlink(t->path);
}

static void a_stream_without_instructions_ends_at_once(void **state)
{
    struct trial t;
    struct issued is;
    (void)state;
    begin(&t, 1, 32);
    trace_stream_end(trace_writer_stream(t.writer, 0, 0));
    reopen(&t);
    assert_true(trace_cursor_seek(t.cursor, 0, 0, &t.status));
    assert_int_equal(trace_cursor_pc(t.cursor), UINT32_MAX);
    assert_false(trace_cursor_next(t.cursor, &is, &t.status));
    assert_string_equal(t.status.text, "");
    end(&t);
}

UNIT_TESTS(UNIT(a_stream_without_instructions_ends_at_once))
