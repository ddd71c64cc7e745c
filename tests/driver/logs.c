/* The error log: its entries, its dumps, and when callbacks run. */
#include "driver/state/logs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "driver/state/driver.h"
#include "driver/state/entries.h"
#include "driver/state/thread.h"
#include "tests/driver/kernels.h"
#include "tests/temporary.h"

enum { BUFFER = 64 << 10 };
#define REFUSED "[cuIpcGetMemHandle] cuIpcGetMemHandle is not supported"

/* A call that always fails, with a reason. */
static void refuse(void)
{
    void *function = NULL;
    entry_function call;
    SUCCEEDS(cuGetProcAddress_v2("cuIpcGetMemHandle", &function, 13000, 0, NULL));
    memcpy(&call, &function, sizeof call);
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, call());
}

/* The same with a long reason: cuModuleLoad names the file. */
static void refuse_at_length(void)
{
    char path[TEMPORARY_PATH + 800], folder[TEMPORARY_PATH];
    CUmodule module;
    temporary_folder(folder);
    size_t length = (size_t)snprintf(path, sizeof path, "%s/", folder);
    memset(path + length, 'x', 200);
    path[length + 200] = '\0';
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("this is no code for a GPU", file);
    fclose(file);
    assert_int_not_equal(cuModuleLoad(&module, path), CUDA_SUCCESS);
    unlink(path);
    rmdir(folder);
}

static CUlogIterator now(void)
{
    CUlogIterator end = 12345;
    SUCCEEDS(cuLogsCurrent(&end, 0));
    return end;
}

/* All that has been entered since; its bytes. */
static size_t dump(CUlogIterator *from, char text[BUFFER])
{
    size_t size = BUFFER;
    SUCCEEDS(cuLogsDumpToMemory(from, text, &size, 0));
    assert_int_equal(strlen(text), size);
    return size;
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* The one entry since, without its time and thread. */
static const char *only(CUlogIterator since, char text[BUFFER])
{
    unsigned hour, minute, second, thousandth;
    int end = 0;
    dump(&since, text);
    assert_int_equal(lines_of(text), 1);
    text[strlen(text) - 1] = '\0';
    assert_int_equal(sscanf(text, "[%2u:%2u:%2u.%3u][%*u]%n", &hour, &minute, &second, &thousandth, &end), 4);
    assert_true(end > 0 && hour < 24 && minute < 60 && second < 61);
    return text + end;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static void the_log_is_there_and_empty_before_cuinit(void **state)
{
    (void)state;
    static char text[BUFFER];
    CUlogIterator start = now();
    assert_int_equal(start, 0);
    assert_int_equal(dump(&start, text), 0);
    assert_int_equal(dump(NULL, text), 0);
    text[0] = 'x';
    size_t none = 0;
    SUCCEEDS(cuLogsDumpToMemory(&start, text, &none, 0));
    assert_int_equal(text[0], 'x');
}

static void a_refused_function_is_entered_each_time(void **state)
{
    (void)state;
    static char text[BUFFER];
    for (int i = 0; i < 2; i++) {
        CUlogIterator start = now();
        refuse();
        assert_int_equal(now(), start + 1);
        assert_string_equal(only(start, text), "[CUDA][E]" REFUSED);
    }
}

static void a_failure_without_a_known_reason_and_a_success_are_not_entered(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr address;
    CUlogIterator start = now();
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(NULL, 16));
    SUCCEEDS(cuMemAlloc_v2(&address, 16));
    assert_int_equal(now(), start);
    refuse();
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(NULL, 16)); /* the reason was that of the call before */
    assert_int_equal(now(), start + 1);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_file_that_is_no_code_is_entered_with_its_reason(void **state)
{
    (void)state;
    static char text[BUFFER];
    CUcontext context = rig_context("rtx-a6000");
    CUlogIterator start = now();
    refuse_at_length();
    const char *entry = only(start, text);
    assert_int_equal(strncmp(entry, "[CUDA][E][cuModuleLoad] ", 24), 0);
    assert_non_null(strstr(entry, "xxxx: "));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void each_call_that_answers_a_fault_is_entered_with_the_kernel(void **state)
{
    (void)state;
    static char text[BUFFER];
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = 0;
    CUlogIterator start = now();
    SUCCEEDS(run(kernels_get(&k, "write_at"), 1, 32, (void *[]){&address}));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    const char *entry = only(start, text);
    const char *begin = "[CUDA][E][cuCtxSynchronize] error 700 (CUDA_ERROR_ILLEGAL_ADDRESS): kernel write_at, pc ";
    assert_int_equal(strncmp(entry, begin, strlen(begin)), 0);
    assert_non_null(strstr(entry, "illegal address 0x0 of a 4-byte global store"));
    start = now();
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&address, 16));
    entry = only(start, text);
    begin = "[CUDA][E][cuMemAlloc_v2] error 700 (CUDA_ERROR_ILLEGAL_ADDRESS): kernel write_at, pc ";
    assert_int_equal(strncmp(entry, begin, strlen(begin)), 0);
    CUcontext other = rig_context("rtx-a6000");
    start = now();
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize_v2(k.context)); /* which is not current */
    assert_non_null(strstr(only(start, text), "[cuCtxSynchronize_v2] error 700"));
    SUCCEEDS(cuCtxDestroy_v2(other));
    cuCtxDestroy_v2(k.context);
}

static void several_reasons_become_one_line_of_limited_length(void **state)
{
    (void)state;
    char *reason = thread_get()->reason;
    reason[0] = '\0';
    logs_note("%s", "first\nline");
    logs_note("%s", "second");
    assert_string_equal(reason, "first line; second");
    for (int i = 0; i < 2 * LOGS_REASON; i++)
        logs_note("%s", "x");
    assert_int_equal(strlen(reason), LOGS_REASON - 1);
}

/* ---- dumps ------------------------------------------------------------------------------------------------------- */

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

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

struct heard {
    unsigned calls;
    CUlogLevel level;
    char message[256];
    size_t length;
    pthread_t thread;
    CUlogsCallbackHandle self; /* unregistered in the call (NULL: not) */
    bool fails;                /* calls a refused function */
};

static void hear(void *data, CUlogLevel level, char *message, size_t length)
{
    struct heard *heard = data;
    heard->calls++;
    heard->level = level;
    heard->length = length;
    heard->thread = pthread_self();
    snprintf(heard->message, sizeof heard->message, "%s", message);
    if (heard->self)
        SUCCEEDS(cuLogsUnregisterCallback(heard->self));
    if (heard->fails)
        refuse();
}

static void callbacks_get_each_entry_on_the_thread_that_made_it(void **state)
{
    (void)state;
    struct heard first = {.level = 9}, second = {.level = 9};
    CUlogsCallbackHandle a = NULL, b = NULL;
    SUCCEEDS(cuLogsRegisterCallback(hear, &first, &a));
    SUCCEEDS(cuLogsRegisterCallback(hear, &second, &b));
    assert_true(a && b && a != b);
    refuse();
    assert_int_equal(first.calls, 1);
    assert_int_equal(second.calls, 1);
    assert_int_equal(first.level, CU_LOG_LEVEL_ERROR);
    assert_string_equal(first.message, REFUSED);
    assert_int_equal(first.length, strlen(REFUSED));
    assert_true(pthread_equal(first.thread, pthread_self()));
    SUCCEEDS(cuLogsUnregisterCallback(a));
    refuse();
    assert_int_equal(first.calls, 1);
    assert_int_equal(second.calls, 2);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback(a));
    assert_int_equal(second.calls, 3); /* that failure, too */
    SUCCEEDS(cuLogsUnregisterCallback(b));
    refuse();
    assert_int_equal(second.calls, 3);
}

static void a_callback_may_unregister_itself(void **state)
{
    (void)state;
    struct heard once = {0}, always = {0};
    CUlogsCallbackHandle last;
    SUCCEEDS(cuLogsRegisterCallback(hear, &once, &once.self));
    SUCCEEDS(cuLogsRegisterCallback(hear, &always, &last));
    refuse();
    refuse();
    assert_int_equal(once.calls, 1);
    assert_int_equal(always.calls, 2);
    SUCCEEDS(cuLogsUnregisterCallback(last));
}

static void a_callbacks_own_failures_are_entered_but_call_no_callback(void **state)
{
    (void)state;
    struct heard heard = {.fails = true};
    CUlogsCallbackHandle handle;
    SUCCEEDS(cuLogsRegisterCallback(hear, &heard, &handle));
    CUlogIterator start = now();
    refuse();
    assert_int_equal(heard.calls, 1);
    assert_int_equal(now(), start + 2);
    SUCCEEDS(cuLogsUnregisterCallback(handle));
}

struct gate {
    atomic_bool reached, open;
    CUlogsCallbackHandle handle;
    atomic_bool gone;
};

static void wait_in_callback(void *data, CUlogLevel level, char *message, size_t length)
{
    (void)level, (void)message, (void)length;
    struct gate *gate = data;
    atomic_store(&gate->reached, true);
    while (!atomic_load(&gate->open))
        usleep(100);
}

static void *refuse_elsewhere(void *nothing)
{
    refuse();
    return nothing;
}

static void *unregister_elsewhere(void *data)
{
    struct gate *gate = data;
    SUCCEEDS(cuLogsUnregisterCallback(gate->handle));
    atomic_store(&gate->gone, true);
    return NULL;
}

static void unregistering_waits_for_the_callback_that_runs_and_the_driver_does_not(void **state)
{
    (void)state;
    struct gate gate = {0};
    pthread_t failing, unregistering;
    SUCCEEDS(cuLogsRegisterCallback(wait_in_callback, &gate, &gate.handle));
    assert_int_equal(pthread_create(&failing, NULL, refuse_elsewhere, NULL), 0);
    while (!atomic_load(&gate.reached))
        usleep(100);
    now(); /* the driver's lock is free */
    assert_int_equal(pthread_create(&unregistering, NULL, unregister_elsewhere, &gate), 0);
    usleep(20000);
    assert_false(atomic_load(&gate.gone));
    atomic_store(&gate.open, true);
    pthread_join(failing, NULL);
    pthread_join(unregistering, NULL);
    assert_true(atomic_load(&gate.gone));
    assert_null(driver_get()->logs.callbacks);
}

UNIT_TESTS(UNIT(the_log_is_there_and_empty_before_cuinit), UNIT(a_refused_function_is_entered_each_time),
           UNIT(a_failure_without_a_known_reason_and_a_success_are_not_entered),
           UNIT(a_file_that_is_no_code_is_entered_with_its_reason),
           UNIT(each_call_that_answers_a_fault_is_entered_with_the_kernel),
           UNIT(several_reasons_become_one_line_of_limited_length), UNIT(a_dump_moves_its_iterator_to_the_end),
           UNIT(the_log_keeps_100_entries_and_not_one_more), UNIT(a_buffer_of_25600_bytes_takes_all_that_is_kept),
           UNIT(what_does_not_fit_is_left_out_from_the_oldest_on), UNIT(dumps_to_a_file_follow_each_other),
           UNIT(a_file_that_cannot_be_written_is_an_invalid_value_and_keeps_the_iterator),
           UNIT(wrong_arguments_are_invalid_and_say_why), UNIT(callbacks_get_each_entry_on_the_thread_that_made_it),
           UNIT(a_callback_may_unregister_itself), UNIT(a_callbacks_own_failures_are_entered_but_call_no_callback),
           UNIT(unregistering_waits_for_the_callback_that_runs_and_the_driver_does_not))
