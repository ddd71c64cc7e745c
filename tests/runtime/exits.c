#include "tests/runtime/rig.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void **registered;

static void unregister(void) { __cudaUnregisterFatBinary(registered); }

/* A compiled program gives its images back when it exits, after its own functions for atexit. */
static void leave_while_a_kernel_runs(void)
{
    void *flag = NULL;
    registered = rig_program()->handle;
    atexit(unregister);
    if (cudaMalloc(&flag, sizeof(int)) != cudaSuccess || cudaMemset(flag, 0, sizeof(int)) != cudaSuccess)
        exit(1);
    void *arguments[] = {&flag};
    exit(rig_launch(&host_wait_for, 1, 1, arguments) == cudaSuccess ? 3 : 2);
}

static void a_process_exits_while_a_kernel_runs_that_never_ends(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20); /* ends a child that hangs */
        leave_while_a_kernel_runs();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

UNIT_TESTS(UNIT(a_process_exits_while_a_kernel_runs_that_never_ends))
