/* Places in device memory that a bulk or tensor copy reaches, as trace version 6 lists them, and the box that they are
 * of. A line has neither the tensor map nor the coordinates. */
#ifndef SUBCORE_ACCELSIM_PLACES_H
#define SUBCORE_ACCELSIM_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/issued.h"

struct places {
    uint64_t *at; /* [count]: the first byte of each piece; owned */
    uint32_t count, room;
    uint32_t width; /* bytes of a piece at most (0: not known) */
};

void places_free(struct places *places);
/* Adds a place. Returns false if out of memory. */
bool places_add(struct places *places, uint64_t address);

/* Lists the bytes of all rows that the tensor has, row by row, in pieces of a sector each. In larger ones, a power of
 * two, where these are too many for a line. A piece ends where the row does, and at multiples of the width. Returns
 * false if out of memory. */
bool places_list(struct places *places, const struct transfer *transfer);

/* Sets the rows of `transfer`: base, strides, extents, bytes of an element. `bytes` is their sum. Pieces that touch
 * are of one row. Returns false if the rows are not a box, or a column of im2col: all bytes are then one
 * row from the lowest place on. */
bool places_fit(struct places *places, uint64_t bytes, struct transfer *transfer);

#endif
