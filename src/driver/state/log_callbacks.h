/* Functions of the program that get each new entry of the error log. With the lock held. */
#ifndef SUBCORE_DRIVER_LOG_CALLBACKS_H
#define SUBCORE_DRIVER_LOG_CALLBACKS_H

#include <stdbool.h>

#include "driver/abi/device_structs.h"
#include "driver/abi/handles.h"

struct driver;

/* Returns NULL if out of memory. */
CUlogsCallbackHandle log_callback_add(struct driver *driver, CUlogsCallback function, void *data);
/* Returns false if the callback is not registered. If `wait`, waits until the callback does not run any more. */
bool log_callback_remove(struct driver *driver, CUlogsCallbackHandle callback, bool wait);
/* Runs the callbacks that are registered now, in the order of registration, each without the lock. */
void log_callbacks_run(struct driver *driver, char *message);

#endif
