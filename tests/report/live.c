#include "report/live.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/temporary.h"

static char folder[TEMPORARY_PATH], records[TEMPORARY_PATH + 8], path[TEMPORARY_PATH + 16];

static int enter(void **state)
{
    (void)state;
    temporary_folder(folder);
    snprintf(records, sizeof records, "%s/records", folder);
    snprintf(path, sizeof path, "%s.live", records);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void what_a_killed_process_has_told_is_read(void **state)
{
    (void)state;
    struct status status = {0};
    struct live_place places[LIVE_PROCESSES];
    char text[LIVE_TEXT];
    assert_true(live_create(records, &status));
    assert_int_equal(live_read(records, places), 0);
    pid_t child = fork();
    if (child == 0) {
        struct live_place *place = live_join(records);
        snprintf(place->kernel, sizeof place->kernel, "saxpy");
        place->ctas = 64;
        place->ctas_done = 3;
        place->cycle = 12345;
        place->instructions = 67890;
        place->running = true;
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    assert_int_equal(live_read(records, places), 1);
    assert_int_equal(atomic_load(&places[0].process), child);
    assert_true(places[0].running);
    live_text(&places[0], text);
    assert_string_equal(text, "saxpy: 3 of 64 CTAs completed, cycle 12,345, 67,890 warp instructions");
    places[0].cycle = 0;
    live_text(&places[0], text);
    assert_string_equal(text, "saxpy: 3 of 64 CTAs completed, 67,890 warp instructions");
}

static void there_are_64_places(void **state)
{
    (void)state;
    struct status status = {0};
    struct live_place places[LIVE_PROCESSES];
    assert_true(live_create(records, &status));
    for (unsigned i = 0; i < 64; i++)
        assert_non_null(live_join(records));
    assert_null(live_join(records));
    assert_int_equal(live_read(records, places), 64);
}

static void no_other_file_is_touched(void **state)
{
    (void)state;
    struct status status = {0};
    struct live_place places[LIVE_PROCESSES];
    struct stat info;
    assert_null(live_join(NULL));
    assert_null(live_join(records));
    FILE *file = fopen(path, "w");
    fputs("short", file);
    fclose(file);
    assert_false(live_create(records, &status));
    assert_non_null(strstr(status.text, ".live: File exists"));
    assert_null(live_join(records));
    assert_int_equal(live_read(records, places), 0);
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_null(live_join(records));
    unlink(path);
    assert_true(live_create(records, &(struct status){0}));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

#define in_folder(function) cmocka_unit_test_setup_teardown(function, enter, leave)

UNIT_TESTS(in_folder(what_a_killed_process_has_told_is_read), in_folder(there_are_64_places),
           in_folder(no_other_file_is_touched))
