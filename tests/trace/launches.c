/* Launches, their code, commands, and a writer's refusals. */
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "stream.h"
#include "trace/code.h"

static struct trace_launch all_fields(void)
{
    struct trace_launch l = test_launch(1, 1);
    free(l.name);
    l.name = strdup("_Z4wildPf");
    l.grid[0] = 2;
    l.grid[1] = 1;
    l.grid[2] = 1;
    l.block[0] = 16;
    l.block[1] = 1;
    l.block[2] = 2;
    l.registers = 40;
    l.static_shared = 1024;
    l.dynamic_shared = 4096;
    l.shared_preferred = 65536;
    l.local_bytes = 528;
    l.local_base = UINT64_C(0x7f1234000000);
    l.code_address = UINT64_C(0x7f0000001000);
    for (uint32_t i = 0; i < TRACE_BANKS; i++)
        l.bank_bytes[i] = 100 + i;
    l.cooperative = true;
    l.stream = 7;
    l.number = 12;
    l.code[3].described = strdup("LDG.E.128.SYS R8, R6");
    return l;
}

static void assert_same(const struct trace_launch *a, const struct trace_launch *b)
{
    assert_string_equal(a->name, b->name);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    assert_memory_equal(a->block, b->block, sizeof a->block);
    assert_memory_equal(a->bank_bytes, b->bank_bytes, sizeof a->bank_bytes);
    assert_int_equal(a->architecture, b->architecture);
    assert_int_equal(a->registers, b->registers);
    assert_int_equal(a->static_shared, b->static_shared);
    assert_int_equal(a->dynamic_shared, b->dynamic_shared);
    assert_int_equal(a->shared_preferred, b->shared_preferred);
    assert_int_equal(a->local_bytes, b->local_bytes);
    assert_int_equal(a->local_base, b->local_base);
    assert_int_equal(a->code_address, b->code_address);
    assert_int_equal(a->cooperative, b->cooperative);
    assert_int_equal(a->control_bits, b->control_bits);
    assert_int_equal(a->stream, b->stream);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->code_count, b->code_count);
    for (uint32_t i = 0; i < a->code_count; i++) {
        assert_memory_equal(&a->code[i].isa, &b->code[i].isa, sizeof a->code[i].isa);
        assert_true(!a->code[i].described == !b->code[i].described);
        if (a->code[i].described)
            assert_string_equal(a->code[i].described, b->code[i].described);
    }
}

/* Two warps of one instruction each. */
static void write_streams(struct trace_writer *w)
{
    for (uint64_t cta = 0; cta < 2; cta++) {
        struct issued is = {.pc = 16 * (uint32_t)cta, .path = 1, .active = 1, .flow = ISSUED_EXITED};
        struct trace_stream *s = trace_writer_stream(w, cta, 0);
        assert_non_null(s);
        trace_stream_add(s, &is);
        trace_stream_end(s);
    }
}

static struct trace_writer *start(char path[4096])
{
    struct status status = {0};
    const struct trace_origin origin = {"a.out 5", "a100", NULL};
    struct trace_writer *w = trace_writer_create(trace_test_path(path), &origin, &status);
    assert_non_null(w);
    return w;
}

static void a_launch_and_the_commands_around_it_are_read_as_they_were_written(void **state)
{
    char path[4096];
    struct status status = {0};
    struct trace_launch launch = all_fields();
    struct trace_writer *w = start(path);
    (void)state;
    assert_true(trace_writer_copy(w, &(struct trace_copy){UINT64_C(0x7f00deadbeef), 4096, 3}, &status));
    assert_true(trace_writer_begin(w, &launch, &status));
    write_streams(w);
    assert_true(trace_writer_end(w, true, &status));
    assert_true(trace_writer_copy(w, &(struct trace_copy){1, 0, UINT64_MAX}, &status));
    assert_true(trace_writer_finish(w, &status));
    trace_writer_destroy(w);
    struct trace_file *file = trace_open(path, &status);
    assert_non_null(file);
    assert_string_equal(trace_path(file), path);
    assert_string_equal(trace_origin_program(file), "a.out 5");
    assert_string_equal(trace_origin_gpu(file), "a100");
    assert_string_equal(trace_origin_source(file), "");
    assert_int_equal(trace_commands(file), 3);
    assert_int_equal(trace_command(file, 0)->kind, TRACE_COPY);
    assert_int_equal(trace_command(file, 0)->copy.address, UINT64_C(0x7f00deadbeef));
    assert_int_equal(trace_command(file, 0)->copy.bytes, 4096);
    assert_int_equal(trace_command(file, 0)->copy.stream, 3);
    assert_int_equal(trace_command(file, 1)->kind, TRACE_LAUNCH);
    assert_int_equal(trace_command(file, 1)->kernel, 0);
    assert_int_equal(trace_command(file, 2)->copy.stream, UINT64_MAX);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    assert_non_null(kernel);
    assert_same(trace_kernel_launch(kernel), &launch);
    trace_kernel_close(kernel);
    assert_null(trace_kernel_open(file, 1, &status));
    trace_close(file);
    trace_launch_free(&launch);
    unlink(path);
}

static void code_may_come_at_the_end(void **state)
{
    char path[4096];
    struct status status = {0};
    struct trace_launch launch = all_fields(), bare = launch;
    struct trace_writer *w = start(path);
    (void)state;
    bare.code = NULL;
    bare.code_count = 0;
    bare.local_bytes = 0;
    assert_true(trace_writer_begin(w, &bare, &status));
    write_streams(w);
    assert_true(trace_writer_code(w, &launch, &status));
    assert_true(trace_writer_end(w, true, &status));
    assert_true(trace_writer_finish(w, &status));
    trace_writer_destroy(w);
    struct trace_file *file = trace_open(path, &status);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    assert_non_null(kernel);
    assert_same(trace_kernel_launch(kernel), &launch);
    trace_kernel_close(kernel);
    trace_close(file);
    trace_launch_free(&launch);
    unlink(path);
}

static void expect(const struct status *status, const char *text)
{
    if (!strstr(status->text, text))
        fail_msg("'%s' does not say '%s'", status->text, text);
}

/* Writes one kernel wrongly. The message of the end must have `text`. */
static void refused(void (*write)(struct trace_writer *), const char *text)
{
    char path[4096];
    struct status status = {0};
    struct trace_launch launch = test_launch(2, 32);
    struct trace_writer *w = start(path);
    assert_true(trace_writer_begin(w, &launch, &status));
    write(w);
    assert_false(trace_writer_end(w, true, &status));
    expect(&status, path);
    expect(&status, "kernel wild");
    expect(&status, text);
    trace_writer_destroy(w);
    assert_int_equal(access(path, F_OK), -1);
    trace_launch_free(&launch);
}

static void one_stream(struct trace_writer *w) { trace_stream_end(trace_writer_stream(w, 1, 0)); }

static void odd_pc(struct trace_writer *w)
{
    struct issued is = {.pc = 8, .path = 1, .active = 1};
    trace_stream_add(trace_writer_stream(w, 1, 0), &is);
}

static void twice(struct trace_writer *w)
{
    write_streams(w);
    assert_null(trace_writer_stream(w, 1, 0));
}

static void behind_the_code(struct trace_writer *w)
{
    struct issued is = {.pc = TEST_CODE * 16, .path = 1, .active = 1};
    struct trace_stream *s = trace_writer_stream(w, 0, 0);
    trace_stream_add(s, &is);
    trace_stream_end(s);
    trace_stream_end(trace_writer_stream(w, 1, 0));
}

static void beyond_the_grid(struct trace_writer *w) { assert_null(trace_writer_stream(w, 2, 0)); }

static void a_writer_refuses_streams_that_cannot_be_or_are_missing(void **state)
{
    (void)state;
    refused(one_stream, "1 of 2 warps have a stream");
    refused(odd_pc, "CTA 1, warp 0: a pc that is not a multiple of 16");
    refused(twice, "no CTA 1 with a warp 0, or it has ended");
    refused(beyond_the_grid, "no CTA 2 with a warp 0");
    refused(behind_the_code, "an instruction at 0x1900, behind its code");
}

static void a_file_that_is_not_finished_leaves_nothing_behind(void **state)
{
    char path[4096];
    struct trace_writer *w = start(path);
    (void)state;
    assert_int_equal(access(path, F_OK), -1);
    trace_writer_destroy(w);
    assert_int_equal(access(path, F_OK), -1);
    trace_writer_destroy(NULL);
}

static void launches_that_cannot_be_are_refused(void **state)
{
    char path[4096];
    struct trace_writer *w = start(path);
    struct trace_launch launch = test_launch(2, 32);
    (void)state;
    struct status empty = {0}, large = {0};
    launch.grid[1] = 0;
    assert_false(trace_writer_begin(w, &launch, &empty));
    expect(&empty, "without threads");
    launch.grid[1] = 1;
    launch.block[1] = 33;
    assert_false(trace_writer_begin(w, &launch, &large));
    expect(&large, "more than 1024 threads");
    trace_writer_destroy(w);
    trace_launch_free(&launch);
}

/* A file of launches, each with a code that differs from the last by the word that `kind` makes. */
static struct trace_file *launches_of(char path[4096], const uint64_t *kind, uint32_t count)
{
    struct status status = {0};
    struct trace_writer *w = start(path);
    for (uint32_t i = 0; i < count; i++) {
        struct trace_launch launch = test_launch(2, 32);
        launch.number = i;
        launch.code[0].isa.word.lo += kind[i] << 32;
        assert_true(trace_writer_begin(w, &launch, &status));
        write_streams(w);
        assert_true(trace_writer_end(w, true, &status));
        trace_launch_free(&launch);
    }
    assert_true(trace_writer_finish(w, &status));
    trace_writer_destroy(w);
    struct trace_file *file = trace_open(path, &status);
    assert_non_null(file);
    unlink(path);
    return file;
}

static void launches_of_one_code_share_it_and_others_do_not(void **state)
{
    enum { LAUNCHES = 4 };
    char path[4096];
    struct status status = {0};
    struct trace_file *file = launches_of(path, (const uint64_t[LAUNCHES]){0, 1, 0, 1}, LAUNCHES);
    struct trace_kernel *kernel[LAUNCHES];
    const struct trace_inst *code[LAUNCHES];
    (void)state;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        kernel[i] = trace_kernel_open(file, i, &status);
        assert_non_null(kernel[i]);
        code[i] = trace_kernel_launch(kernel[i])->code;
    }
    assert_ptr_equal(code[0], code[2]);
    assert_ptr_equal(code[1], code[3]);
    assert_int_equal(code[0]->isa.word.lo + (UINT64_C(1) << 32), code[1]->isa.word.lo);
    trace_kernel_close(kernel[0]);
    assert_ptr_equal(trace_kernel_launch(kernel[2])->code, code[2]);
    for (uint32_t i = 1; i < LAUNCHES; i++)
        trace_kernel_close(kernel[i]);
    trace_close(file);
}

static void an_open_kernel_keeps_a_code_that_its_file_forgets(void **state)
{
    enum { LAUNCHES = TRACE_CODES + 1 };
    char path[4096];
    uint64_t kind[LAUNCHES];
    struct status status = {0};
    (void)state;
    for (uint32_t i = 0; i < LAUNCHES; i++)
        kind[i] = i;
    struct trace_file *file = launches_of(path, kind, LAUNCHES);
    struct trace_kernel *first = trace_kernel_open(file, 0, &status);
    for (uint32_t i = 1; i < LAUNCHES; i++)
        trace_kernel_close(trace_kernel_open(file, i, &status));
    struct trace_kernel *again = trace_kernel_open(file, 0, &status);
    assert_non_null(first);
    assert_non_null(again);
    assert_ptr_not_equal(trace_kernel_launch(first)->code, trace_kernel_launch(again)->code);
    assert_same(trace_kernel_launch(first), trace_kernel_launch(again));
    trace_kernel_close(again);
    trace_kernel_close(first);
    trace_close(file);
}

UNIT_TESTS(UNIT(a_launch_and_the_commands_around_it_are_read_as_they_were_written), UNIT(code_may_come_at_the_end),
           UNIT(a_writer_refuses_streams_that_cannot_be_or_are_missing),
           UNIT(a_file_that_is_not_finished_leaves_nothing_behind), UNIT(launches_that_cannot_be_are_refused),
           UNIT(launches_of_one_code_share_it_and_others_do_not),
           UNIT(an_open_kernel_keeps_a_code_that_its_file_forgets))
