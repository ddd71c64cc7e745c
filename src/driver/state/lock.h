/* The driver's lock in the middle of a call. */
#ifndef SUBCORE_DRIVER_LOCK_H
#define SUBCORE_DRIVER_LOCK_H

struct driver;

/* Between these two, a call runs code of the program or a library without the lock. That code may call the driver as
 * any thread may. Handles have to be looked up again afterwards. */
void lock_leave(struct driver *driver);
void lock_return(struct driver *driver);

#endif
