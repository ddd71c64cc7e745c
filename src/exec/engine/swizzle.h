/* Swizzles of shared memory, which TMA writes and wgmma reads: chunks of a 128-byte row change places by the number
 * of the row. They work on absolute byte addresses, so that a pointer into a tile sees the bytes of the tile.
 *
 * Source: PTX ISA, tensor swizzling modes and matrix descriptors. */
#ifndef SUBCORE_EXEC_SWIZZLE_H
#define SUBCORE_EXEC_SWIZZLE_H

#include <stdint.h>

enum swizzle {
    SWIZZLE_NONE,
    SWIZZLE_32,  /* chunks of 16 bytes within 32, by the row of 128 bytes */
    SWIZZLE_64,  /* the same within 64 */
    SWIZZLE_128, /* the same within 128 */
    SWIZZLE_96,
    SWIZZLE_128_ATOM_32,      /* chunks of 32 bytes within 128 */
    SWIZZLE_128_ATOM_32_FLIP, /* and the halves of each 16 bytes change places in odd rows */
    SWIZZLE_128_ATOM_64,      /* chunks of 64 bytes within 128 */
    SWIZZLE_COUNT
};

/* Returns the byte address at which the byte of the plain layout at `address` stands. `base` (0 .. 7, the base offset
 * of a wgmma descriptor) is the row at which the pattern begins, of a tile that does not begin with a multiple of the
 * pattern: it is taken from the number of the row (assumed: the PTX ISA gives the formula of the field only). */
static inline uint32_t swizzle_address(enum swizzle mode, uint32_t address, unsigned base)
{
    uint32_t row = (address >> 7) - base;
    switch (mode) {
    case SWIZZLE_96:
    case SWIZZLE_32: return address ^ (row & 1) << 4;
    case SWIZZLE_64: return address ^ (row & 3) << 4;
    case SWIZZLE_128: return address ^ (row & 7) << 4;
    case SWIZZLE_128_ATOM_32: return address ^ (row & 3) << 5;
    case SWIZZLE_128_ATOM_32_FLIP: return address ^ (row & 3) << 5 ^ (row & 1) << 3;
    case SWIZZLE_128_ATOM_64: return address ^ (row & 1) << 6;
    case SWIZZLE_NONE:
    case SWIZZLE_COUNT: break;
    }
    return address;
}

/* Returns the bytes after which the pattern repeats: a tile whose address is a multiple has the base offset 0. */
static inline uint32_t swizzle_period(enum swizzle mode)
{
    static const uint16_t period[SWIZZLE_COUNT] = {16, 256, 512, 1024, 256, 512, 512, 256};
    return period[mode];
}

#endif
