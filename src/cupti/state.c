#include "cupti/state.h"

static struct cupti cupti_self = {.lock = PTHREAD_MUTEX_INITIALIZER, .delivered = PTHREAD_COND_INITIALIZER};

static _Thread_local struct cupti_thread thread_state;

struct cupti *cupti_state(void) { return &cupti_self; }

struct cupti_thread *cupti_thread(void) { return &thread_state; }
