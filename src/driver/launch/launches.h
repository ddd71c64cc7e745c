/* What is kept from launch to launch: which launches are to be timed, and the records of all. Of the executor thread
 * only. */
#ifndef SUBCORE_DRIVER_LAUNCHES_H
#define SUBCORE_DRIVER_LAUNCHES_H

#include "driver/state/driver.h"
#include "report/choice.h"
#include "report/record.h"
#include "report/selection.h"

struct launches {
    struct recorder recorder;
    struct selection selection;
    struct launch_choice choice;
};

/* Returns NULL if out of memory. */
struct launches *launches_get(struct driver *driver);
/* What the next launch of the kernel runs as. If one rule leaves the launch out, no other one brings it back. */
enum gpu_mode launches_mode(const struct driver *driver, struct launches *launches, const char *kernel);
/* Says once that records cannot be written, and tells the process that has started the program. */
void launches_record(struct driver *driver, struct launches *launches, const struct launch_info *info,
                     const struct kernel_result *result);

#endif
