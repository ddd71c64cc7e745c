#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

/* The only mutable global of the program: a signal handler is given no context. Host threads may handle two signals at
 * the same time. */
static struct {
    volatile bool yes;
    atomic_long first_ms; /* when the first signal came (0: none has come) */
} stop_requested;

static void handle(int number)
{
    int before = errno;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (long)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1, first = 0;
    bool is_first = atomic_compare_exchange_strong(&stop_requested.first_ms, &first, ms);
    stop_requested.yes = true;
    if (!is_first && ms - first >= INTERRUPT_SAME_MS) {
        signal(number, SIG_DFL);
        raise(number); /* is delivered when this handler returns */
    }
    errno = before;
}

static bool is_ignored(int number)
{
    struct sigaction old;
    return sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

const volatile bool *interrupt_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaddset(&action.sa_mask, numbers[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] != SIGHUP || !is_ignored(SIGHUP))
            sigaction(numbers[i], &action, NULL);
    return &stop_requested.yes;
}
