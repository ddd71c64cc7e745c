#include <pthread.h>

#include "tests/driver/notes.h"

static void commands_of_all_streams_run_in_the_order_of_submission(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[26];
    CUstream streams[5] = {new_stream(0), new_stream(1), NULL, LEGACY, PER_THREAD};
    for (int i = 0; i < 26; i++) {
        notes[i] = (struct note){&log, (char)('a' + i)};
        submit_note(streams[i % 5], &notes[i]);
    }
    SUCCEEDS(cuCtxSynchronize());
    assert_string_equal(log.text, "abcdefghijklmnopqrstuvwxyz");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_stream_is_not_ready_while_its_host_function_runs(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUstream busy = new_stream(0), idle = new_stream(1);
    struct gate gate = {false};
    CUevent event = NULL;
    SUCCEEDS(cuEventCreate(&event, 0));
    SUCCEEDS(cuEventQuery(event));
    SUCCEEDS(cuLaunchHostFunc(busy, wait_at_gate, &gate));
    SUCCEEDS(cuEventRecord(event, busy));
    ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(busy));
    ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(LEGACY)); /* it waits for blocking streams */
    ANSWERS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    SUCCEEDS(cuStreamQuery(idle));
    SUCCEEDS(cuStreamSynchronize(idle));
    atomic_store(&gate.open, true);
    SUCCEEDS(cuEventSynchronize(event));
    SUCCEEDS(cuEventQuery(event));
    SUCCEEDS(cuStreamQuery(busy));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_destroyed_stream_runs_what_it_was_given(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUstream stream = new_stream(0);
    struct gate gate = {false};
    struct log log = {0};
    struct note note = {&log, 'x'};
    SUCCEEDS(cuLaunchHostFunc(stream, wait_at_gate, &gate));
    submit_note(stream, &note);
    SUCCEEDS(cuStreamDestroy_v2(stream));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(stream));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(stream));
    atomic_store(&gate.open, true);
    SUCCEEDS(cuCtxSynchronize());
    assert_string_equal(log.text, "x");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void call_the_driver(void *data) { *(CUresult *)data = cuCtxSynchronize(); }

static void a_host_function_must_not_call_the_driver(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUresult answer = CUDA_SUCCESS;
    SUCCEEDS(cuLaunchHostFunc(NULL, call_the_driver, &answer));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_int_equal(answer, CUDA_ERROR_NOT_PERMITTED);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

struct seen {
    CUstream stream;
    CUresult state;
    unsigned calls;
};

static void see(CUstream stream, CUresult state, void *data)
{
    struct seen *seen = data;
    *seen = (struct seen){stream, state, seen->calls + 1};
}

static void a_callback_gets_the_stream_as_the_program_names_it(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUstream names[4] = {new_stream(0), NULL, LEGACY, PER_THREAD};
    for (int i = 0; i < 4; i++) {
        struct seen seen = {(CUstream)77, CUDA_ERROR_UNKNOWN, 0};
        SUCCEEDS(cuStreamAddCallback(names[i], see, &seen, 0));
        SUCCEEDS(cuStreamSynchronize(names[i]));
        assert_ptr_equal(seen.stream, names[i]);
        assert_int_equal(seen.state, CUDA_SUCCESS);
        assert_int_equal(seen.calls, 1);
    }
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(NULL, see, NULL, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(NULL, NULL, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(NULL, NULL, NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void *id_of_own_stream(void *data)
{
    unsigned long long *id = data;
    SUCCEEDS(cuCtxSetCurrent((CUcontext)(uintptr_t)id[1]));
    SUCCEEDS(cuStreamGetId_ptsz(NULL, &id[0]));
    return NULL;
}

static void each_thread_has_its_own_default_stream(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    unsigned long long own = 0, named = 0, legacy = 0, other[2] = {0, (unsigned long long)(uintptr_t)context};
    SUCCEEDS(cuStreamGetId_ptsz(NULL, &own));
    SUCCEEDS(cuStreamGetId(PER_THREAD, &named));
    SUCCEEDS(cuStreamGetId(NULL, &legacy));
    assert_int_equal(own, named);
    assert_int_not_equal(own, legacy);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, id_of_own_stream, other), 0);
    pthread_join(thread, NULL);
    assert_int_not_equal(other[0], own);
    assert_int_not_equal(other[0], legacy);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(commands_of_all_streams_run_in_the_order_of_submission),
           UNIT(a_stream_is_not_ready_while_its_host_function_runs), UNIT(a_destroyed_stream_runs_what_it_was_given),
           UNIT(a_host_function_must_not_call_the_driver), UNIT(a_callback_gets_the_stream_as_the_program_names_it),
           UNIT(each_thread_has_its_own_default_stream))
