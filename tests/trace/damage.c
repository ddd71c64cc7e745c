/* Files that are not whole: the damage is named, and the whole parts are read. */
#include <unistd.h>

#include "../unit.h"
#include "base/file.h"
#include "stream.h"
#include "trace/verify.h"

enum { CTAS = 40, WARPS = 2, LENGTH = 300 };

/* A file of several frames. */
static struct file_bytes write_file(struct trial *t, struct wild **all)
{
    struct file_bytes bytes;
    struct status status = {0};
    trial_begin(t, CTAS, WARPS * 32);
    *all = wild_write(t, CTAS, WARPS, LENGTH, 50);
    trial_reopen(t);
    if (!file_read(t->path, SIZE_MAX, &bytes, &status))
        fail_msg("%s", status.text);
    return bytes;
}

static void put_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

struct seen {
    uint64_t damages;
    bool hit[CTAS * WARPS];
    bool whole_kernel;
    char text[480];
};

static void see(void *self, const struct trace_damage *damage)
{
    struct seen *seen = self;
    if (!seen->damages++)
        snprintf(seen->text, sizeof seen->text, "%s", damage->text);
    seen->whole_kernel |= damage->whole_kernel;
    if (!damage->whole_kernel)
        seen->hit[damage->cta * WARPS + damage->warp] = true;
}

static bool verify(struct trace_file *file, struct seen *seen)
{
    struct status status = {0};
    const struct trace_check check = {.damage = see, .self = seen};
    uint64_t damages;
    *seen = (struct seen){0};
    if (!trace_verify(file, &check, &damages, &status))
        fail_msg("%s", status.text);
    assert_int_equal(damages, seen->damages);
    return !damages;
}

static uint64_t place_of(const struct file_bytes *bytes, const char *kind)
{
    for (size_t i = 0; i + 4 < bytes->size; i++)
        if (!memcmp(bytes->data + i, kind, 4))
            return i;
    fail_msg("there is no %s", kind);
    return 0;
}

static void a_whole_file_has_no_damage(void **state)
{
    struct trial t;
    struct wild *all;
    struct seen seen;
    (void)state;
    struct file_bytes bytes = write_file(&t, &all);
    assert_true(verify(t.file, &seen));
    file_free(&bytes);
    free(all);
    trial_end(&t);
}

static void a_damaged_frame_costs_its_own_warps_only(void **state)
{
    struct trial t;
    struct wild *all;
    struct seen seen;
    struct status status = {0};
    unsigned hits = 0;
    (void)state;
    struct file_bytes bytes = write_file(&t, &all);
    uint64_t at = place_of(&bytes, "FRAM");
    bytes.data[at + 1000] ^= 1;
    put_file(t.path, bytes.data, bytes.size);
    struct trace_file *file = trace_open(t.path, &status);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    struct trace_cursor *cursor = trace_cursor_create(kernel);
    assert_non_null(cursor);
    assert_false(verify(file, &seen));
    assert_false(seen.whole_kernel);
    assert_non_null(strstr(seen.text, t.path));
    assert_non_null(strstr(seen.text, "kernel 0 (wild), CTA "));
    assert_non_null(strstr(seen.text, "the checksum of a block is wrong"));
    for (uint32_t i = 0; i < CTAS * WARPS; i++) {
        struct status why = {0};
        hits += seen.hit[i];
        assert_int_equal(trace_kernel_check(kernel, i / WARPS, i % WARPS, &why), !seen.hit[i]);
        assert_int_equal(trace_kernel_presence(kernel, i / WARPS, i % WARPS),
                         seen.hit[i] ? TRACE_DAMAGED : TRACE_PRESENT);
        if (seen.hit[i])
            continue;
        uint64_t instructions;
        assert_int_equal(stream_hash(cursor, i / WARPS, i % WARPS, &instructions), all[i].hash);
    }
    assert_in_range(hits, 1, CTAS * WARPS - 1);
    trace_cursor_destroy(cursor);
    trace_kernel_close(kernel);
    trace_close(file);
    file_free(&bytes);
    free(all);
    trial_end(&t);
}

/* True: opening says so, or verifying does. */
static bool noticed(const char *path)
{
    struct status status = {0};
    struct seen seen = {0};
    struct trace_file *file = trace_open(path, &status);
    bool found = !file || !verify(file, &seen);
    if (!file && !strstr(status.text, path))
        fail_msg("'%s' does not name the file", status.text);
    trace_close(file);
    return found;
}

static void no_changed_byte_goes_unnoticed(void **state)
{
    struct trial t;
    struct status status = {0};
    struct file_bytes bytes;
    (void)state;
    trial_begin(&t, 2, 32);
    free(wild_write(&t, 2, 1, 20, 50));
    trial_reopen(&t);
    assert_true(file_read(t.path, SIZE_MAX, &bytes, &status));
    assert_false(noticed(t.path));
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] = (uint8_t)(bytes.data[i] ^ 1u << i % 8);
        put_file(t.path, bytes.data, bytes.size);
        if (!noticed(t.path))
            fail_msg("byte %zu of %zu", i, bytes.size);
        bytes.data[i] = (uint8_t)(bytes.data[i] ^ 1u << i % 8);
    }
    file_free(&bytes);
    trial_end(&t);
}

static void expect_refusal(const char *path, const char *text)
{
    struct status status = {0};
    assert_null(trace_open(path, &status));
    if (!strstr(status.text, path) || !strstr(status.text, text))
        fail_msg("'%s' does not say '%s'", status.text, text);
}

static void a_file_that_was_cut_short_is_refused_wherever_it_ends(void **state)
{
    struct trial t;
    struct wild *all;
    (void)state;
    struct file_bytes bytes = write_file(&t, &all);
    for (size_t size = 16; size < bytes.size; size += bytes.size / 50) {
        put_file(t.path, bytes.data, size);
        expect_refusal(t.path, "it was cut short, or its writing was interrupted");
    }
    put_file(t.path, bytes.data, 0);
    expect_refusal(t.path, "not a trace of subcore");
    file_free(&bytes);
    free(all);
    trial_end(&t);
}

/* Bytes from the begin of the file to the end of the block with this kind and kernel. */
static size_t end_of(const struct file_bytes *bytes, const char *kind, uint8_t kernel)
{
    for (size_t i = 16; i + 32 < bytes->size;) {
        const uint8_t *head = bytes->data + i;
        i += 32u + head[8] + ((size_t)head[9] << 8) + ((size_t)head[10] << 16);
        if (!memcmp(head, kind, 4) && head[4] == kernel)
            return i;
    }
    fail_msg("there is no %s of kernel %d", kind, kernel);
    return 0;
}

static void kernels_that_ended_are_read_from_a_file_without_its_end(void **state)
{
    enum { KERNELS = 3, LEFT = 2 };
    struct trial t = {0};
    struct wild *all[KERNELS];
    struct trace_launch launch = test_launch(CTAS, WARPS * 32);
    struct file_bytes bytes;
    struct seen seen;
    (void)state;
    t.writer = trace_writer_create(trace_test_path(t.path), &(struct trace_origin){"wild", NULL, NULL}, &t.status);
    for (uint32_t i = 0; i < KERNELS; i++) {
        assert_true(trace_writer_begin(t.writer, &launch, &t.status));
        all[i] = wild_write(&t, CTAS, WARPS, LENGTH, 40 + i);
        assert_true(trace_writer_end(t.writer, true, &t.status));
    }
    assert_true(trace_writer_finish(t.writer, &t.status));
    trace_writer_destroy(t.writer);
    assert_true(file_read(t.path, SIZE_MAX, &bytes, &t.status));
    size_t least = end_of(&bytes, "KIDX", LEFT - 1), most = end_of(&bytes, "KERN", LEFT);
    for (size_t size = least; size <= most; size += most - least) {
        put_file(t.path, bytes.data, size);
        struct trace_file *file = trace_open_rest(t.path, &t.status);
        assert_non_null(file);
        assert_string_equal(trace_origin_program(file), "wild");
        assert_int_equal(trace_kernels(file), LEFT);
        assert_int_equal(trace_commands(file), LEFT);
        for (uint32_t i = 0; i < LEFT; i++) {
            struct trace_summary summary;
            trace_summary(file, i, &summary);
            assert_string_equal(summary.name, "wild");
            assert_true(summary.complete);
            assert_int_equal(summary.ctas, CTAS);
            struct trace_kernel *kernel = trace_kernel_open(file, i, &t.status);
            struct trace_cursor *cursor = trace_cursor_create(kernel);
            wild_compare(cursor, all[i], CTAS, WARPS);
            trace_cursor_destroy(cursor);
            trace_kernel_close(kernel);
        }
        assert_true(verify(file, &seen));
        trace_close(file);
    }
    for (uint32_t i = 0; i < KERNELS; i++)
        free(all[i]);
    trace_launch_free(&launch);
    file_free(&bytes);
    unlink(t.path);
}

static void other_versions_and_other_files_are_refused(void **state)
{
    struct trial t;
    struct wild *all;
    struct status missing = {0}, folder = {0};
    (void)state;
    struct file_bytes bytes = write_file(&t, &all);
    bytes.data[8] = 5;
    put_file(t.path, bytes.data, bytes.size);
    expect_refusal(t.path, "a trace of version 5; this program reads versions 1 to 4");
    bytes.data[0] = 'X';
    put_file(t.path, bytes.data, bytes.size);
    expect_refusal(t.path, "not a trace of subcore");
    assert_null(trace_open("/no/such/trace", &missing));
    assert_non_null(strstr(missing.text, "No such file"));
    assert_null(trace_open("/", &folder));
    assert_non_null(strstr(folder.text, "not a regular file"));
    file_free(&bytes);
    free(all);
    trial_end(&t);
}

UNIT_TESTS(UNIT(a_whole_file_has_no_damage), UNIT(a_damaged_frame_costs_its_own_warps_only),
           UNIT(no_changed_byte_goes_unnoticed), UNIT(a_file_that_was_cut_short_is_refused_wherever_it_ends),
           UNIT(kernels_that_ended_are_read_from_a_file_without_its_end),
           UNIT(other_versions_and_other_files_are_refused))
