#include "cli/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit.h"

static void wait_ms(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
        ;
}

/* How a child ends that catches signals, gets `first`, and after `ms` gets `second`: 0 when it lives on, and has seen
 * that it is to stop. */
static int ended(int first, int second, long ms)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        const volatile bool *stop = interrupt_catch();
        bool before = *stop;
        raise(first);
        bool after = *stop;
        wait_ms(ms);
        raise(second);
        _exit(!before && after && *stop ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_signal_that_follows_at_once_belongs_to_the_first(void **state)
{
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    signal(SIGHUP, SIG_DFL);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(ended(numbers[i], numbers[i], 0), 0);
        assert_int_equal(ended(numbers[i], numbers[(i + 1) % 4], 0), 0);
    }
    assert_int_equal(ended(SIGINT, SIGINT, INTERRUPT_SAME_MS / 2), 0);
}

static void a_later_second_signal_ends_the_program(void **state)
{
    (void)state;
    assert_int_equal(ended(SIGINT, SIGINT, INTERRUPT_SAME_MS + 5), SIGINT);
    assert_int_equal(ended(SIGINT, SIGTERM, INTERRUPT_SAME_MS + 5), SIGTERM);
}

static void an_ignored_hangup_stays_ignored(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGHUP, SIG_IGN);
        const volatile bool *stop = interrupt_catch();
        raise(SIGHUP);
        _exit(*stop);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

UNIT_TESTS(UNIT(a_signal_that_follows_at_once_belongs_to_the_first), UNIT(a_later_second_signal_ends_the_program),
           UNIT(an_ignored_hangup_stays_ignored))
