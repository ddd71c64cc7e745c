/* The ranges of a program on a timeline. */
#ifndef SUBCORE_REPORT_PERFETTO_RANGES_H
#define SUBCORE_REPORT_PERFETTO_RANGES_H

#include "report/perfetto.h"
#include "report/range_sum.h"

/* Ranges and marks, after range_sum_end: a track for each thread and domain. Ranges of which neither holds the other
 * but that overlap have their own tracks: the device may work for the second before the first is over. `process`
 * returns the number that a process has in the document. */
void perfetto_ranges(struct perfetto *p, const struct range_sum *sum, uint64_t (*process)(const void *self, int32_t id),
                     const void *self);

#endif
