#include "tests/runtime/rig.h"

#include <pthread.h>

static void note(cudaStream_t stream, cudaError_t error, void *data)
{
    (void)stream;
    int *noted = data;
    noted[0]++;
    noted[1] = (int)error;
}

static void count_up(void *data) { ++*(int *)data; }

static void host_functions_run_in_the_order_of_their_stream(void **state)
{
    (void)state;
    cudaStream_t stream;
    int noted[2] = {0, -1}, calls = 0;
    rig_program();
    SUCCEEDS(cudaStreamCreateWithFlags(&stream, 1));
    SUCCEEDS(cudaLaunchHostFunc(stream, count_up, &calls));
    SUCCEEDS(cudaStreamAddCallback(stream, note, noted, 0));
    SUCCEEDS(cudaLaunchHostFunc_ptsz(stream, count_up, &calls));
    SUCCEEDS(cudaStreamSynchronize(stream));
    assert_int_equal(calls, 2);
    assert_int_equal(noted[0], 1);
    assert_int_equal(noted[1], cudaSuccess);
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(stream, note, noted, 1));
    FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, NULL, NULL));
    SUCCEEDS(cudaStreamQuery(stream));
    SUCCEEDS(cudaStreamDestroy(stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamQuery(stream));
}

static void wait_for_the_test(void *data) { pthread_barrier_wait(data); }

/* CUDA C++ programming guide, "Error Checking". */
static void work_that_is_not_done_is_an_answer_and_no_last_error(void **state)
{
    (void)state;
    cudaStream_t stream;
    cudaEvent_t event;
    pthread_barrier_t barrier;
    rig_program();
    SUCCEEDS(cudaStreamCreateWithFlags(&stream, 1));
    SUCCEEDS(cudaEventCreate(&event));
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
    SUCCEEDS(cudaLaunchHostFunc(stream, wait_for_the_test, &barrier));
    SUCCEEDS(cudaEventRecord(event, stream));
    ANSWERS(cudaErrorNotReady, cudaStreamQuery(stream));
    ANSWERS(cudaErrorNotReady, cudaEventQuery(event));
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    ANSWERS(cudaErrorInvalidDevice, cudaSetDevice(99));
    ANSWERS(cudaErrorNotReady, cudaStreamQuery(stream)); /* the old streams stay */
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    pthread_barrier_wait(&barrier);
    SUCCEEDS(cudaStreamSynchronize(stream));
    SUCCEEDS(cudaEventDestroy(event));
    SUCCEEDS(cudaStreamDestroy(stream));
    pthread_barrier_destroy(&barrier);
}

static void a_stream_says_how_it_was_made(void **state)
{
    (void)state;
    cudaStream_t stream;
    unsigned flags;
    int priority, least, greatest, device = 7;
    unsigned long long one, other;
    rig_program();
    SUCCEEDS(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest <= least);
    SUCCEEDS(cudaStreamCreateWithPriority(&stream, 1, greatest));
    SUCCEEDS(cudaStreamGetFlags(stream, &flags));
    assert_int_equal(flags, 1);
    SUCCEEDS(cudaStreamGetPriority(stream, &priority));
    assert_int_equal(priority, greatest);
    SUCCEEDS(cudaStreamGetDevice(stream, &device));
    assert_int_equal(device, 0);
    SUCCEEDS(cudaStreamGetId(stream, &one));
    SUCCEEDS(cudaStreamGetId(NULL, &other));
    assert_true(one != other);
    SUCCEEDS(cudaStreamGetId_ptsz(NULL, &one));
    assert_true(one != other);
    SUCCEEDS(cudaStreamDestroy(stream));
}

static void events_tell_the_time_between_them(void **state)
{
    (void)state;
    enum { N = 4096 };
    cudaEvent_t start, stop, plain;
    float ms = -1;
    void *device;
    int n = N, by = 1;
    rig_program();
    SUCCEEDS(cudaEventCreate(&start));
    SUCCEEDS(cudaEventCreate(&stop));
    SUCCEEDS(cudaEventCreateWithFlags(&plain, 2));
    SUCCEEDS(cudaMalloc(&device, N * sizeof(int)));
    void *arguments[] = {&device, &n, &by};
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, stop));
    SUCCEEDS(cudaEventRecord(start, NULL));
    SUCCEEDS(rig_launch(&host_increment, N / 128, 128, arguments));
    SUCCEEDS(cudaEventRecord(stop, NULL));
    SUCCEEDS(cudaEventRecord(plain, NULL));
    SUCCEEDS(cudaEventSynchronize(plain));
    SUCCEEDS(cudaEventQuery(stop));
    SUCCEEDS(cudaEventElapsedTime(&ms, start, stop));
    assert_true(ms > 0 && ms < 1000);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, plain));
    SUCCEEDS(cudaEventDestroy(start));
    SUCCEEDS(cudaEventDestroy(stop));
    SUCCEEDS(cudaEventDestroy(plain));
    SUCCEEDS(cudaFree(device));
}

static void memory_is_allocated_and_freed_in_stream_order(void **state)
{
    (void)state;
    cudaStream_t stream;
    cudaMemPool_t pool, usual;
    void *device, *other;
    int n = 64, by = 5, data[64];
    unsigned long long threshold = 1 << 20, found = 0;
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location = {.type = cudaMemLocationTypeDevice, .id = 0}};
    rig_program();
    SUCCEEDS(cudaStreamCreate(&stream));
    SUCCEEDS(cudaDeviceGetDefaultMemPool(&usual, 0));
    SUCCEEDS(cudaDeviceGetMemPool(&pool, 0));
    assert_ptr_equal(pool, usual);
    SUCCEEDS(cudaMallocAsync(&device, sizeof data, stream));
    SUCCEEDS(cudaMemsetAsync(device, 0, sizeof data, stream));
    void *arguments[] = {&device, &n, &by};
    SUCCEEDS(rig_launch_in(&host_increment, (dim3){1, 1, 1}, (dim3){64, 1, 1}, arguments, 0, stream));
    SUCCEEDS(cudaMemcpyAsync(data, device, sizeof data, cudaMemcpyDeviceToHost, stream));
    SUCCEEDS(cudaFreeAsync(device, stream));
    SUCCEEDS(cudaStreamSynchronize(stream));
    assert_int_equal(data[63], 5);
    SUCCEEDS(cudaMemPoolCreate(&pool, &props));
    SUCCEEDS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    SUCCEEDS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &found));
    assert_int_equal(found, threshold);
    SUCCEEDS(cudaMallocFromPoolAsync(&other, 1000, pool, stream));
    SUCCEEDS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &found));
    assert_true(found >= 1000);
    SUCCEEDS(cudaFreeAsync(other, stream));
    SUCCEEDS(cudaStreamSynchronize(stream));
    SUCCEEDS(cudaMemPoolTrimTo(pool, 0));
    SUCCEEDS(cudaMemPoolDestroy(pool));
    FAILS(cudaErrorInvalidValue, cudaMemPoolTrimTo(pool, 0));
    SUCCEEDS(cudaStreamDestroy(stream));
}

struct meeting {
    pthread_barrier_t barrier;
    cudaError_t before;
    cudaError_t after;
    int value;
};

static void *use_before_and_after(void *argument)
{
    struct meeting *meeting = argument;
    void *memory = NULL;
    meeting->before = cudaMalloc(&memory, 64);
    pthread_barrier_wait(&meeting->barrier);
    pthread_barrier_wait(&meeting->barrier);
    meeting->after = cudaMalloc(&memory, 64);
    void *arguments[] = {&memory};
    if (meeting->after == cudaSuccess)
        meeting->after = rig_launch(&host_store, 1, 1, arguments);
    if (meeting->after == cudaSuccess)
        meeting->after = cudaMemcpy(&meeting->value, memory, sizeof(int), cudaMemcpyDeviceToHost);
    return NULL;
}

static void a_thread_goes_on_after_another_one_reset_the_device(void **state)
{
    (void)state;
    struct meeting meeting = {.before = cudaErrorUnknown, .after = cudaErrorUnknown};
    pthread_t thread;
    int number = 0;
    assert_int_equal(__cudaInitModule(rig_program()->handle), 1);
    assert_int_equal(pthread_barrier_init(&meeting.barrier, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, use_before_and_after, &meeting), 0);
    pthread_barrier_wait(&meeting.barrier);
    *host_shared_count = 1234;
    SUCCEEDS(cudaMemcpyToSymbol(host_number, &number, 4, 0, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaDeviceReset());
    pthread_barrier_wait(&meeting.barrier);
    pthread_join(thread, NULL);
    assert_int_equal(meeting.before, cudaSuccess);
    assert_int_equal(meeting.after, cudaSuccess);
    assert_int_equal(meeting.value, 1);
    pthread_barrier_destroy(&meeting.barrier);
    /* Variables begin anew. */
    SUCCEEDS(cudaMemcpyFromSymbol(&number, host_number, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(number, 7);
    assert_int_equal(*host_shared_count, 5);
}

static void *lose_context_then_wait(void *argument)
{
    struct meeting *meeting = argument;
    void *wild = (void *)0x10;
    void *arguments[] = {&wild};
    rig_launch(&host_store, 1, 1, arguments);
    meeting->before = cudaDeviceSynchronize();
    cudaSetDevice(99); /* does not hide the error */
    meeting->value = (int)cudaGetLastError();
    pthread_barrier_wait(&meeting->barrier);
    pthread_barrier_wait(&meeting->barrier);
    meeting->after = cudaGetLastError();
    meeting->value += 1000 * (int)cudaGetLastError();
    return NULL;
}

static void an_error_of_a_lost_context_can_be_cleared_after_another_thread_reset_it(void **state)
{
    (void)state;
    struct meeting meeting = {.before = cudaErrorUnknown, .after = cudaErrorUnknown};
    pthread_t thread;
    void *memory;
    rig_program();
    assert_int_equal(pthread_barrier_init(&meeting.barrier, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, lose_context_then_wait, &meeting), 0);
    pthread_barrier_wait(&meeting.barrier);
    ANSWERS(cudaErrorIllegalAddress, cudaMalloc(&memory, 4));
    assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
    assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
    SUCCEEDS(cudaDeviceReset());
    pthread_barrier_wait(&meeting.barrier);
    pthread_join(thread, NULL);
    assert_int_equal(meeting.before, cudaErrorIllegalAddress);
    assert_int_equal(meeting.value, cudaErrorIllegalAddress); /* the second question after the reset: no error */
    assert_int_equal(meeting.after, cudaErrorIllegalAddress);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    pthread_barrier_destroy(&meeting.barrier);
}

UNIT_TESTS(UNIT(host_functions_run_in_the_order_of_their_stream),
           UNIT(work_that_is_not_done_is_an_answer_and_no_last_error), UNIT(a_stream_says_how_it_was_made),
           UNIT(events_tell_the_time_between_them), UNIT(memory_is_allocated_and_freed_in_stream_order),
           UNIT(a_thread_goes_on_after_another_one_reset_the_device),
           UNIT(an_error_of_a_lost_context_can_be_cleared_after_another_thread_reset_it))
