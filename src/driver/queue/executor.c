/* The thread that runs commands. It holds the driver's lock but while it runs one that takes long. */
#include <pthread.h>
#include <signal.h>

#include "driver/queue/queue_state.h"
#include "driver/state/thread.h"

enum { STACK_BYTES = 8 << 20 };

static void *executor_main(void *argument)
{
    struct queue *queue = argument;
    long poll = TURN_POLL;
    thread_get()->executor = true;
    pthread_mutex_lock(&queue->driver->lock);
    for (;;) {
        bool polls = false, pause = queue->pausers > 0;
        struct queued *item = pause ? NULL : turn_pick(queue, NULL, NULL, &polls);
        const struct queued *beside = item || pause ? NULL : turn_pick_overlapping(queue);
        if (item != NULL)
            turn_run(queue, item);
        else if (beside != NULL)
            together_run(queue, beside);
        else
            turn_sleep(queue, polls, &poll);
        poll = item || beside ? TURN_POLL : poll;
    }
    return NULL;
}

CUresult executor_start(struct queue *queue)
{
    if (queue->started)
        return CUDA_SUCCESS;
    /* Signals are for the program's own threads. Those that an instruction raises stay with it. */
    sigset_t all, old;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    pthread_t thread;
    queue->started = pthread_create(&thread, &attributes, executor_main, queue) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return queue->started ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
