/* The executor thread's state from launch to launch: the records of all. */
#ifndef SUBCORE_DRIVER_LAUNCHES_H
#define SUBCORE_DRIVER_LAUNCHES_H

#include "driver/state/driver.h"
#include "report/record.h"

struct launches {
    struct recorder recorder;
};

/* Returns this state, and completes the plan of the settings the first time. Returns NULL if out of memory. */
struct launches *launches_get(struct driver *driver);
/* Says once that records cannot be written, and tells the process that has started the program. */
void launches_record(struct driver *driver, struct launches *launches, const struct launch_info *info,
                     const struct kernel_result *result);

#endif
