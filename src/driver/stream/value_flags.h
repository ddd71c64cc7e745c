/* Flags of waits for values, by their documented numbers. */
#ifndef SUBCORE_DRIVER_VALUE_FLAGS_H
#define SUBCORE_DRIVER_VALUE_FLAGS_H

enum {
    VALUE_WAIT_AT_LEAST = 0, /* CU_STREAM_WAIT_VALUE_GEQ: the signed difference is not negative */
    VALUE_WAIT_EQUAL = 1,
    VALUE_WAIT_AND = 2, /* a bit in common */
    VALUE_WAIT_NOR = 3, /* a bit that is clear in both */
    VALUE_WAIT_KIND = 3,
    VALUE_WAIT_FLUSH = 1 << 30,
    VALUE_WRITE_NO_BARRIER = 1
};

#endif
