#include "driver/state/driver.h"

static struct driver driver_state = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                     .trace = PROCESS_TRACE_INITIALIZER,
                                     .ranges = RANGES_INITIALIZER,
                                     .logs = LOGS_INITIALIZER};

struct driver *driver_get(void) { return &driver_state; }

uint64_t driver_new_id(struct driver *driver) { return ++driver->next_id; }
