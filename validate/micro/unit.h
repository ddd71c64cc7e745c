/* Units of the numbers that measurements give. */
#ifndef SUBCORE_MEASURE_UNIT_H
#define SUBCORE_MEASURE_UNIT_H

/* Of "bandwidth.l2.read": "B/cycle". */
const char *measure_unit(const char *quantity);

#endif
