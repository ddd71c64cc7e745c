#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/temporary.h"

static char folder[TEMPORARY_PATH];
static char target[TEMPORARY_PATH + 16];

static int enter(void **state)
{
    (void)state;
    temporary_folder(folder);
    snprintf(target, sizeof target, "%s/out.txt", folder);
    return 0;
}

/* Files in the folder. */
static int entries(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int leave(void **state)
{
    (void)state;
    unlink(target);
    return rmdir(folder);
}

static void write_file(const char *text)
{
    FILE *f = fopen(target, "w");
    fputs(text, f);
    fclose(f);
}

static void expect_content(const char *text)
{
    struct status s = {0};
    struct file_bytes bytes;
    assert_true(file_read(target, 1000, &bytes, &s));
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
    file_free(&bytes);
}

static void the_target_changes_only_at_commit(void **state)
{
    (void)state;
    struct file_output f;
    struct status s = {0};
    write_file("old");
    assert_true(file_output_open(&f, target, &s));
    fputs("new text", f.stream);
    fflush(f.stream);
    expect_content("old");
    assert_int_equal(entries(), 2);
    assert_true(file_output_commit(&f, &s));
    expect_content("new text");
    assert_int_equal(entries(), 1);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    (void)state;
    struct file_output f;
    struct status s = {0};
    assert_true(file_output_open(&f, target, &s));
    fputs("half", f.stream);
    file_output_abandon(&f);
    assert_int_equal(entries(), 0);
}

static void two_writers_of_one_target_do_not_mix(void **state)
{
    (void)state;
    struct file_output a, b;
    struct status s = {0};
    assert_true(file_output_open(&a, target, &s));
    assert_true(file_output_open(&b, target, &s));
    fputs("first", a.stream);
    fputs("second", b.stream);
    assert_true(file_output_commit(&a, &s));
    assert_true(file_output_commit(&b, &s));
    expect_content("second");
    assert_int_equal(entries(), 1);
}

static void a_link_stays_a_link_to_the_new_content(void **state)
{
    (void)state;
    char link[128];
    struct file_output f;
    struct status s = {0};
    struct stat info;
    write_file("old");
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(target, link), 0);
    assert_true(file_output_open(&f, link, &s));
    fputs("new", f.stream);
    assert_true(file_output_commit(&f, &s));
    expect_content("new");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(link);
}

static void a_device_is_written_and_not_replaced(void **state)
{
    (void)state;
    struct file_output f;
    struct status s = {0};
    struct stat info;
    assert_true(file_output_open(&f, "/dev/null", &s));
    fputs("x", f.stream);
    assert_true(file_output_commit(&f, &s));
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void a_full_disk_is_an_error_that_names_the_file(void **state)
{
    (void)state;
    struct file_output f;
    struct status s = {0};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_true(file_output_open(&f, "/dev/full", &s));
    fputs("x", f.stream);
    assert_false(file_output_commit(&f, &s));
    assert_int_equal(s.code, STATUS_IO);
    assert_string_equal(s.text, "/dev/full: No space left on device");
}

static void an_error_of_an_early_write_is_the_reason_at_commit(void **state)
{
    (void)state;
    struct file_output f;
    struct status s = {0};
    char *block = calloc(1, 1 << 20);
    if (access("/dev/full", W_OK) != 0 || !block)
        skip();
    assert_true(file_output_open(&f, "/dev/full", &s));
    for (int i = 0; i < 3; i++)
        fwrite(block, 1, 1 << 20, f.stream);
    errno = 0;
    assert_false(file_output_commit(&f, &s));
    assert_string_equal(s.text, "/dev/full: No space left on device");
    free(block);
}

static void a_file_that_grows_beyond_the_limit_is_an_error_with_its_reason_and_leaves_nothing(void **state)
{
    (void)state;
    struct file_output f;
    struct status s = {0};
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){10000, before.rlim_max};
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_true(file_output_open(&f, target, &s));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 10001; i++)
        fputc('x', f.stream);
    bool ok = file_output_commit(&f, &s);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, old);
    assert_false(ok);
    assert_non_null(strstr(s.text, ": File too large"));
    assert_int_equal(entries(), 0);
}

static void a_temporary_folder_is_for_its_user_alone_and_goes_with_its_files(void **state)
{
    (void)state;
    char made[FILE_FOLDER], path[FILE_FOLDER + 8];
    struct status s = {0};
    struct stat info;
    setenv("TMPDIR", folder, 1);
    assert_true(file_temporary_make(made, "test", &s));
    assert_int_equal(stat(made, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/a", made);
    fclose(fopen(path, "w"));
    file_temporary_remove(made);
    assert_int_equal(stat(made, &info), -1);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_false(file_temporary_make(made, "test", &s));
    assert_string_equal(s.text, "/nowhere/at/all: no temporary folder can be made there: No such file or directory; "
                                "TMPDIR names another place");
    assert_string_equal(made, "");
    file_temporary_remove(made);
    unsetenv("TMPDIR");
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct file_output f;
    struct status s = {0};
    assert_false(file_output_open(&f, "/nowhere/at/all", &s));
    assert_int_equal(s.code, STATUS_IO);
    assert_string_equal(s.text, "/nowhere/at/all: No such file or directory");
}

static void a_check_of_an_output_changes_nothing(void **state)
{
    (void)state;
    struct status s = {0};
    assert_true(file_output_check(target, &s));
    assert_int_equal(entries(), 0);
    write_file("old");
    assert_true(file_output_check(target, &s));
    expect_content("old");
    assert_int_equal(entries(), 1);
    assert_true(file_output_check("-", &s) && file_output_check("/dev/null", &s));
}

static const char *refusal(const char *path, struct status *s)
{
    *s = (struct status){0};
    assert_false(file_output_check(path, s));
    assert_int_equal(s->code, STATUS_IO);
    return s->text;
}

static void a_check_finds_folders_and_what_cannot_be_made(void **state)
{
    (void)state;
    struct status s;
    assert_string_equal(refusal("/nowhere/at/all", &s), "/nowhere/at/all: No such file or directory");
    assert_string_equal(refusal("/", &s), "/: Is a directory");
    write_file("old");
    char below[TEMPORARY_PATH + 32];
    snprintf(below, sizeof below, "%s/x", target);
    assert_non_null(strstr(refusal(below, &s), "Not a directory"));
    if (geteuid() == 0) /* root may write everywhere */
        return;
    assert_int_equal(chmod(folder, 0500), 0);
    assert_non_null(strstr(refusal(target, &s), "Permission denied"));
    assert_int_equal(chmod(folder, 0700), 0);
}

/* The reader of a pipe may come later: to open it would wait. */
static void a_check_does_not_wait_for_the_reader_of_a_pipe(void **state)
{
    (void)state;
    struct status s = {0};
    assert_int_equal(mkfifo(target, 0600), 0);
    assert_true(file_output_check(target, &s));
}

static void an_input_that_is_missing_is_found(void **state)
{
    (void)state;
    struct status s = {0};
    assert_true(file_input_check("-", &s));
    write_file("");
    assert_true(file_input_check(target, &s));
    unlink(target);
    assert_false(file_input_check(target, &s));
    assert_non_null(strstr(s.text, "out.txt: No such file or directory"));
}

static void reading_respects_the_limit_exactly(void **state)
{
    (void)state;
    struct status s = {0};
    struct file_bytes bytes;
    write_file("12345");
    assert_true(file_read(target, 5, &bytes, &s));
    file_free(&bytes);
    assert_false(file_read(target, 4, &bytes, &s));
    assert_int_equal(s.code, STATUS_IO);
    assert_null(bytes.data);
}

static void an_empty_file_can_be_read(void **state)
{
    (void)state;
    write_file("");
    expect_content("");
}

static void a_folder_and_a_missing_file_cannot_be_read(void **state)
{
    (void)state;
    struct status s = {0};
    struct file_bytes bytes;
    assert_false(file_read(folder, 100, &bytes, &s));
    assert_non_null(strstr(s.text, "not a regular file"));
    s = (struct status){0};
    assert_false(file_read(target, 100, &bytes, &s));
    assert_non_null(strstr(s.text, "No such file"));
}

static void temporary_files_go_where_the_environment_says(void **state)
{
    (void)state;
    const char *kept = getenv("TMPDIR");
    char *copy = kept ? strdup(kept) : NULL;
    setenv("TMPDIR", "/some/where", 1);
    assert_string_equal(file_temporary_folder(), "/some/where");
    setenv("TMPDIR", "", 1);
    assert_string_equal(file_temporary_folder(), "/tmp");
    unsetenv("TMPDIR");
    assert_string_equal(file_temporary_folder(), "/tmp");
    if (copy)
        setenv("TMPDIR", copy, 1);
    free(copy);
}

#define in_folder(function) cmocka_unit_test_setup_teardown(function, enter, leave)

UNIT_TESTS(in_folder(the_target_changes_only_at_commit), in_folder(an_abandoned_file_leaves_nothing),
           in_folder(two_writers_of_one_target_do_not_mix), in_folder(a_link_stays_a_link_to_the_new_content),
           UNIT(a_device_is_written_and_not_replaced), UNIT(a_full_disk_is_an_error_that_names_the_file),
           UNIT(an_error_of_an_early_write_is_the_reason_at_commit),
           in_folder(a_file_that_grows_beyond_the_limit_is_an_error_with_its_reason_and_leaves_nothing),
           in_folder(a_temporary_folder_is_for_its_user_alone_and_goes_with_its_files),
           UNIT(a_folder_that_is_not_there_is_an_error), in_folder(a_check_of_an_output_changes_nothing),
           in_folder(a_check_finds_folders_and_what_cannot_be_made),
           in_folder(a_check_does_not_wait_for_the_reader_of_a_pipe), in_folder(an_input_that_is_missing_is_found),
           in_folder(reading_respects_the_limit_exactly), in_folder(an_empty_file_can_be_read),
           in_folder(a_folder_and_a_missing_file_cannot_be_read), UNIT(temporary_files_go_where_the_environment_says))
