/* The simulated time of copies and sets. */
#ifndef SUBCORE_DRIVER_HOST_LINK_H
#define SUBCORE_DRIVER_HOST_LINK_H

#include "driver/queue/command.h"

/* Between host and device: the link's latency, and the bytes at its bandwidth, on the copy engine of the direction. In
 * the device: each byte crosses the DRAM pins twice, on the compute engine. Caches are not modelled. Within the host:
 * no time of the device. */
struct cost copy_cost(const struct driver *driver, bool from_host, bool to_host, uint64_t bytes);
/* The bytes at the DRAM's bandwidth, on the compute engine. */
struct cost set_cost(const struct driver *driver, uint64_t bytes);

#endif
