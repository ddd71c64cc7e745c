/* A cut trace has the kernels and CTAs that were asked for, and nothing else. */
#include <unistd.h>

#include "../unit.h"
#include "stream.h"
#include "trace/cut.h"
#include "trace/verify.h"

enum { CTAS = 30, WARPS = 3, LENGTH = 400, KERNELS = 3 };

struct original {
    char path[4096], copy[4096];
    struct wild *all[KERNELS];
    struct trace_file *file;
    struct status status;
};

/* A copy between hosts and device before each of three kernels. */
static void write_original(struct original *o)
{
    struct trial t = {0};
    struct trace_launch launch = test_launch(CTAS, WARPS * 32);
    *o = (struct original){0};
    trace_test_path(o->path);
    snprintf(o->copy, sizeof o->copy, "%.4000s.cut", o->path);
    t.writer = trace_writer_create(o->path, &(struct trace_origin){"wild", "a100", "a test"}, &o->status);
    assert_non_null(t.writer);
    for (uint32_t i = 0; i < KERNELS; i++) {
        launch.number = i;
        assert_true(trace_writer_copy(t.writer, &(struct trace_copy){i, 1, 2}, &o->status));
        assert_true(trace_writer_begin(t.writer, &launch, &o->status));
        o->all[i] = wild_write(&t, CTAS, WARPS, LENGTH + i, 40 + 20 * i);
        assert_true(trace_writer_end(t.writer, true, &o->status));
    }
    assert_true(trace_writer_finish(t.writer, &o->status));
    trace_writer_destroy(t.writer);
    trace_launch_free(&launch);
    o->file = trace_open(o->path, &o->status);
    assert_non_null(o->file);
}

static void end(struct original *o)
{
    trace_close(o->file);
    for (unsigned i = 0; i < KERNELS; i++)
        free(o->all[i]);
    unlink(o->path);
    unlink(o->copy);
}

static struct trace_file *cut(struct original *o, const struct trace_cut *cut)
{
    if (!trace_cut(o->file, o->copy, cut, &o->status))
        fail_msg("%s", o->status.text);
    struct trace_file *file = trace_open(o->copy, &o->status);
    if (!file)
        fail_msg("%s", o->status.text);
    return file;
}

static void found(void *self, const struct trace_damage *damage)
{
    (void)self;
    fail_msg("%s", damage->text);
}

/* Kernel `number` of the cut file has CTAs first..first+count-1 of kernel `of`. */
static void assert_ctas(struct original *o, struct trace_file *file, uint32_t number, uint32_t of, uint64_t first,
                        uint64_t count)
{
    struct trace_summary summary;
    struct trace_kernel *kernel = trace_kernel_open(file, number, &o->status);
    assert_non_null(kernel);
    struct trace_cursor *cursor = trace_cursor_create(kernel);
    trace_summary(file, number, &summary);
    assert_int_equal(summary.ctas, count);
    assert_int_equal(summary.warps, count * WARPS);
    assert_int_equal(summary.complete, count == CTAS);
    assert_int_equal(trace_kernel_launch(kernel)->grid[0], CTAS);
    assert_int_equal(trace_kernel_launch(kernel)->number, of);
    uint64_t sum = 0, cta = trace_kernel_next_cta(kernel, 0);
    for (uint64_t i = first; i < first + count; i++, cta = trace_kernel_next_cta(kernel, cta + 1)) {
        assert_int_equal(cta, i);
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            uint64_t instructions, hash = stream_hash(cursor, cta, warp, &instructions);
            assert_int_equal(hash, o->all[of][cta * WARPS + warp].hash);
            sum += instructions;
        }
    }
    assert_int_equal(cta, UINT64_MAX);
    assert_int_equal(summary.instructions, sum);
    if (first)
        assert_int_equal(trace_kernel_presence(kernel, 0, 0), TRACE_ABSENT);
    trace_cursor_destroy(cursor);
    trace_kernel_close(kernel);
    uint64_t damages;
    const struct trace_check check = {.damage = found};
    assert_true(trace_verify(file, &check, &damages, &o->status));
}

static void a_trace_that_is_not_cut_is_copied(void **state)
{
    struct original o;
    (void)state;
    write_original(&o);
    struct trace_file *file = cut(&o, &(struct trace_cut){0});
    assert_int_equal(trace_kernels(file), KERNELS);
    assert_string_equal(trace_origin_gpu(file), "a100");
    for (uint32_t i = 0; i < KERNELS; i++)
        assert_ctas(&o, file, i, i, 0, CTAS);
    trace_close(file);
    end(&o);
}

static void the_first_ctas_of_each_kernel_are_kept(void **state)
{
    struct original o;
    (void)state;
    write_original(&o);
    struct trace_file *file = cut(&o, &(struct trace_cut){.ctas = 7});
    for (uint32_t i = 0; i < KERNELS; i++)
        assert_ctas(&o, file, i, i, 0, 7);
    trace_close(file);
    end(&o);
}

static bool keep_last(void *self, uint32_t kernel)
{
    (void)self;
    return kernel == KERNELS - 1;
}

static void kernels_are_left_out_and_copies_are_not(void **state)
{
    struct original o;
    (void)state;
    write_original(&o);
    struct trace_file *file = cut(&o, &(struct trace_cut){.keep = keep_last, .first_cta = 11, .ctas = 2});
    assert_int_equal(trace_kernels(file), 1);
    assert_int_equal(trace_commands(file), KERNELS + 1);
    for (uint32_t i = 0; i < KERNELS; i++) {
        assert_int_equal(trace_command(file, i)->kind, TRACE_COPY);
        assert_int_equal(trace_command(file, i)->copy.address, i);
    }
    assert_int_equal(trace_command(file, KERNELS)->kernel, 0);
    assert_ctas(&o, file, 0, KERNELS - 1, 11, 2);
    trace_close(file);
    end(&o);
}

static void ctas_behind_the_grid_leave_a_kernel_without_streams(void **state)
{
    struct original o;
    (void)state;
    write_original(&o);
    struct trace_file *file = cut(&o, &(struct trace_cut){.first_cta = CTAS});
    assert_ctas(&o, file, 1, 1, CTAS, 0);
    trace_close(file);
    end(&o);
}

UNIT_TESTS(UNIT(a_trace_that_is_not_cut_is_copied), UNIT(the_first_ctas_of_each_kernel_are_kept),
           UNIT(kernels_are_left_out_and_copies_are_not), UNIT(ctas_behind_the_grid_leave_a_kernel_without_streams))
