/* Return path of a sub-core: data from the SM-shared part to the registers.
 *
 * 512 bits a cycle, so that a register of a warp takes 2 cycles, and twice that for data of shared memory wider than 32
 * bits (MICRO 2025 paper, text and table 2). Cycles are reserved one by one: the first that is ready goes first, unless
 * it belongs to a class that completes in order. At the end a load meets the register write port, where a fixed-latency
 * result of the same bank goes before it.
 *
 * Compilers give a dependence counter only to the last in a run of LDS, LDC, shuffles or LDTM, so that each of these
 * classes completes in order. Loads of global memory do not: a hit passes a miss. */
#ifndef SUBCORE_SM_RETURN_PATH_H
#define SUBCORE_SM_RETURN_PATH_H

#include <stdint.h>

enum return_class { RETURN_GLOBAL, RETURN_SHARED, RETURN_CONSTANT, RETURN_MISC, RETURN_TENSOR, RETURN_CLASSES };

/* As long as the calendar: the backlog of the whole pending request table fits. */
enum { RETURN_SPAN = 16384, RETURN_WORDS = RETURN_SPAN / 64 };

/* All bytes 0: free. */
struct return_path {
    uint64_t busy[RETURN_WORDS];   /* bit per cycle */
    uint64_t stamp[RETURN_WORDS];  /* cycle / 64 that the word stands for. Others are stale, and empty */
    uint64_t last[RETURN_CLASSES]; /* end of a class's last delivery */
};

/* Data ready at `ready` take `cycles` cycles of the path, from the first free one on. Returns the first cycle after
 * them. 0 cycles: only the order of the class counts. */
uint64_t return_path_deliver(struct return_path *p, enum return_class class, uint64_t ready, uint32_t cycles);

#endif
