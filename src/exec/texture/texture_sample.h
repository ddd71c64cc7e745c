/* Reading a texture: from coordinates to four components.
 *
 * CUDA C++ Programming Guide, texture fetching. A coordinate u becomes u * size if it is normalized. Point: the texel
 * floor(u). Linear: the texels i and i + 1 with i = floor(u - 0.5), whose weights are fixed-point numbers with
 * 8 bits behind the point. The guide does not say how the fraction is rounded, nor the precision of the
 * sum: here the coordinate is rounded to the nearest 1/256, the weights are multiplied exactly, and the sum is rounded
 * once (ASSUMED). */
#ifndef SUBCORE_EXEC_TEXTURE_SAMPLE_H
#define SUBCORE_EXEC_TEXTURE_SAMPLE_H

#include "exec/texture/texel.h"

/* Where one lane reads. */
struct texture_place {
    float at[3];       /* of a cube the direction */
    int32_t number[3]; /* of a fetch: texels */
    int32_t offset[3]; /* texels */
    uint32_t layer;    /* of a layered cube: of the cube */
    float level;       /* before bias and clamps; of a fetch the level's number */
    float along[3];    /* the longer side of the footprint, for an anisotropic filter */
    unsigned probes;   /* along it, whose mean is the result; 0 and 1: none but `at` */
};

/* The texels that a lane has read, for faults and for time. */
struct texture_use {
    uint64_t first;   /* address of the first texel (0: none was read) */
    uint64_t second;  /* of a texel in another sector (32 bytes) (0: there is none) */
    uint32_t texels;  /* read */
    uint64_t missing; /* address of a texel without memory (0: none) */
};

/* Samples as TEX does: filters within the level and between levels as the texture says. */
struct texel texture_sample(const struct memory *memory, const struct texture *texture,
                            const struct texture_place *place, struct texture_use *use);
/* Gathers one component of the four texels that a linear filter takes: (i, j+1), (i+1, j+1), (i+1, j), (i, j), PTX ISA
 * tld4. Of the base level. */
struct texel texture_gather(const struct memory *memory, const struct texture *texture,
                            const struct texture_place *place, unsigned component, struct texture_use *use);
/* Fetches the texel with these numbers. Outside of the texture all components are 0 (ASSUMED). */
struct texel texture_fetch(const struct memory *memory, const struct texture *texture,
                           const struct texture_place *place, struct texture_use *use);

/* Sets level and probes for a footprint, which is given by coordinate changes along two axes (PTX ISA, tex.grad). The
 * longer change counts, in texels of the base level. An anisotropic filter takes as many probes as the longer change is
 * longer than the other, rounded up, and a level that suits their distance. That is the formula of
 * EXT_texture_filter_anisotropic, which leaves others open (ASSUMED). It needs a linear filter, and a cube has none
 * (ASSUMED). */
void texture_footprint(const struct texture *texture, const float dx[3], const float dy[3],
                       struct texture_place *place);

#endif
