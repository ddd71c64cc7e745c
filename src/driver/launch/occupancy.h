/* How many CTAs of a function an SM holds. */
#ifndef SUBCORE_DRIVER_OCCUPANCY_H
#define SUBCORE_DRIVER_OCCUPANCY_H

#include "driver/module/module.h"

/* Returns the CTAs of so many threads and so many bytes of dynamic shared memory that an SM holds; 0 where such a
 * launch would be refused. */
uint32_t occupancy_active(const struct driver *driver, struct CUfunc_st *function, uint32_t threads, uint64_t dynamic);

#endif
