/* Texels: from the bytes of a format to four components and back. */
#ifndef SUBCORE_EXEC_TEXEL_H
#define SUBCORE_EXEC_TEXEL_H

#include "exec/memory/textures.h"

/* Components x, y, z, w as a register has them: bits of floats, or integers. */
struct texel {
    uint32_t word[4];
};

/* Decodes the bytes of a texel. Components that the format lacks are 0, the last is 1. CUDA C++ Programming Guide,
 * texture fetching: 8 and 16 bits become fractions of 1. Of signed types the two lowest are -1. ASSUMED: missing
 * components are (0, 0, 1), as graphics interfaces have them. */
struct texel texel_decode(const struct texture *texture, const uint8_t *bytes);

/* Encodes four components of a formatted store: floats of a normalized or floating format are rounded to nearest and
 * clamped, integers keep their low bits. `integers`: the components are integers. */
void texel_encode(const struct texture *texture, const struct texel *texel, uint8_t *bytes);

/* Returns the texel outside of everything in border mode. */
struct texel texel_border(const struct texture *texture);

#endif
