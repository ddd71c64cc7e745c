/* Register-file cache of a sub-core: for each register bank one slot an operand position. Software fills it: an operand
 * with the reuse flag stays in its slot, and the next instruction of the warp that reads the same register in the same
 * position needs no port. Source: MICRO 2025 paper, register-file cache (listing 4). */
#ifndef SUBCORE_SM_RFC_H
#define SUBCORE_SM_RFC_H

#include <stdbool.h>
#include <stdint.h>

enum { RFC_BANKS = 2, RFC_POSITIONS = 3 };

struct rfc {
    uint16_t entry[RFC_BANKS][RFC_POSITIONS + 1]; /* 0: empty, as the last always is, for operands without a place */
};

/* A read of register `reg` by the warp in `slot` of the SM as operand `position`, RFC_POSITIONS when it has no place
 * in the cache (then `reuse` is false). Returns true if the cache has the value. The entry then keeps the value if
 * `reuse` is set and is empty if not, also after a hit: the read of another warp in the same place drops the value
 * too. Other entries are untouched. */
static inline bool rfc_read(struct rfc *rfc, uint8_t slot, uint8_t reg, unsigned position, bool reuse)
{
    uint16_t *entry = &rfc->entry[reg % RFC_BANKS][position];
    uint16_t key = (uint16_t)((slot + 1u) << 8 | reg);
    bool hit = *entry == key;
    *entry = (uint16_t)(key & -(unsigned)reuse);
    return hit;
}

#endif
