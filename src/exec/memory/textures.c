#include "exec/memory/textures.h"

#include <stdlib.h>

struct textures {
    uint64_t attributes;      /* device address of the table */
    uint32_t next;            /* handle that is tried first */
    struct texture *object[]; /* [TEXTURE_OBJECTS] by handle (NULL: none) */
};

static struct textures *made(struct memory *memory)
{
    if (memory->textures)
        return memory->textures;
    struct textures *textures = calloc(1, sizeof *textures + TEXTURE_OBJECTS * sizeof *textures->object);
    uint64_t table = textures ? memory_alloc(memory, (uint64_t)TEXTURE_OBJECTS * TEXTURE_RECORD) : 0;
    if (!table) {
        free(textures);
        return NULL;
    }
    textures->attributes = table;
    textures->next = 1;
    memory->textures = textures;
    return textures;
}

static void put(uint32_t record[TEXTURE_RECORD / 4], unsigned offset, uint32_t value) { record[offset / 4] = value; }

static void write_attributes(struct memory *memory, uint32_t handle, const struct texture *t)
{
    uint32_t record[TEXTURE_RECORD / 4] = {0};
    uint32_t layers = t->layered ? t->layers : 0;
    if (t->surface) {
        put(record, SURFACE_ATTRIBUTE_DATA_TYPE, t->data_type);
        put(record, SURFACE_ATTRIBUTE_ORDER, t->order);
        put(record, SURFACE_ATTRIBUTE_LAYERS, layers);
    } else {
        for (unsigned i = 0; i < 3; i++)
            put(record, TEXTURE_ATTRIBUTE_MODE + 4 * i, t->mode[i]);
        put(record, TEXTURE_ATTRIBUTE_FILTER, t->smooth);
        put(record, TEXTURE_ATTRIBUTE_NORMALIZED, t->normalized);
        put(record, TEXTURE_ATTRIBUTE_DATA_TYPE, t->data_type);
        put(record, TEXTURE_ATTRIBUTE_ORDER, t->order);
        put(record, TEXTURE_ATTRIBUTE_LAYERS, layers);
        put(record, TEXTURE_ATTRIBUTE_LEVELS, t->levels);
        put(record, TEXTURE_ATTRIBUTE_SAMPLES, 1);
    }
    memory_write(memory, memory->textures->attributes + (uint64_t)handle * TEXTURE_RECORD, record, sizeof record);
}

uint32_t textures_add(struct memory *memory, const struct texture *texture)
{
    struct textures *textures = made(memory);
    if (!textures)
        return 0;
    uint32_t handle = textures->next;
    for (uint32_t tried = 1; textures->object[handle]; tried++) {
        if (tried == TEXTURE_OBJECTS - 1)
            return 0;
        handle = handle + 1 < TEXTURE_OBJECTS ? handle + 1 : 1;
    }
    struct texture *object = malloc(sizeof *object);
    if (!object)
        return 0;
    *object = *texture;
    textures->object[handle] = object;
    textures->next = handle + 1 < TEXTURE_OBJECTS ? handle + 1 : 1;
    write_attributes(memory, handle, object);
    return handle;
}

void textures_put(struct memory *memory, uint32_t handle, const struct texture *texture)
{
    *memory->textures->object[handle] = *texture;
    write_attributes(memory, handle, texture);
}

const struct texture *textures_find(const struct memory *memory, uint32_t handle)
{
    /* Code that takes the address of a reference adds this bit to the word of the constant bank (ptxas 11.8). */
    handle &= ~(UINT32_C(1) << 31);
    return memory->textures && handle < TEXTURE_OBJECTS ? memory->textures->object[handle] : NULL;
}

bool textures_remove(struct memory *memory, uint32_t handle)
{
    if (!textures_find(memory, handle))
        return false;
    free(memory->textures->object[handle]);
    memory->textures->object[handle] = NULL;
    return true;
}

uint64_t textures_attributes(const struct memory *memory)
{
    return memory->textures ? memory->textures->attributes : 0;
}

void textures_destroy(struct textures *textures)
{
    for (uint32_t i = 0; textures && i < TEXTURE_OBJECTS; i++)
        free(textures->object[i]);
    free(textures);
}
