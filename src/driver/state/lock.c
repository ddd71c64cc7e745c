#include "driver/state/lock.h"

#include "driver/state/driver.h"
#include "driver/state/thread.h"

void lock_leave(struct driver *driver)
{
    --thread_get()->inside;
    pthread_mutex_unlock(&driver->lock);
}

void lock_return(struct driver *driver)
{
    pthread_mutex_lock(&driver->lock);
    ++thread_get()->inside;
}
