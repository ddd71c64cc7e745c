/* Ranges of device memory that copies from the host write between two kernels. Accel-Sim marks the sectors of a
 * range as present in the L2 and does nothing else. Ranges that repeat, overlap or touch are therefore joined. Their
 * order, which could only decide which bytes stay when they exceed the L2, is not kept. Memory is bounded. */
#ifndef SUBCORE_ACCELSIM_COPIES_H
#define SUBCORE_ACCELSIM_COPIES_H

#include <stdbool.h>
#include <stdint.h>

enum { COPIES_MOST = 1 << 16 };

struct copies {
    uint32_t count;
    struct copy_range {
        uint64_t first, last; /* bytes, both included */
    } range[COPIES_MOST];
};

/* Adds the range, cut at the end of the address space. A copy of 0 bytes adds nothing. False: there is no room although
 * the ranges have been joined. The caller takes them away and adds this one again. */
bool copies_add(struct copies *copies, uint64_t address, uint64_t bytes);

/* Sorts the ranges by address and joins those that overlap or touch. */
void copies_join(struct copies *copies);

#endif
