/* Texture objects in the memory of a kernel_run, beside the same images for the oracle. */
#ifndef SUBCORE_TESTS_EXEC_TEXTURE_RIG_H
#define SUBCORE_TESTS_EXEC_TEXTURE_RIG_H

#include "exec/memory/textures.h"
#include "tests/exec/kernel_run.h"
#include "tests/exec/texture_oracle.h"

enum { RIG_THREADS = 64, RIG_LEVELS = 6 };

/* As struct block of textures.cu. */
struct rig_block {
    uint64_t object;
    uint32_t free[2];
    float at[RIG_THREADS][4], more[RIG_THREADS][4];
    uint32_t out[RIG_THREADS][4];
};

struct texture_rig {
    struct kernel_run *run;
    struct texture texture;
    struct oracle_image image[RIG_LEVELS];
    struct oracle_sampler sampler;
    uint64_t random;
};

/* Returns the next random number below `n`. */
uint32_t rig_draw(struct texture_rig *rig, uint32_t n);
/* Makes level 0 of `channels` channels with random texels, and further levels of half the size. The texture clamps,
 * does not filter, and reads integers as integers. */
void rig_make(struct texture_rig *rig, struct kernel_run *run, unsigned format, unsigned channels, unsigned dimensions,
              const long size[3], unsigned levels);
/* Says the same to both sides. */
void rig_modes(struct texture_rig *rig, enum oracle_mode x, enum oracle_mode y, enum oracle_mode z);
void rig_filter(struct texture_rig *rig, bool normalized, bool smooth, bool fractions);
void rig_border(struct texture_rig *rig, const float border[4]);

struct rig_block *rig_block(const struct texture_rig *rig);
/* Makes the object, runs the kernel with the block's places, removes the object. */
void rig_run(struct texture_rig *rig, const char *kernel);
/* Returns component `c` that thread `i` read as a number: bits of a float, or an integer of the format's sign. */
double rig_out(const struct texture_rig *rig, unsigned i, unsigned c, bool integers);
/* Fails unless a thread has read this, to `steps` units in the last place of a float. */
void rig_expect(const struct texture_rig *rig, unsigned i, const struct oracle_texel *expected, bool integers,
                double tolerance);
/* Draws places around an image whose coordinates need not be normalized: edges first, then anything near. */
void rig_places(struct texture_rig *rig);

#endif
