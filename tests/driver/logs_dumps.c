/* Dumps of the error log to memory and to files, and the entries that do not fit. */
#include "driver/state/logs.h"
#include "tests/driver/logs.h"

static void a_dump_moves_its_iterator_to_the_end(void **state)
{
    (void)state;
    static char text[BUFFER];
    CUlogIterator at = now();
    refuse();
    refuse();
    dump(&at, text);
    assert_int_equal(lines_of(text), 2);
    assert_int_equal(at, now());
    assert_int_equal(dump(&at, text), 0);
    refuse();
    dump(&at, text);
    assert_int_equal(lines_of(text), 1);
}

static void the_log_keeps_100_entries_and_not_one_more(void **state)
{
    (void)state;
    static char text[BUFFER];
    const char *note = "The log is truncated: 1 older messages are missing.\n";
    CUlogIterator start = now(), at = start;
    for (int i = 0; i < LOGS_ENTRIES; i++)
        refuse();
    dump(&at, text);
    assert_int_equal(lines_of(text), LOGS_ENTRIES);
    assert_null(strstr(text, "truncated"));
    refuse();
    at = start;
    dump(&at, text);
    assert_int_equal(strncmp(text, note, strlen(note)), 0);
    assert_int_equal(lines_of(text), LOGS_ENTRIES + 1);
    dump(NULL, text);
    assert_int_equal(strncmp(text, "The log is truncated: ", 22), 0);
    assert_int_equal(lines_of(text), LOGS_ENTRIES + 1);
}

static void a_buffer_of_25600_bytes_takes_all_that_is_kept(void **state)
{
    (void)state;
    static char text[BUFFER], all[BUFFER];
    CUcontext context = rig_context("rtx-a6000");
    for (int i = 0; i < LOGS_ENTRIES; i++)
        refuse_at_length();
    size_t size = LOGS_BYTES, bytes = dump(NULL, all);
    assert_true(bytes < LOGS_BYTES && bytes > LOGS_BYTES - 1000);
    SUCCEEDS(cuLogsDumpToMemory(NULL, text, &size, 0));
    assert_int_equal(size, bytes);
    assert_string_equal(text, all);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void what_does_not_fit_is_left_out_from_the_oldest_on(void **state)
{
    (void)state;
    static char all[BUFFER], text[BUFFER];
    const char *note = "The log is truncated: 1 older messages are missing.\n";
    const char *two = "The log is truncated: 2 older messages are missing.\n";
    CUlogIterator start = now(), at = start;
    for (int i = 0; i < 3; i++)
        refuse();
    size_t bytes = dump(&at, all), line = bytes / 3, size = bytes + 1;
    at = start;
    SUCCEEDS(cuLogsDumpToMemory(&at, text, &size, 0));
    assert_int_equal(size, bytes);
    assert_string_equal(text, all);
    memset(text, 'x', sizeof text);
    at = start;
    size = bytes;
    SUCCEEDS(cuLogsDumpToMemory(&at, text, &size, 0));
    assert_int_equal(at, start + 3);
    assert_int_equal(size, strlen(text));
    assert_int_equal(strncmp(text, note, strlen(note)), 0);
    assert_string_equal(text + strlen(note), all + line);
    at = start;
    size = strlen(two) + line + 1;
    SUCCEEDS(cuLogsDumpToMemory(&at, text, &size, 0));
    assert_int_equal(size, strlen(two) + line);
    assert_int_equal(strncmp(text, two, strlen(two)), 0);
    assert_string_equal(text + strlen(two), all + 2 * line);
    at = start;
    size = strlen(two) + line;
    text[strlen(two) + line] = 'y';
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(&at, text, &size, 0));
    assert_int_equal(size, 0);
    assert_int_equal(at, start);
    assert_string_equal(text, "");
    size = 0;
    text[0] = 'z';
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(&at, text, &size, 0));
    assert_int_equal(text[0], 'z');
}

static void dumps_to_a_file_follow_each_other(void **state)
{
    (void)state;
    static char all[BUFFER], text[BUFFER];
    char path[TEMPORARY_PATH];
    temporary_file(path);
    CUlogIterator start = now(), at = start;
    for (int i = 0; i < 3; i++) {
        refuse();
        SUCCEEDS(cuLogsDumpToFile(&at, path, 0));
        assert_int_equal(at, now());
    }
    SUCCEEDS(cuLogsDumpToFile(&at, path, 0)); /* nothing new */
    dump(&start, all);
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    assert_string_equal(text, all);
}

static void a_file_that_cannot_be_written_is_an_invalid_value_and_keeps_the_iterator(void **state)
{
    (void)state;
    static char text[BUFFER];
    CUlogIterator start = now(), at = start;
    refuse();
    CUlogIterator end = now();
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToFile(&at, "/nowhere/log", 0));
    assert_int_equal(at, start);
    assert_string_equal(only(end, text), "[CUDA][E][cuLogsDumpToFile] /nowhere/log: No such file or directory");
    end = now();
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToFile(&at, "/dev/full", 0));
    assert_int_equal(at, start);
    assert_string_equal(only(end, text), "[CUDA][E][cuLogsDumpToFile] /dev/full: No space left on device");
}

static void wrong_arguments_are_invalid_and_say_why(void **state)
{
    (void)state;
    static char text[BUFFER], buffer[8];
    CUlogIterator at = 0, start = now();
    size_t size = sizeof buffer;
    struct {
        CUresult result;
        const char *entry;
    } rows[] = {
        {cuLogsCurrent(NULL, 0), "[cuLogsCurrent] iterator_out is NULL\n"},
        {cuLogsCurrent(&at, 1), "[cuLogsCurrent] flags is not 0\n"},
        {cuLogsDumpToFile(&at, NULL, 0), "[cuLogsDumpToFile] pathToFile is NULL\n"},
        {cuLogsDumpToFile(&at, "/nowhere/log", 1), "[cuLogsDumpToFile] flags is not 0\n"},
        {cuLogsDumpToMemory(&at, NULL, &size, 0), "[cuLogsDumpToMemory] buffer is NULL\n"},
        {cuLogsDumpToMemory(&at, buffer, NULL, 0), "[cuLogsDumpToMemory] size is NULL\n"},
        {cuLogsDumpToMemory(&at, buffer, &size, 1), "[cuLogsDumpToMemory] flags is not 0\n"},
        {cuLogsRegisterCallback(NULL, NULL, NULL), "[cuLogsRegisterCallback] callbackFunc is NULL\n"},
        {cuLogsUnregisterCallback(NULL), "[cuLogsUnregisterCallback] callback is not registered\n"},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    assert_int_equal(now(), start + ROWS);
    dump(&start, text);
    const char *line = text;
    for (size_t i = 0; i < ROWS; i++) {
        ANSWERS(CUDA_ERROR_INVALID_VALUE, rows[i].result);
        line = strstr(line, rows[i].entry);
        assert_non_null(line);
    }
    CUlogIterator late = now() + 1;
    size = sizeof text;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLogsDumpToMemory(&late, text, &size, 0));
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
}

UNIT_TESTS(UNIT(a_dump_moves_its_iterator_to_the_end), UNIT(the_log_keeps_100_entries_and_not_one_more),
           UNIT(a_buffer_of_25600_bytes_takes_all_that_is_kept), UNIT(what_does_not_fit_is_left_out_from_the_oldest_on),
           UNIT(dumps_to_a_file_follow_each_other),
           UNIT(a_file_that_cannot_be_written_is_an_invalid_value_and_keeps_the_iterator),
           UNIT(wrong_arguments_are_invalid_and_say_why))
