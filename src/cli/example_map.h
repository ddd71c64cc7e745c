/* Tensor maps of the examples' matrices. They depend on no device: `self` is ignored. */
#ifndef SUBCORE_CLI_EXAMPLE_MAP_H
#define SUBCORE_CLI_EXAMPLE_MAP_H

#include "examples/example.h"
#include "exec/engine/tensor_map.h"

/* Writes the map. Returns false if no GPU takes such a map. */
static inline bool example_map(void *self, uint8_t bytes[EXAMPLE_MAP], const struct example_matrix *matrix)
{
    (void)self;
    const struct tensor_map map = {.address = matrix->address,
                                   .stride = {2, 2 * (uint64_t)matrix->columns},
                                   .size = {matrix->columns, matrix->rows},
                                   .box = {(uint16_t)matrix->box_columns, (uint16_t)matrix->box_rows},
                                   .step = {1, 1},
                                   .rank = 2,
                                   .type = TENSOR_F16,
                                   .swizzle = SWIZZLE_128,
                                   .promotion = 2};
    if (tensor_map_wrong(&map))
        return false;
    tensor_map_encode(&map, bytes);
    return true;
}

#endif
