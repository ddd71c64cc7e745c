/* The error log: the calls that are entered, and their entries. */
#include "driver/state/logs.h"

#include "driver/state/thread.h"
#include "tests/driver/kernels.h"
#include "tests/driver/logs.h"

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

UNIT_TESTS(UNIT(the_log_is_there_and_empty_before_cuinit), UNIT(a_refused_function_is_entered_each_time),
           UNIT(a_failure_without_a_known_reason_and_a_success_are_not_entered),
           UNIT(a_file_that_is_no_code_is_entered_with_its_reason),
           UNIT(each_call_that_answers_a_fault_is_entered_with_the_kernel),
           UNIT(several_reasons_become_one_line_of_limited_length))
