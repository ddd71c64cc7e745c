#include "exec/texture/texture_sample.h"

#include <math.h>
#include <string.h>

#include "exec/arithmetic/float32.h"
#include "exec/memory/window.h"
#include "exec/texture/texture_cube.h"

enum { ONE = 256, OUTSIDE = -1 };

/* ---- one texel --------------------------------------------------------------------------------------------------- */

static void note(struct texture_use *use, uint64_t address)
{
    enum { SECTOR = 32 };
    use->texels++;
    if (!use->first)
        use->first = address;
    else if (!use->second && address / SECTOR != use->first / SECTOR)
        use->second = address;
}

/* Reads a texel that the level has; `slice` is its layer, face or depth. */
static struct texel read_texel(const struct memory *memory, const struct texture *t, const struct texture_level *l,
                               int64_t x, int64_t y, int64_t slice, struct texture_use *use)
{
    unsigned bytes = texture_texel_bytes(t);
    uint64_t address = l->address + (uint64_t)slice * l->slice + (uint64_t)y * l->pitch + (uint64_t)x * bytes;
    uint64_t at = address;
    if (!memory_reach(memory, &at, bytes)) {
        use->missing = use->missing ? use->missing : address;
        return (struct texel){{0}};
    }
    note(use, at);
    return texel_decode(t, memory_at(memory, at));
}

/* ---- one coordinate ---------------------------------------------------------------------------------------------- */

/* The texels that a coordinate asks for, before the address mode, and the weight of the second in 1/256. */
struct axis {
    int64_t index;
    uint32_t weight;
    int64_t size;
    unsigned mode;
};

static unsigned mode_of(const struct texture *t, unsigned d)
{
    bool folds = t->mode[d] == TEXTURE_WRAP || t->mode[d] == TEXTURE_MIRROR;
    return folds && !t->normalized ? TEXTURE_CLAMP : t->mode[d];
}

/* Returns the coordinate in texels. A coordinate that repeats is first cut to one period: an integer holds it. */
static double texels_of(float u, bool normalized, unsigned mode, int64_t size)
{
    const double far = 1e12;
    double v = isnan(u) ? 0 : (double)u;
    if (isinf(v) && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR))
        v = 0;
    if (mode == TEXTURE_WRAP)
        v -= floor(v);
    else if (mode == TEXTURE_MIRROR)
        v -= 2 * floor(v / 2);
    v = normalized ? v * (double)size : v;
    return v < -far ? -far : v > far ? far : v;
}

static struct axis axis_of(double v, int32_t offset, int64_t size, unsigned mode, bool two)
{
    struct axis axis = {.size = size, .mode = mode};
    if (two) {
        double fixed = floor((v - 0.5) * ONE + 0.5);
        axis.index = (int64_t)floor(fixed / ONE);
        axis.weight = (uint32_t)(fixed - (double)axis.index * ONE);
    } else {
        axis.index = (int64_t)floor(v);
    }
    axis.index += offset;
    return axis;
}

/* The address mode: the texel for number `i`, or OUTSIDE. */
static int64_t place_of(const struct axis *axis, int64_t i)
{
    int64_t n = axis->size;
    switch (axis->mode) {
    case TEXTURE_WRAP: return (i % n + n) % n;
    case TEXTURE_MIRROR: i = (i % (2 * n) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i;
    case TEXTURE_BORDER: return i >= 0 && i < n ? i : OUTSIDE;
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

/* ---- one level --------------------------------------------------------------------------------------------------- */

/* A place on a level: an axis for each dimension, with the layer, and on a cube the face. */
struct spot {
    const struct texture_level *level;
    struct axis axis[3];
    uint32_t slice;
    unsigned face;
};

static bool over_edges(const struct texture *t) { return t->cube && t->seamless; }

static struct spot spot_of(const struct texture *t, const struct texture_place *p, unsigned level, bool two)
{
    const struct texture_level *l = &t->level[level];
    struct spot spot = {.level = l};
    const int64_t size[3] = {l->width, l->height, l->depth};
    float at[3] = {p->at[0], p->at[1], p->at[2]};
    if (t->layered)
        spot.slice = p->layer;
    if (t->cube) {
        spot.face = cube_face(p->at, at);
        uint32_t cubes = t->layers / 6, cube = p->layer < cubes ? p->layer : cubes - 1;
        spot.slice = t->layered ? 6 * cube : 0;
    } else if (t->layered) {
        spot.slice = p->layer < t->layers ? p->layer : t->layers - 1;
    }
    for (unsigned d = 0; d < 3; d++) {
        if (d >= t->dimensions) {
            spot.axis[d] = (struct axis){.size = 1, .mode = TEXTURE_CLAMP};
            continue;
        }
        unsigned mode = t->cube ? TEXTURE_CLAMP : mode_of(t, d);
        double v = texels_of(at[d], t->normalized || t->cube, mode, size[d]);
        spot.axis[d] = axis_of(v, p->offset[d], size[d], mode, two);
    }
    return spot;
}

static struct texel tap(const struct memory *memory, const struct texture *t, const struct spot *spot, unsigned which,
                        struct texture_use *use)
{
    int64_t at[3];
    uint64_t slice = spot->slice;
    for (unsigned d = 0; d < 3; d++) {
        int64_t i = spot->axis[d].index + (which >> d & 1);
        at[d] = over_edges(t) && d < 2 ? i : place_of(&spot->axis[d], i);
        if (at[d] == OUTSIDE && !over_edges(t))
            return texel_border(t);
    }
    if (over_edges(t))
        slice += cube_neighbour(spot->face, &at[0], &at[1], spot->axis[0].size);
    else if (t->cube)
        slice += spot->face;
    return read_texel(memory, t, spot->level, at[0], at[1], t->dimensions == 3 ? at[2] : (int64_t)slice, use);
}

/* The weights are exact in double, and so is each product. Texels without weight are not read. */
static void add_level(const struct memory *memory, const struct texture *t, const struct texture_place *p,
                      unsigned level, double share, double sum[4], struct texture_use *use)
{
    struct spot spot = spot_of(t, p, level, true);
    for (unsigned which = 0; which < 1u << t->dimensions; which++) {
        double weight = share;
        for (unsigned d = 0; d < t->dimensions; d++)
            weight *= (double)(which >> d & 1 ? spot.axis[d].weight : ONE - spot.axis[d].weight) / ONE;
        if (weight == 0)
            continue;
        struct texel texel = tap(memory, t, &spot, which, use);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += weight * (double)float_of(texel.word[c]);
    }
}

static struct texel point(const struct memory *memory, const struct texture *t, const struct texture_place *p,
                          unsigned level, struct texture_use *use)
{
    struct spot spot = spot_of(t, p, level, false);
    return tap(memory, t, &spot, 0, use);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static double level_of(const struct texture *t, float level)
{
    double v = isnan(level) ? 0 : (double)level + (double)t->bias, last = t->levels - 1;
    v = v < (double)t->least ? (double)t->least : v > (double)t->most ? (double)t->most : v;
    return v < 0 ? 0 : v > last ? last : v;
}

static void add_point(const struct memory *memory, const struct texture *t, const struct texture_place *p,
                      unsigned level, double share, double sum[4], struct texture_use *use)
{
    struct texel texel = point(memory, t, p, level, use);
    for (unsigned c = 0; c < 4; c++)
        sum[c] += share * (double)float_of(texel.word[c]);
}

/* The place of a probe, evenly between the ends of the footprint. */
static struct texture_place probe(const struct texture_place *p, unsigned number)
{
    struct texture_place place = *p;
    for (unsigned d = 0; d < 3 && p->probes > 1; d++)
        place.at[d] = (float)((double)p->at[d] + (double)p->along[d] * ((number + 1.0) / (p->probes + 1.0) - 0.5));
    return place;
}

struct texel texture_sample(const struct memory *memory, const struct texture *t, const struct texture_place *p,
                            struct texture_use *use)
{
    double level = level_of(t, p->level), sum[4] = {0};
    bool floats = !texture_gives_integers(t), between = t->mip_smooth && floats;
    double fixed = between ? floor(level * ONE + 0.5) : ONE * floor(level + 0.5);
    unsigned first = (unsigned)(fixed / ONE);
    double second = (fixed - (double)first * ONE) / ONE;
    bool smooth = t->smooth && floats;
    if (!smooth && second == 0)
        return point(memory, t, p, first, use);
    unsigned probes = p->probes > 1 ? p->probes : 1;
    for (unsigned i = 0; i < probes; i++) {
        struct texture_place place = probe(p, i);
        (smooth ? add_level : add_point)(memory, t, &place, first, (1 - second) / probes, sum, use);
        if (second > 0)
            (smooth ? add_level : add_point)(memory, t, &place, first + 1, second / probes, sum, use);
    }
    struct texel texel;
    for (unsigned c = 0; c < 4; c++)
        texel.word[c] = float_bits((float)sum[c]);
    return texel;
}

struct texel texture_gather(const struct memory *memory, const struct texture *t, const struct texture_place *p,
                            unsigned component, struct texture_use *use)
{
    static const uint8_t order[4] = {2, 3, 1, 0}; /* bit 0: the second in x, bit 1: in y */
    struct spot spot = spot_of(t, p, 0, true);
    struct texel texel;
    for (unsigned i = 0; i < 4; i++)
        texel.word[i] = tap(memory, t, &spot, order[i], use).word[component];
    return texel;
}

struct texel texture_fetch(const struct memory *memory, const struct texture *t, const struct texture_place *p,
                           struct texture_use *use)
{
    int64_t number = (int64_t)p->level, last = t->levels - 1;
    const struct texture_level *l = &t->level[number < 0 ? 0 : number > last ? last : number];
    const int64_t size[3] = {l->width, l->height, l->depth};
    int64_t at[3] = {0};
    for (unsigned d = 0; d < t->dimensions; d++) {
        at[d] = (int64_t)p->number[d] + p->offset[d];
        if (at[d] < 0 || at[d] >= size[d])
            return (struct texel){{0}};
    }
    uint32_t layer = !t->layered ? 0 : p->layer < t->layers ? p->layer : t->layers - 1;
    return read_texel(memory, t, l, at[0], at[1], t->dimensions == 3 ? at[2] : (int64_t)layer, use);
}

static double length_of(const struct texture *t, const float d[3])
{
    const struct texture_level *l = &t->level[0];
    const double size[3] = {l->width, l->height, l->depth};
    double sum = 0;
    for (unsigned i = 0; i < t->dimensions; i++) {
        double v = (double)d[i] * (t->normalized || t->cube ? size[i] : 1);
        sum += v * v;
    }
    return sqrt(sum);
}

void texture_footprint(const struct texture *t, const float dx[3], const float dy[3], struct texture_place *place)
{
    double x = length_of(t, dx), y = length_of(t, dy), most = x > y ? x : y, least = x > y ? y : x;
    bool anisotropic = t->anisotropy > 1 && t->smooth && !texture_gives_integers(t) && !t->cube && most > least;
    double probes = 1;
    if (anisotropic)
        probes = most < t->anisotropy * least ? ceil(most / least) : t->anisotropy;
    place->level = most > 0 ? (float)log2(most / probes) : -INFINITY;
    place->probes = (unsigned)probes;
    memcpy(place->along, x > y ? dx : dy, sizeof place->along);
}
