/* --source: the cycles of the instructions in this process's kernels, on its way to `subcore exec`. */
#ifndef SUBCORE_DRIVER_SOURCES_H
#define SUBCORE_DRIVER_SOURCES_H

#include <stdint.h>

struct driver;
struct gpu_launch;

/* Adds launch `number` of the process, which has ended, if it was timed. Called by the executor thread. The sums are
 * appended to the file of the settings when the process ends. */
void sources_add(struct driver *driver, const struct gpu_launch *launch, uint64_t number, uint64_t cycles);

#endif
