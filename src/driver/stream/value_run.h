/* Values in memory that streams wait for and write. With the lock held. */
#ifndef SUBCORE_DRIVER_VALUE_RUN_H
#define SUBCORE_DRIVER_VALUE_RUN_H

#include "driver/queue/command.h"
#include "driver/state/driver.h"

/* True when the value may be waited for or written: mapped, and aligned to its size. */
bool value_place(const struct driver *driver, uint64_t address, bool wide);
/* True when a wait has what it waits for, and when its place is gone. */
bool value_holds(const struct driver *driver, const struct value_command *value);
CUresult value_write(struct driver *driver, const struct value_command *value);

#endif
