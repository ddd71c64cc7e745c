#include "driver/state/thread.h"

static _Thread_local struct thread thread_state;

struct thread *thread_get(void) { return &thread_state; }
