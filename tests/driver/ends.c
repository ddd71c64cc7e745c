/* Processes that end or fork while the driver is busy. Each test is a process of its own, so that this one never calls
 * the driver. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "driver/abi/api_memory.h"
#include "tests/driver/notes.h"
#include "tests/driver/saxpy.h"

enum { SECONDS = 50 };

/* True in a child of a process whose other threads are busy. Those threads do not exist in the child, so blocks that
 * only their stacks refer to look like leaks there. */
static bool other_threads_are_gone;

int __lsan_is_turned_off(void);

/* Returns 1 where the leak check is to be left out. LeakSanitizer calls it by this name when a process ends. */
int __lsan_is_turned_off(void) { return other_threads_are_gone; }

/* The exit status of a child that does this (-1: it was killed, by the alarm when it hangs). */
static int child_exits_with(void (*child)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(SECONDS);
        child();
        exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void stay(void *unused)
{
    (void)unused;
    for (;;)
        pause();
}

static void exit_while_a_host_function_runs(void)
{
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    (void)context;
    SUCCEEDS(cuLaunchHostFunc(NULL, stay, NULL));
    saxpy_launch(&saxpy, NULL);
    exit(3);
}

static void exit_while_a_stream_waits_and_kernels_run(void)
{
    rig_context("rtx-a6000");
    struct saxpy saxpy;
    void *word = NULL;
    saxpy_open(&saxpy);
    SUCCEEDS(cuMemHostAlloc(&word, 8, 0));
    SUCCEEDS(cuStreamWaitValue32_v2(new_stream(1), (CUdeviceptr)(uintptr_t)word, 1, 1));
    for (int i = 0; i < 300; i++)
        saxpy_launch(&saxpy, NULL);
    exit(4);
}

static void call_at_exit(void)
{
    CUdeviceptr memory = 0;
    SUCCEEDS(cuMemAlloc_v2(&memory, 256));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuMemFree_v2(memory));
    SUCCEEDS(cuCtxDestroy_v2(NULL) == CUDA_ERROR_INVALID_CONTEXT ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
}

static void use_the_driver_in_a_function_at_exit(void)
{
    rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    atexit(call_at_exit);
    saxpy_launch(&saxpy, NULL);
    exit(5);
}

static void *exit_in_thread(void *unused)
{
    (void)unused;
    exit(6);
}

static void exit_in_another_thread_while_one_waits(void)
{
    rig_context("rtx-a6000");
    pthread_t thread;
    SUCCEEDS(cuLaunchHostFunc(NULL, stay, NULL));
    assert_int_equal(pthread_create(&thread, NULL, exit_in_thread, NULL), 0);
    cuStreamSynchronize(NULL);
}

static void a_process_can_end_at_any_time(void **state)
{
    (void)state;
    assert_int_equal(child_exits_with(exit_while_a_host_function_runs), 3);
    assert_int_equal(child_exits_with(exit_while_a_stream_waits_and_kernels_run), 4);
    assert_int_equal(child_exits_with(use_the_driver_in_a_function_at_exit), 5);
    assert_int_equal(child_exits_with(exit_in_another_thread_while_one_waits), 6);
}

/* All calls are refused, and none hangs. */
static void call_after_fork(void)
{
    CUdeviceptr memory = 0;
    CUstream stream = NULL;
    other_threads_are_gone = true;
    bool refused =
        cuInit(0) == CUDA_ERROR_NOT_INITIALIZED && cuMemAlloc_v2(&memory, 16) == CUDA_ERROR_NOT_INITIALIZED &&
        cuStreamCreate(&stream, 0) == CUDA_ERROR_NOT_INITIALIZED &&
        cuStreamSynchronize(NULL) == CUDA_ERROR_NOT_INITIALIZED && cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED;
    exit(refused ? 7 : 8);
}

static void fork_while_kernels_run(void)
{
    rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    saxpy_fill(saxpy.x, 0);
    saxpy_fill(saxpy.y, 3);
    for (int i = 0; i < 20; i++)
        saxpy_launch(&saxpy, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(child_exits_with(call_after_fork), 7);
    saxpy_is(saxpy.y, 3); /* the parent goes on */
    exit(9);
}

static void a_forked_child_is_refused_and_its_parent_goes_on(void **state)
{
    (void)state;
    assert_int_equal(child_exits_with(fork_while_kernels_run), 9);
}

UNIT_TESTS(UNIT(a_process_can_end_at_any_time), UNIT(a_forked_child_is_refused_and_its_parent_goes_on))
