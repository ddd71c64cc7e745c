#include "report/record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/report/sample.h"
#include "tests/temporary.h"

static char path[TEMPORARY_PATH];

static void fresh(void) { temporary_file(path); }

static off_t file_size(void)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

static struct kernel_result functional(void)
{
    struct kernel_result r = sample_empty();
    r.detailed = false;
    r.host_seconds = 0.25;
    return r;
}

static void launch(struct recorder *recorder, const char *kernel, const struct kernel_result *result)
{
    record_launch(recorder, &(struct launch_info){.kernel = kernel, .stream = 7, .begin = 0.5, .end = 0.75}, result);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    fresh();
    struct recorder recorder;
    struct kernel_result timed = sample(3), untimed = functional();
    recorder_init(&recorder, path, true);
    launch(&recorder, "saxpy", &timed);
    launch(&recorder, "_Z5otherPf", &untimed);
    launch(&recorder, "saxpy", &timed);
    record_launch(&recorder,
                  &(struct launch_info){.kernel = "saxpy", .error = 700, .error_name = "CUDA_ERROR_ILLEGAL_ADDRESS"},
                  &untimed);
    recorder_close(&recorder);
    struct record_reader reader;
    struct launch_record r[5];
    struct status status = {0};
    assert_true(record_open(&reader, path, &status));
    for (unsigned i = 0; i < 4; i++) {
        assert_true(record_next(&reader, &r[i]));
        assert_int_equal(r[i].number, i);
        assert_int_equal(r[i].process, getpid());
    }
    assert_false(record_next(&reader, &r[4]));
    assert_false(reader.cut);
    record_close(&reader);
    assert_memory_equal(&r[0].result, &timed, sizeof timed);
    assert_memory_equal(&r[1].result, &untimed, sizeof untimed);
    assert_memory_equal(&r[2].result, &timed, sizeof timed);
    assert_int_equal(r[0].kernel_number, 0);
    assert_int_equal(r[1].kernel_number, 0);
    assert_int_equal(r[2].kernel_number, 1);
    assert_int_equal(r[3].kernel_number, 2);
    assert_string_equal(r[1].name, "other");
    assert_true(r[0].kernel_hash == r[2].kernel_hash && r[0].kernel_hash != r[1].kernel_hash);
    assert_true(r[0].stream == 7 && r[0].begin == 0.5 && r[0].end == 0.75 && r[0].error == 0);
    assert_int_equal(r[3].error, 700);
    assert_string_equal(r[3].error_name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    unlink(path);
}

static void functional_launches_leave_their_counters_out(void **state)
{
    (void)state;
    fresh();
    struct recorder recorder;
    struct kernel_result timed = sample(3), untimed = functional();
    recorder_init(&recorder, path, true);
    launch(&recorder, "saxpy", &timed);
    assert_int_equal(file_size(), sizeof(struct launch_record));
    launch(&recorder, "saxpy", &untimed);
    assert_int_equal(file_size(),
                     2 * sizeof(struct launch_record) - sizeof(struct sm_counters) - sizeof(struct mem_counters));
    recorder_close(&recorder);
    unlink(path);
}

/* Records in a file that is cut after `bytes`, and whether the reader says that it is. */
static unsigned count_after_cut(off_t bytes, bool *cut)
{
    struct record_reader reader;
    static struct launch_record record;
    struct status status = {0};
    unsigned count = 0;
    assert_int_equal(truncate(path, bytes), 0);
    assert_true(record_open(&reader, path, &status));
    while (record_next(&reader, &record))
        count++;
    *cut = reader.cut;
    record_close(&reader);
    return count;
}

static void a_cut_file_gives_the_whole_records_before_the_cut(void **state)
{
    (void)state;
    fresh();
    struct recorder recorder;
    struct kernel_result timed = sample(3), untimed = functional();
    bool cut;
    recorder_init(&recorder, path, true);
    launch(&recorder, "saxpy", &timed);
    off_t first = file_size();
    launch(&recorder, "saxpy", &untimed);
    off_t both = file_size();
    recorder_close(&recorder);
    assert_int_equal(count_after_cut(both, &cut), 2);
    assert_false(cut);
    for (off_t size = both - 1; size > first; size -= 97) {
        assert_int_equal(count_after_cut(size, &cut), 1);
        assert_true(cut);
    }
    assert_int_equal(count_after_cut(first, &cut), 1);
    assert_false(cut);
    assert_int_equal(count_after_cut(first - 1, &cut), 0);
    assert_true(cut);
    assert_int_equal(count_after_cut(1, &cut), 0);
    assert_true(cut);
    assert_int_equal(count_after_cut(0, &cut), 0);
    assert_false(cut);
    unlink(path);
}

static void other_bytes_are_no_records(void **state)
{
    (void)state;
    fresh();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (unsigned i = 0; i < sizeof(struct launch_record); i++)
        fputc('x', file);
    fclose(file);
    bool cut;
    assert_int_equal(count_after_cut(sizeof(struct launch_record), &cut), 0);
    assert_true(cut);
    unlink(path);
}

/* Writes one record with changed bytes: how many of it are read. */
static unsigned count_after_change(size_t place, uint8_t value)
{
    fresh();
    struct recorder recorder;
    struct kernel_result timed = sample(3);
    bool cut;
    recorder_init(&recorder, path, true);
    launch(&recorder, "saxpy", &timed);
    recorder_close(&recorder);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(file, &value, 1, (off_t)place), 1);
    close(file);
    unsigned count = count_after_cut(file_size(), &cut);
    assert_int_equal(cut, !count);
    unlink(path);
    return count;
}

static void values_that_no_launch_has_end_the_records(void **state)
{
    (void)state;
    assert_int_equal(count_after_change(offsetof(struct launch_record, result.stop), STOP_COUNT - 1), 1);
    assert_int_equal(count_after_change(offsetof(struct launch_record, result.stop), STOP_COUNT), 0);
    assert_int_equal(count_after_change(offsetof(struct launch_record, result.occupancy.limit), LIMIT_COUNT - 1), 1);
    assert_int_equal(count_after_change(offsetof(struct launch_record, result.occupancy.limit), LIMIT_COUNT), 0);
    assert_int_equal(count_after_change(offsetof(struct launch_record, result.detailed), 1), 1);
    assert_int_equal(count_after_change(offsetof(struct launch_record, result.detailed), 2), 0);
    assert_int_equal(count_after_change(offsetof(struct launch_record, result.rest_executed), 2), 0);
    assert_int_equal(count_after_change(offsetof(struct launch_record, end) + 7, 0xbf), 0); /* below 0 */
    assert_int_equal(count_after_change(offsetof(struct launch_record, begin) + 7, 0x7f), 0);
}

/* A program names its kernels as it likes. */
static void names_are_read_without_control_characters(void **state)
{
    (void)state;
    fresh();
    struct recorder recorder;
    struct kernel_result timed = sample(3);
    struct record_reader reader;
    struct launch_record record;
    struct status status = {0};
    snprintf(timed.kernel, sizeof timed.kernel, "a\x1b[2J");
    recorder_init(&recorder, path, true);
    launch(&recorder, "a\x1b[2J", &timed);
    recorder_close(&recorder);
    assert_true(record_open(&reader, path, &status) && record_next(&reader, &record));
    assert_string_equal(record.name, "a?[2J");
    assert_string_equal(record.result.kernel, "a?[2J");
    record_close(&reader);
    unlink(path);
}

static void a_file_that_is_not_there_has_no_records(void **state)
{
    (void)state;
    struct record_reader reader;
    static struct launch_record record;
    struct status status = {0};
    assert_true(record_open(&reader, "/no-such-folder/file", &status));
    assert_false(record_next(&reader, &record));
    record_close(&reader);
    assert_false(record_open(&reader, "/no-such-folder/\377/x/../..", &status) && reader.file);
}

static void several_writers_append_to_one_file(void **state)
{
    (void)state;
    fresh();
    struct recorder one, two;
    struct kernel_result untimed = functional();
    bool cut;
    recorder_init(&one, path, true);
    recorder_init(&two, path, true);
    for (unsigned i = 0; i < 3; i++) {
        launch(&one, "a", &untimed);
        launch(&two, "b", &untimed);
    }
    recorder_close(&one);
    recorder_close(&two);
    assert_int_equal(count_after_cut(file_size(), &cut), 6);
    assert_false(cut);
    unlink(path);
}

static void numbers_count_the_launches_of_each_of_many_kernels(void **state)
{
    (void)state;
    struct recorder recorder;
    struct kernel_result untimed = functional();
    char name[32];
    recorder_init(&recorder, NULL, true);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "kernel_%u", i % 300);
        assert_int_equal(record_number(&recorder, name), i / 300);
        launch(&recorder, name, &untimed);
    }
    assert_int_equal(record_number(&recorder, "kernel_300"), 0);
    assert_int_equal(recorder.launches, 3000);
    recorder_close(&recorder);
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static void expect_line(const struct launch_record *record, const char *expected)
{
    char line[RECORD_LINE];
    record_line(record, line);
    assert_string_equal(line, expected);
}

static void a_line_says_what_a_launch_was_and_took(void **state)
{
    (void)state;
    struct launch_record r = {.number = 3, .name = "ns::saxpy<float>", .result = sample(3)};
    r.result.sm.inst_executed = 5 * r.result.sm.cycles_active / 4;
    expect_line(&r, "subcore:    3 ns::saxpy<float>                       (256) x (16 x 16) "
                    "      123,456 cycles   68.59 us  IPC 1.25\n");
    r.result = functional();
    expect_line(&r, "subcore:    3 ns::saxpy<float>                       (256) x (16 x 16) "
                    "functional, 1,234,567 warp instructions\n");
    r.error = 700;
    snprintf(r.error_name, sizeof r.error_name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    r.result.ctas_done = 12;
    expect_line(&r, "subcore:    3 ns::saxpy<float>                       (256) x (16 x 16) "
                    "CUDA_ERROR_ILLEGAL_ADDRESS (700), 12 of 256 CTAs\n");
}

static void a_line_has_at_most_120_columns(void **state)
{
    (void)state;
    struct launch_record r = {.number = UINT64_MAX, .result = sample(3)};
    char line[RECORD_LINE];
    memset(r.name, 'k', sizeof r.name - 1);
    memset(r.error_name, 'E', sizeof r.error_name - 1);
    for (int i = 0; i < 3; i++)
        r.result.grid[i] = r.result.block[i] = UINT32_MAX;
    r.result.cycles = r.result.warp_instructions = r.result.ctas = UINT64_MAX;
    for (int form = 0; form < 3; form++) {
        r.result.detailed = form == 0;
        r.error = form == 2;
        record_line(&r, line);
        assert_true(strlen(line) <= 121);
        assert_int_equal(line[strlen(line) - 1], '\n');
        assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    }
}

static void lines_go_to_standard_error_unless_quiet(void **state)
{
    (void)state;
    fresh();
    struct recorder recorder;
    struct kernel_result untimed = functional();
    char text[256] = "";
    fflush(stderr);
    int saved = dup(STDERR_FILENO), file = open(path, O_RDWR | O_TRUNC);
    dup2(file, STDERR_FILENO);
    for (int quiet = 1; quiet >= 0; quiet--) {
        recorder_init(&recorder, NULL, quiet);
        launch(&recorder, quiet ? "silent" : "loud", &untimed);
        recorder_close(&recorder);
    }
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    close(file);
    assert_null(strstr(text, "silent"));
    assert_ptr_equal(strstr(text, "subcore:    0 loud"), text);
    unlink(path);
}

static int error_of(const char *to)
{
    struct recorder recorder;
    struct kernel_result untimed = functional();
    recorder_init(&recorder, to, true);
    launch(&recorder, "a", &untimed);
    launch(&recorder, "a", &untimed);
    int error = recorder.error;
    recorder_close(&recorder);
    return error;
}

static void a_record_that_cannot_be_written_leaves_its_reason(void **state)
{
    (void)state;
    char link_to[TEMPORARY_PATH + 8];
    struct rlimit before, small;
    fresh();
    assert_int_equal(error_of(path), 0);
    assert_int_equal(error_of("/no/such/folder/x"), ENOENT);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(error_of("/dev/full"), ENOSPC);
    snprintf(link_to, sizeof link_to, "%s.link", path);
    assert_int_equal(symlink(path, link_to), 0);
    assert_int_equal(error_of(link_to), ELOOP);
    unlink(link_to);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){(rlim_t)file_size() + 100, before.rlim_max};
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int error = error_of(path);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, old);
    assert_int_equal(error, EFBIG); /* after the 100 bytes that there was room for */
    assert_int_equal(file_size(), small.rlim_cur);
    unlink(path);
}

static void lines_of_a_kernel_become_rare_after_the_first_hundred(void **state)
{
    (void)state;
    unsigned lines = 0, until[5] = {0};
    const unsigned ends[5] = {99, 100, 1000, 10000, 100000};
    for (unsigned n = 0, e = 0; n < 100000; n++) {
        lines += record_has_line(n);
        if (n + 1 == ends[e])
            until[e++] = lines;
    }
    assert_int_equal(until[0], 99);
    assert_int_equal(until[1], 100);
    assert_int_equal(until[2], 190);
    assert_int_equal(until[3], 280);
    assert_int_equal(until[4], 370);
    assert_false(record_has_line(100));
    assert_true(record_has_line(109));
    assert_false(record_has_line(1009));
    assert_true(record_has_line(1099));
}

/* Standard error while `count` launches of a kernel are recorded. The last one fails. */
static unsigned printed_lines(unsigned count, unsigned *notes)
{
    struct recorder recorder;
    struct kernel_result untimed = functional();
    char line[256];
    unsigned lines = 0;
    fflush(stderr);
    int saved = dup(STDERR_FILENO), file = open(path, O_RDWR | O_TRUNC);
    dup2(file, STDERR_FILENO);
    recorder_init(&recorder, NULL, false);
    for (unsigned i = 0; i + 1 < count; i++)
        launch(&recorder, "k", &untimed);
    record_launch(&recorder, &(struct launch_info){.kernel = "k", .error = 700, .error_name = "CUDA_ERROR"}, &untimed);
    recorder_close(&recorder);
    dup2(saved, STDERR_FILENO);
    close(saved);
    FILE *text = fdopen(file, "r");
    rewind(text);
    for (*notes = 0; fgets(line, sizeof line, text); lines++)
        *notes += strstr(line, "every tenth launch after the first 100 has a line") != NULL;
    fclose(text);
    return lines;
}

static void thin_lines_are_announced_once_and_failures_always_have_one(void **state)
{
    (void)state;
    unsigned notes;
    fresh();
    assert_int_equal(printed_lines(100, &notes), 100);
    assert_int_equal(notes, 0);
    assert_int_equal(printed_lines(101, &notes), 101); /* the failure */
    assert_int_equal(notes, 0);
    assert_int_equal(printed_lines(115, &notes), 100 + 1 + 1 + 1); /* number 109 and the failure */
    assert_int_equal(notes, 1);
    unlink(path);
}

static void a_copy_is_given_of_a_launch_that_has_no_record(void **state)
{
    (void)state;
    struct recorder recorder;
    struct kernel_result timed = sample(3);
    struct launch_record copy = {0};
    const struct launch_info info = {.kernel = "_Z5otherPf", .order = 9, .left_out = true, .copy = &copy};
    recorder_init(&recorder, NULL, true);
    record_launch(&recorder, &info, &timed);
    recorder_close(&recorder);
    assert_true(copy.order == 9 && strcmp(copy.name, "other") == 0);
    assert_memory_equal(&copy.result, &timed, sizeof timed);
}

UNIT_TESTS(UNIT(what_is_written_is_read_back), UNIT(a_copy_is_given_of_a_launch_that_has_no_record),
           UNIT(functional_launches_leave_their_counters_out), UNIT(a_cut_file_gives_the_whole_records_before_the_cut),
           UNIT(other_bytes_are_no_records), UNIT(values_that_no_launch_has_end_the_records),
           UNIT(names_are_read_without_control_characters), UNIT(a_file_that_is_not_there_has_no_records),
           UNIT(several_writers_append_to_one_file), UNIT(numbers_count_the_launches_of_each_of_many_kernels),
           UNIT(a_line_says_what_a_launch_was_and_took), UNIT(a_line_has_at_most_120_columns),
           UNIT(lines_go_to_standard_error_unless_quiet), UNIT(a_record_that_cannot_be_written_leaves_its_reason),
           UNIT(lines_of_a_kernel_become_rare_after_the_first_hundred),
           UNIT(thin_lines_are_announced_once_and_failures_always_have_one))
