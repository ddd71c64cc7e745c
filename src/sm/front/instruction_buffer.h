/* Instruction buffer of a warp. */
#ifndef SUBCORE_SM_INSTRUCTION_BUFFER_H
#define SUBCORE_SM_INSTRUCTION_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct instruction_buffer {
    uint32_t fetch_pc;
    uint8_t decoded, in_flight; /* entries filled, entries reserved by fetches in flight */
    bool delivered;             /* the line that it waited for has come, and gives one instruction */
    uint8_t epoch;              /* fetches of an older epoch are dropped: a branch discarded the buffer */
};

#endif
