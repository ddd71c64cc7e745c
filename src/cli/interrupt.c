#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The only mutable global of the program: a signal handler is given no context. */
static volatile bool stop_requested;

static void handle(int signal)
{
    (void)signal;
    stop_requested = true;
}

const volatile bool *interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop_requested;
}
