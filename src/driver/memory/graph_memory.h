/* Memory that graphs allocate. It has its address when the node is added, and is there until the context ends: a node
 * that allocates or frees does nothing when it is launched, so that a graph can be launched any number of times.
 * Uses outside of an allocation's lifetime are not found out. */
#ifndef SUBCORE_DRIVER_GRAPH_MEMORY_H
#define SUBCORE_DRIVER_GRAPH_MEMORY_H

#include "driver/state/call.h"

CUresult graph_memory_take(struct call *call, size_t bytes, CUdeviceptr *address);
/* Returns true if memory of a graph begins there. */
bool graph_memory_is(const struct driver *driver, CUdeviceptr address);

#endif
