/* The part of a tensor that one instruction moves: a box (tile mode) or a column of pixels (im2col). A struct transfer
 * has the places in device memory. The places in shared memory are beside it. */
#ifndef SUBCORE_EXEC_BOX_H
#define SUBCORE_EXEC_BOX_H

#include "exec/engine/tensor_map.h"
#include "isa/issued.h"

struct box {
    struct transfer transfer; /* rows of units */
    uint64_t fill;            /* pattern of an element outside the tensor */
    uint32_t units;           /* of a row in shared memory */
    uint32_t first;           /* of these, the first that the tensor has; extent[0] follow */
    uint32_t pitch;           /* bytes from a row to the next in shared memory */
    uint8_t unit_bytes;       /* of a unit in shared memory; transfer.element_bytes in device memory */
    uint8_t fill_bytes;       /* of an element */
    uint8_t swizzle;          /* enum swizzle */
};

/* Makes the box at these coordinates, the innermost first. The map is right (tensor_map_wrong), and in tile mode.
 * Returns the mistake as tensor_map_wrong does (NULL: nothing). */
const char *box_tile(const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK], struct box *box);

/* Makes the column that begins at these coordinates, by a map for im2col. The offsets are in W, H, D. */
const char *box_column(const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK],
                       const uint32_t offset[TENSOR_SPATIAL], struct box *box);

/* Makes the column along W that begins at these coordinates, by a map for im2col::w or im2col::w::128, whose bounding
 * box `offset` moves. A column that begins left of the bounding box must not wrap around: its effect then is not
 * documented. */
const char *box_wide(const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK], uint32_t offset,
                     struct box *box);

enum { BOX_GATHERED = 4 };

/* Makes a box from the four rows `row` in a tensor with rank 2, from `column` on, by a map in tile mode. */
const char *box_gather(const struct tensor_map *map, int32_t column, const int32_t row[BOX_GATHERED], struct box *box);

/* Makes a single row of bytes, whose number is a multiple of 16. */
void box_bytes(uint64_t address, uint32_t bytes, struct box *box);

/* Returns the bytes that a box takes in shared memory, with those between its rows. */
static inline uint64_t box_room(const struct box *box)
{
    return box->transfer.rows ? (uint64_t)(box->transfer.rows - 1) * box->pitch + box->units * box->unit_bytes : 0;
}

#endif
