/* Texture and surface objects of a device: resources in device memory, with the sampler that reads them. A handle is
 * the number of an object, from 1 on. Hardware has headers and samplers in memory, whose layout code never sees. Code
 * reads only a table of attributes, by handle (struct texture_attributes).
 *
 * The driver changes the objects while no launch runs. Cores of different threads read them. */
#ifndef SUBCORE_EXEC_TEXTURES_H
#define SUBCORE_EXEC_TEXTURES_H

#include "exec/memory.h"

enum texture_format {
    TEXTURE_U8,
    TEXTURE_S8,
    TEXTURE_U16,
    TEXTURE_S16,
    TEXTURE_U32,
    TEXTURE_S32,
    TEXTURE_F16,
    TEXTURE_F32
};

/* The address modes have the numbers of CUaddress_mode. */
enum texture_mode { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

enum {
    TEXTURE_LEVELS = 32,
    TEXTURE_OBJECTS = 65536, /* of a device */
    TEXTURE_RECORD = 64      /* bytes of struct texture_attributes, which code multiplies handles by */
};

struct texture_level {
    uint64_t address;              /* of texel (0, 0, 0) */
    uint64_t pitch, slice;         /* bytes from row to row, and from slice or layer to the next */
    uint32_t width, height, depth; /* texels; at least 1 */
};

struct texture {
    bool surface;
    bool unbound;       /* of a reference to which nothing is bound: all the rest is unused */
    uint8_t format;     /* enum texture_format of a channel */
    uint8_t channels;   /* 1, 2, 4 */
    uint8_t dimensions; /* 1, 2, 3: of a layer */
    bool linear;        /* bytes one after another, without an array: fetched by number only */
    bool layered, cube;
    uint32_t layers; /* of an array, where the six faces of a cube count as layers. Else 1 */
    uint8_t levels;  /* at least 1 */
    struct texture_level level[TEXTURE_LEVELS];
    /* The sampler. */
    uint8_t mode[3];         /* enum texture_mode of x, y, z */
    bool smooth, mip_smooth; /* linear filters within a level and between two */
    bool normalized;         /* coordinates run from 0 to 1 */
    bool integers;           /* 8 and 16 bits are read as integers, not as fractions of 1 */
    bool srgb, seamless;
    float bias, least, most;   /* of the level */
    uint8_t anisotropy;        /* probes at most of an anisotropic filter; 0 and 1: none */
    uint32_t border[4];        /* bits as a result has them */
    uint32_t order, data_type; /* as PTX names the channels; of the attributes alone */
};

/* Attributes that txq and suq read, in words of 32 bits. The offsets are those that ptxas 13.0 writes. A surface has
 * its own. */
enum {
    TEXTURE_ATTRIBUTE_MODE = 0x0c, /* three words */
    TEXTURE_ATTRIBUTE_FILTER = 0x18,
    TEXTURE_ATTRIBUTE_NORMALIZED = 0x1c,
    TEXTURE_ATTRIBUTE_DATA_TYPE = 0x20,
    TEXTURE_ATTRIBUTE_ORDER = 0x24,
    TEXTURE_ATTRIBUTE_LAYERS = 0x28,
    TEXTURE_ATTRIBUTE_LEVELS = 0x2c,
    TEXTURE_ATTRIBUTE_SAMPLES = 0x30,
    SURFACE_ATTRIBUTE_DATA_TYPE = 0x0c,
    SURFACE_ATTRIBUTE_ORDER = 0x10,
    SURFACE_ATTRIBUTE_LAYOUT = 0x14,
    SURFACE_ATTRIBUTE_LAYERS = 0x1c
};

/* Returns the bytes of a channel. */
static inline unsigned texture_channel_bytes(unsigned format)
{
    return format < TEXTURE_U16 ? 1 : format < TEXTURE_U32 || format == TEXTURE_F16 ? 2 : 4;
}

static inline unsigned texture_texel_bytes(const struct texture *t)
{
    return texture_channel_bytes(t->format) * t->channels;
}

/* Returns whether results are integers, as they stand in memory. */
static inline bool texture_gives_integers(const struct texture *t)
{
    return t->format == TEXTURE_U32 || t->format == TEXTURE_S32 || (t->integers && t->format < TEXTURE_U32);
}

struct textures;

/* Adds a copy of the object. Returns its handle (0: no room, or no memory). */
uint32_t textures_add(struct memory *memory, const struct texture *texture);
/* Replaces the object of a handle that there is. */
void textures_put(struct memory *memory, uint32_t handle, const struct texture *texture);
/* Returns the object, or NULL if the handle is none. */
const struct texture *textures_find(const struct memory *memory, uint32_t handle);
/* Removes it. Returns false if the handle is none. */
bool textures_remove(struct memory *memory, uint32_t handle);
/* Returns the device address where handle 0 would have its attributes (0: there has been no object yet). */
uint64_t textures_attributes(const struct memory *memory);
/* Frees the host memory of all. Also of NULL. */
void textures_destroy(struct textures *textures);

#endif
