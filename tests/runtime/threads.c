#include "tests/runtime/rig.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 6, N = 500 };

struct work {
    int number;
    int wrong;
};

/* Each thread uses its own default stream. No copy of one waits for a kernel of another. */
static void *work_in_own_stream(void *argument)
{
    struct work *work = argument;
    int data[N];
    void *device = NULL;
    int n = N, by = work->number + 1;
    work->wrong += cudaMalloc(&device, sizeof data) != cudaSuccess;
    work->wrong += cudaMemset_ptds(device, 0, sizeof data) != cudaSuccess;
    void *arguments[] = {&device, &n, &by};
    for (int round = 0; round < ROUNDS; round++) {
        cudaKernel_t kernel = NULL;
        work->wrong += __cudaGetKernel(&kernel, &host_increment) != cudaSuccess;
        work->wrong += __cudaLaunchKernel_ptsz(kernel, (dim3){(N + 63) / 64, 1, 1}, (dim3){64, 1, 1}, arguments, 0,
                                               NULL) != cudaSuccess;
    }
    work->wrong += cudaMemcpyAsync_ptsz(data, device, sizeof data, cudaMemcpyDeviceToHost, NULL) != cudaSuccess;
    work->wrong += cudaStreamSynchronize_ptsz(NULL) != cudaSuccess;
    for (int i = 0; i < N; i++)
        work->wrong += data[i] != ROUNDS * by;
    /* Errors belong to their thread. */
    if (work->number % 2 == 1)
        work->wrong += cudaSetDevice(5) != cudaErrorInvalidDevice;
    work->wrong += cudaGetLastError() != (work->number % 2 == 1 ? cudaErrorInvalidDevice : cudaSuccess);
    work->wrong += cudaFree(device) != cudaSuccess;
    return NULL;
}

static void eight_threads_work_in_their_own_streams(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct work work[THREADS];
    rig_program();
    for (int i = 0; i < THREADS; i++) {
        work[i] = (struct work){.number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work_in_own_stream, &work[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(work[i].wrong, 0);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void *use_device(void *argument)
{
    void *memory = NULL;
    *(cudaError_t *)argument = cudaMalloc(&memory, 64);
    return NULL;
}

static void a_reset_by_one_thread_leaves_the_others_able_to_start_anew(void **state)
{
    (void)state;
    pthread_t thread;
    cudaError_t error = cudaErrorUnknown;
    void *memory;
    rig_program();
    SUCCEEDS(cudaMalloc(&memory, 64));
    SUCCEEDS(cudaDeviceReset());
    assert_int_equal(pthread_create(&thread, NULL, use_device, &error), 0);
    pthread_join(thread, NULL);
    assert_int_equal(error, cudaSuccess);
    SUCCEEDS(cudaMalloc(&memory, 64));
    SUCCEEDS(cudaFree(memory));
}

UNIT_TESTS(UNIT(eight_threads_work_in_their_own_streams),
           UNIT(a_reset_by_one_thread_leaves_the_others_able_to_start_anew))
