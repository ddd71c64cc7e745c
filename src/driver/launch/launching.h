/* What the executor keeps from launch to launch: which are to be timed, and the records of all. */
#ifndef SUBCORE_DRIVER_LAUNCHING_H
#define SUBCORE_DRIVER_LAUNCHING_H

#include "driver/state/driver.h"
#include "report/choice.h"
#include "report/record.h"
#include "report/selection.h"

struct launching {
    struct recorder recorder;
    struct selection selection;
    struct launch_choice choice;
};

/* Of the executor thread only; NULL: out of memory. */
struct launching *launching_get(struct driver *driver);

#endif
