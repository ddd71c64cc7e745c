/* Sizes of the matrices that a warp multiplies: A has rows x depth elements, B depth x 8, C and D rows x 8. */
#ifndef SUBCORE_ISA_MATRIX_H
#define SUBCORE_ISA_MATRIX_H

#include "isa/isa.h"

enum { ISA_MATRIX_COLUMNS = 8 };

/* Fields of an instruction that multiplies matrices, with the widths of the elements in bits as registers hold them.
 * A sparse A has only half of its elements. rows is 0 where the shape has no meaning. */
struct isa_matrix {
    uint16_t rows, depth;
    uint8_t bits_a, bits_b, bits_c;
    bool sparse;
};

struct isa_matrix isa_matrix_of(const struct isa_inst *inst);

#endif
