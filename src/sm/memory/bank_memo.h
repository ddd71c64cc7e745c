/* Lane patterns that a memory unit has met, with the passes that shared memory takes for them. It saves host time and
 * has no counterpart in hardware: the banks are numbered round, so that the passes depend on the distances between the
 * lanes' words alone, and a loop has few patterns. */
#ifndef SUBCORE_SM_BANK_MEMO_H
#define SUBCORE_SM_BANK_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/memory/shared_model.h"

enum { BANK_PATTERNS = 16 };

/* All bytes 0: without a lane no pass is needed. */
struct bank_pattern {
    uint32_t distance[32]; /* bytes from lane 0 */
    uint32_t lanes;
    uint8_t bytes;  /* a lane */
    uint8_t use;    /* enum bank_use */
    uint8_t within; /* of a word: the byte at which lane 0 begins */
    struct bank_passes passes;
};

/* All bytes 0: empty. The model is always the same. */
struct bank_memo {
    struct bank_pattern pattern[BANK_PATTERNS];
};

/* Returns the passes that the model counts for an access of `bytes` per lane by these lanes. */
struct bank_passes bank_memo_passes(struct bank_memo *memo, const struct shared_model *model, const uint32_t offset[32],
                                    uint32_t lanes, unsigned bytes, enum bank_use use);

#endif
