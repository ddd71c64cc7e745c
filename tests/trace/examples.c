/* Traces of every example have the work of every warp, and are small. */
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "recorder.h"
#include "stream.h"

static void compare_kernel(struct trace_file *file, uint32_t number, const struct recorded_kernel *expected)
{
    struct status status = {0};
    struct trace_kernel *kernel = trace_kernel_open(file, number, &status);
    if (!kernel)
        fail_msg("%s", status.text);
    struct trace_cursor *cursor = trace_cursor_create(kernel);
    assert_non_null(cursor);
    for (uint64_t i = 0; i < expected->ctas * expected->warps; i++) {
        uint64_t instructions, cta = i / expected->warps;
        uint64_t hash = stream_hash(cursor, cta, (uint32_t)(i % expected->warps), &instructions);
        assert_int_equal(instructions, expected->warp[i].instructions);
        assert_int_equal(hash, expected->warp[i].hash);
    }
    trace_cursor_destroy(cursor);
    trace_kernel_close(kernel);
}

struct sizes {
    uint64_t bytes, instructions;
    double ratios;
    unsigned examples;
};

static void check_example(const struct example *example, unsigned sm, struct sizes *sizes)
{
    char path[4096];
    struct recording r = {0};
    const struct trace_origin origin = {example->name, "none", "functional execution"};
    r.writer = trace_writer_create(trace_test_path(path), &origin, &r.status);
    assert_non_null(r.writer);
    if (!record_example(example, sm, &r) || !trace_writer_finish(r.writer, &r.status))
        fail_msg("%s: %s", example->name, r.status.text);
    trace_writer_destroy(r.writer);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    printf("# sm_%u %-20s %9llu warp instructions, %8lld bytes, %6.3f each\n", sm, example->name,
           (unsigned long long)r.instructions, (long long)info.st_size, (double)info.st_size / (double)r.instructions);
    struct trace_file *file = trace_open(path, &r.status);
    if (!file)
        fail_msg("%s", r.status.text);
    assert_string_equal(trace_origin_program(file), example->name);
    assert_int_equal(trace_kernels(file), r.kernels);
    for (uint32_t i = 0; i < r.kernels; i++) {
        struct trace_summary summary;
        trace_summary(file, i, &summary);
        assert_true(summary.complete);
        assert_int_equal(summary.ctas, r.kernel[i].ctas);
        assert_int_equal(summary.warps, r.kernel[i].ctas * r.kernel[i].warps);
        assert_int_equal(summary.instructions, r.kernel[i].instructions);
        compare_kernel(file, i, &r.kernel[i]);
    }
    trace_close(file);
    sizes->bytes += (uint64_t)info.st_size;
    sizes->instructions += r.instructions;
    sizes->ratios += (double)info.st_size / (double)r.instructions;
    sizes->examples++;
    recording_free(&r);
    unlink(path);
}

static void run_all(unsigned sm)
{
    struct sizes sizes = {0};
    size_t count;
    const struct example *examples = example_list(&count);
    for (size_t i = 0; i < count; i++)
        check_example(&examples[i], sm, &sizes);
    printf("# sm_%u: %.3f bytes a warp instruction; mean of the examples %.3f\n", sm,
           (double)sizes.bytes / (double)sizes.instructions, sizes.ratios / sizes.examples);
    assert_true(sizes.bytes <= sizes.instructions);
    assert_true(sizes.ratios <= sizes.examples);
}

static void every_warp_of_every_example_is_read_as_it_was_written_sm_80(void **state)
{
    (void)state;
    run_all(80);
}

static void every_warp_of_every_example_is_read_as_it_was_written_sm_90(void **state)
{
    (void)state;
    run_all(90);
}

UNIT_TESTS(UNIT(every_warp_of_every_example_is_read_as_it_was_written_sm_80),
           UNIT(every_warp_of_every_example_is_read_as_it_was_written_sm_90))
