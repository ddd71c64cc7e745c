/* The end of memory that is freed in a stream. */
#ifndef SUBCORE_DRIVER_FREE_RUN_H
#define SUBCORE_DRIVER_FREE_RUN_H

#include "driver/state/driver.h"

/* On the executor thread with the lock held, while no command runs. */
CUresult free_run(struct driver *driver, uint64_t address);

#endif
