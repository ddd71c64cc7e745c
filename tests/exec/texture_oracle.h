/* Textures from the CUDA C++ Programming Guide, written once more: an image in host memory, and the result of a read.
 * */
#ifndef SUBCORE_TESTS_EXEC_TEXTURE_ORACLE_H
#define SUBCORE_TESTS_EXEC_TEXTURE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum oracle_kind { ORACLE_UNSIGNED, ORACLE_SIGNED, ORACLE_FLOAT };
enum oracle_mode { ORACLE_WRAP, ORACLE_CLAMP, ORACLE_MIRROR, ORACLE_BORDER };

struct oracle_image {
    enum oracle_kind kind;
    int bits, channels;
    long size[3]; /* texels; of layers and faces the third */
    long pitch, slice;
    const uint8_t *bytes;
    int dimensions;
};

struct oracle_sampler {
    enum oracle_mode mode[3];
    bool normalized, smooth;
    bool fractions; /* integers are read as fractions of 1 */
    bool srgb;      /* fractions of 8 bits without a sign pass the curve, but the fourth component does not */
    double border[4];
};

struct oracle_texel {
    double value[4];
};

/* Returns the components as numbers. */
struct oracle_texel oracle_texel(const struct oracle_image *image, bool fractions, long x, long y, long z);
/* Reads at a place; `z` of an image with fewer dimensions is the slice. */
struct oracle_texel oracle_read(const struct oracle_image *image, const struct oracle_sampler *sampler,
                                const float at[3], long slice);
/* Returns the texel's number that a number outside of 0 to n - 1 stands for (-1: the border). */
long oracle_index(enum oracle_mode mode, long i, long n);

#endif
