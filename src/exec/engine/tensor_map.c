#include "exec/engine/tensor_map.h"

#include <string.h>

static const struct tensor_type_facts types[TENSOR_TYPE_COUNT] = {
#define X(id, number, tf32, unit, global, shared, is_float, nan)                                                       \
    [TENSOR_##id] = {number, tf32, unit, global, shared, is_float, nan},
    TENSOR_TYPES(X)
#undef X
};

const struct tensor_type_facts *tensor_type_facts(enum tensor_type type) { return &types[type]; }

/* ---- the bytes --------------------------------------------------------------------------------------------------- */

enum {
    FACTS = 0x08,
    STRIDES = 0x0c,
    STRIDES_HIGH = 0x1c,
    SIZES = 0x20,
    STEPS = 0x34,
    BOXES = 0x38,
    LOWER = 0x40,
    UPPER = 0x46,
    PIXELS = 0x4c,
    MAGIC = 0x7c
};
/* Bytes among which a swizzle exchanges. */
static const uint8_t spans[SWIZZLE_COUNT] = {
    [SWIZZLE_32] = 32,          [SWIZZLE_64] = 64,           [SWIZZLE_128] = 128,
    [SWIZZLE_96] = 96,          [SWIZZLE_128_ATOM_32] = 128, [SWIZZLE_128_ATOM_32_FLIP] = 128,
    [SWIZZLE_128_ATOM_64] = 128};
uint32_t tensor_map_span(const struct tensor_map *map) { return spans[map->swizzle]; }

static const uint32_t magic = UINT32_C(0x50414d54);

/* Swizzles by bits 14:13 and 21:19 of the facts. */
static const struct {
    uint8_t mode, chunk;
    bool is_96;
} swizzles[SWIZZLE_COUNT] = {
    [SWIZZLE_32] = {1, 0, false},
    [SWIZZLE_64] = {2, 0, false},
    [SWIZZLE_128] = {3, 0, false},
    [SWIZZLE_128_ATOM_32] = {3, 1, false},
    [SWIZZLE_128_ATOM_32_FLIP] = {3, 2, false},
    [SWIZZLE_128_ATOM_64] = {3, 3, false},
    [SWIZZLE_96] = {0, 0, true},
};

static void put(uint8_t *bytes, unsigned at, uint64_t value, size_t size) { memcpy(bytes + at, &value, size); }

static uint64_t get(const uint8_t *bytes, unsigned at, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, bytes + at, size);
    return value;
}

static void encode_corners(const struct tensor_map *map, uint8_t *bytes)
{
    for (unsigned i = 0; i < TENSOR_SPATIAL; i++) {
        put(bytes, LOWER + 2 * i, (uint16_t)map->lower[i], 2);
        put(bytes, UPPER + 2 * i, (uint16_t)map->upper[i], 2);
    }
    put(bytes, PIXELS, map->pixels - 1u, 2);
}

void tensor_map_encode(const struct tensor_map *map, uint8_t bytes[TENSOR_MAP_BYTES])
{
    const struct tensor_type_facts *type = &types[map->type];
    uint32_t facts = (map->im2col ? 1u + map->wide : 0) | (map->rank - 1u) << 4 | (uint32_t)type->number << 7 |
                     (uint32_t)map->interleave << 11 | (uint32_t)swizzles[map->swizzle].mode << 13 |
                     (uint32_t)map->fill_nan << 15 | (uint32_t)type->tf32 << 16 | (uint32_t)map->promotion << 17 |
                     (uint32_t)swizzles[map->swizzle].chunk << 19 | (uint32_t)swizzles[map->swizzle].is_96 << 22;
    uint32_t high = 0, steps = 0, boxes = 0;
    memset(bytes, 0, TENSOR_MAP_BYTES);
    put(bytes, 0, map->address, 8);
    put(bytes, FACTS, facts, 4);
    for (unsigned i = 0; i < map->rank; i++) {
        put(bytes, SIZES + 4 * i, map->size[i] - 1, 4);
        steps |= (map->step[i] - 1u) << 3 * i;
        if (i == 0)
            continue;
        put(bytes, STRIDES + 4 * (i - 1), map->stride[i] >> 4, 4);
        high |= (uint32_t)(map->stride[i] >> 36) << 4 * (i - 1);
        boxes |= (map->box[i] - 1u) << 8 * (i - 1);
    }
    put(bytes, STRIDES_HIGH, high, 4);
    put(bytes, STEPS, steps | (map->box[0] - 1u) << 24, 4);
    put(bytes, BOXES, boxes, 4);
    if (map->im2col)
        encode_corners(map, bytes);
    put(bytes, MAGIC, magic, 4);
}

/* Returns TENSOR_TYPE_COUNT for a number that no type has. */
static enum tensor_type type_of(uint32_t facts)
{
    for (unsigned i = 0; i < TENSOR_TYPE_COUNT; i++)
        if (types[i].number == (facts >> 7 & 15) && types[i].tf32 == (facts >> 16 & 1))
            return (enum tensor_type)i;
    return TENSOR_TYPE_COUNT;
}

static enum swizzle swizzle_of(uint32_t facts)
{
    unsigned mode = facts >> 13 & 3, chunk = facts >> 19 & 7;
    if (mode == 0)
        return facts >> 22 & 1 ? SWIZZLE_96 : SWIZZLE_NONE;
    for (unsigned i = SWIZZLE_32; i < SWIZZLE_COUNT; i++)
        if (swizzles[i].mode == mode && swizzles[i].chunk == (mode == 3 ? chunk : 0))
            return (enum swizzle)i;
    return SWIZZLE_COUNT;
}

static void decode_dimensions(const uint8_t *bytes, struct tensor_map *map)
{
    uint32_t steps = (uint32_t)get(bytes, STEPS, 4);
    for (unsigned i = 0; i < TENSOR_RANK; i++) {
        bool there = i < map->rank;
        map->size[i] = there ? get(bytes, SIZES + 4 * i, 4) + 1 : 1;
        map->step[i] = (uint8_t)(there ? (steps >> 3 * i & 7) + 1 : 1);
        map->box[i] = !there ? 1 : i == 0 ? (uint16_t)((steps >> 24) + 1) : (uint16_t)(bytes[BOXES + i - 1] + 1);
        if (i == 0 || !there)
            continue;
        uint64_t high = get(bytes, STRIDES_HIGH, 4) >> 4 * (i - 1) & 15;
        map->stride[i] = high << 36 | get(bytes, STRIDES + 4 * (i - 1), 4) << 4;
    }
}

/* A map that was encoded says so. One that a kernel has made of zeros by tensormap.replace has an address, and zeros
 * behind the fields that this instruction knows. */
static bool is_map(const uint8_t bytes[TENSOR_MAP_BYTES])
{
    static const uint8_t zeros[TENSOR_MAP_BYTES];
    return get(bytes, MAGIC, 4) == magic ||
           (get(bytes, 0, 8) != 0 && memcmp(bytes + LOWER, zeros, TENSOR_MAP_BYTES - LOWER) == 0);
}

bool tensor_map_decode(const uint8_t bytes[TENSOR_MAP_BYTES], struct tensor_map *map)
{
    uint32_t facts = (uint32_t)get(bytes, FACTS, 4);
    enum tensor_type type = type_of(facts);
    *map = (struct tensor_map){0};
    if (!is_map(bytes) || type == TENSOR_TYPE_COUNT)
        return false;
    map->address = get(bytes, 0, 8);
    map->rank = (uint8_t)((facts >> 4 & 7) + 1);
    map->type = (uint8_t)type;
    map->interleave = facts >> 11 & 3;
    map->swizzle = (uint8_t)swizzle_of(facts);
    map->fill_nan = facts >> 15 & 1;
    map->im2col = facts & 3;
    map->wide = (uint8_t)(map->im2col ? (facts & 3) - 1 : 0);
    map->promotion = facts >> 17 & 3;
    if (map->rank > TENSOR_RANK || map->swizzle == SWIZZLE_COUNT)
        return false;
    decode_dimensions(bytes, map);
    map->stride[0] = types[type].global;
    for (unsigned i = 0; i < TENSOR_SPATIAL; i++) {
        map->lower[i] = (int16_t)get(bytes, LOWER + 2 * i, 2);
        map->upper[i] = (int16_t)get(bytes, UPPER + 2 * i, 2);
    }
    map->pixels = (uint16_t)(get(bytes, PIXELS, 2) + 1);
    return true;
}

/* ---- the rules --------------------------------------------------------------------------------------------------- */

static bool is_padded(const struct tensor_map *map)
{
    return map->type == TENSOR_B4X16_P64 || map->type == TENSOR_B6X16_P32;
}

static const char *wrong_kind(const struct tensor_map *map)
{
    if (map->type >= TENSOR_TYPE_COUNT)
        return "its element type does not exist";
    if (map->rank < 1 || map->rank > TENSOR_RANK)
        return "its rank is not 1 to 5";
    if (map->interleave >= INTERLEAVE_COUNT)
        return "its interleave does not exist";
    if ((map->interleave != INTERLEAVE_NONE || map->im2col) && map->rank < 3)
        return "its rank is below 3, with interleave or im2col";
    if (map->swizzle >= SWIZZLE_COUNT)
        return "its swizzle does not exist";
    if (map->interleave == INTERLEAVE_32B && map->swizzle != SWIZZLE_32)
        return "its swizzle is not that of 32 bytes, with an interleave of 32 bytes";
    if (map->type == TENSOR_B6X16_P32 && map->interleave != INTERLEAVE_NONE)
        return "its elements of 6 bits are interleaved";
    if (is_padded(map) && map->swizzle != SWIZZLE_NONE && map->swizzle != SWIZZLE_128 &&
        map->swizzle != SWIZZLE_128_ATOM_32 && !(map->type == TENSOR_B6X16_P32 && map->swizzle == SWIZZLE_128_ATOM_64))
        return "its swizzle is none of those for padded elements";
    if (map->wide && map->swizzle != SWIZZLE_64 && map->swizzle != SWIZZLE_128 && map->swizzle != SWIZZLE_128_ATOM_32)
        return "its swizzle is none of those for im2col along W";
    if (map->fill_nan && !types[map->type].is_float)
        return "it fills with NaN, and its elements are no floating-point numbers";
    return NULL;
}

static const char *wrong_place(const struct tensor_map *map)
{
    const uint64_t limit = UINT64_C(1) << 40, most = UINT64_C(1) << 32;
    unsigned grain = map->interleave == INTERLEAVE_32B || is_padded(map) ? 32 : 16;
    if (map->address % grain)
        return grain == 32 ? "its address is no multiple of 32" : "its address is no multiple of 16";
    for (unsigned i = 0; i < map->rank; i++) {
        if (map->size[i] == 0 || map->size[i] > most)
            return "a size is not 1 to 2^32";
        if (i && (map->stride[i] % grain || map->stride[i] >= limit))
            return grain == 32 ? "a stride is no multiple of 32 below 2^40"
                               : "a stride is no multiple of 16 below 2^40";
    }
    if (is_padded(map) && map->size[0] % 128)
        return "the size of dimension 0 is no multiple of 128, with padded elements";
    if (map->type == TENSOR_B4X16 && map->size[0] % 2)
        return "the size of dimension 0 is odd, with elements of 4 bits";
    return NULL;
}

static const char *wrong_inner(const struct tensor_map *map)
{
    const struct tensor_type_facts *type = &types[map->type];
    if (is_padded(map) && map->box[0] != 128)
        return "the box of dimension 0 is not 128, with padded elements";
    if (map->interleave != INTERLEAVE_NONE)
        return NULL;
    if (map->box[0] % type->unit || map->box[0] / type->unit * type->shared % 16)
        return "the box of dimension 0 has no multiple of 16 bytes";
    unsigned inner = map->box[0] / type->unit * (unsigned)(is_padded(map) ? type->shared : type->global);
    if (map->swizzle != SWIZZLE_NONE && inner > spans[map->swizzle])
        return "the box of dimension 0 is wider than the swizzle";
    return NULL;
}

/* Corners have 16, 8 or 5 bits. */
static const char *wrong_corners(const struct tensor_map *map)
{
    static const int limit[] = {32768, 128, 16};
    int most = limit[map->wide ? 0 : map->rank - 3];
    unsigned count = map->wide ? 1 : map->rank - 2u;
    for (unsigned i = 0; i < count; i++) {
        if (map->lower[i] < -most || map->lower[i] >= most || map->upper[i] < -most || map->upper[i] >= most)
            return "a corner of the bounding box is outside of its range";
        if ((int64_t)map->size[i + 1] - 1 + map->upper[i] < map->lower[i])
            return "the bounding box is empty";
    }
    if (map->pixels < 1 || map->pixels > 1024)
        return "a column does not have 1 to 1024 pixels";
    return NULL;
}

static const char *wrong_box(const struct tensor_map *map)
{
    for (unsigned i = 0; i < map->rank; i++) {
        bool used = i == 0 || !map->im2col;
        if (used && (map->box[i] < 1 || map->box[i] > 256))
            return i || !map->im2col ? "a box dimension is not 1 to 256" : "a pixel does not have 1 to 256 channels";
        bool ignored = i == 0 && map->interleave == INTERLEAVE_NONE;
        if (!ignored && (map->step[i] < 1 || map->step[i] > 8))
            return "an element stride is not 1 to 8";
    }
    const char *wrong = wrong_inner(map);
    return wrong || !map->im2col ? wrong : wrong_corners(map);
}

const char *tensor_map_wrong(const struct tensor_map *map)
{
    const char *wrong = wrong_kind(map);
    wrong = wrong ? wrong : wrong_place(map);
    return wrong ? wrong : wrong_box(map);
}
