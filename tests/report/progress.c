/* Lines of progress where standard error is no terminal. */
#include "report/progress.h"

#include <fcntl.h>
#include <time.h>

#include "tests/temporary.h"

static char path[TEMPORARY_PATH];
static char text[4096];

/* Standard error of a kernel that is shown twice, with a pause after each. */
static const char *shown(const char *setting, bool quiet, long pause_ms, struct live_place *live)
{
    const struct timespec pause = {.tv_nsec = pause_ms * 1000000};
    struct progress progress;
    int file = temporary_open(path);
    if (setting)
        setenv("SUBCORE_PROGRESS", setting, 1);
    else
        unsetenv("SUBCORE_PROGRESS");
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    progress_init(&progress, quiet);
    progress.live = live;
    progress.half_width = live ? 0 : 0.0123;
    progress_start(&progress, "saxpy");
    nanosleep(&pause, NULL);
    progress_show(&progress, 3, 64, 1234, 5678);
    progress_show(&progress, 4, 64, 1235, 5679);
    progress_end(&progress);
    progress_start(&progress, "other");
    nanosleep(&pause, NULL);
    progress_show(&progress, 0, 5, 0, 0);
    progress_end(&progress);
    dup2(saved, STDERR_FILENO);
    close(saved);
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(file);
    unlink(path);
    return text;
}

static void a_line_names_the_kernel_and_how_far_it_is(void **state)
{
    (void)state;
    const char *line = shown("0.02", false, 30, NULL);
    assert_ptr_equal(strstr(line, "subcore: saxpy: 3 of 64 CTAs, cycle 1,234, "), line);
    assert_non_null(strstr(line, "inst/s, "));
    assert_non_null(strstr(line, " left, +-1.23 % so far\nsubcore: other: 0 of 5 CTAs, +-1.23 % so far\n"));
    assert_null(strstr(line, "4 of 64"));
    assert_null(strchr(line, '\r'));
}

static void lines_are_ten_seconds_apart_and_can_be_left_out(void **state)
{
    (void)state;
    struct progress progress;
    assert_string_equal(shown("0.02", true, 30, NULL), "");
    assert_string_equal(shown("0", false, 1, NULL), "");
    assert_string_equal(shown("3600", false, 1, NULL), "");
    assert_string_equal(shown(NULL, false, 1, NULL), "");
    progress_init(&progress, false);
    assert_true(progress.every == 10);
    setenv("SUBCORE_PROGRESS", "ten", 1);
    progress_init(&progress, false);
    assert_true(progress.every == 10);
}

static void another_process_can_read_it_also_where_nothing_is_printed(void **state)
{
    (void)state;
    struct live_place live = {.record_error = 0};
    shown("0", true, 1, &live);
    assert_string_equal(live.kernel, "other");
    assert_int_equal(live.ctas, 5);
    assert_int_equal(live.instructions, 0);
    assert_false(live.running);
}

UNIT_TESTS(UNIT(a_line_names_the_kernel_and_how_far_it_is), UNIT(lines_are_ten_seconds_apart_and_can_be_left_out),
           UNIT(another_process_can_read_it_also_where_nothing_is_printed))
