#include "exec/engine/box.h"

static int64_t div_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Of `count` positions `at`, at + step, ..., those from *from to before *to lie in 0 .. size - 1. */
static void inside(int64_t at, int64_t step, int64_t size, int64_t count, uint32_t *from, uint32_t *to)
{
    *from = (uint32_t)least(div_up(-at, step), count);
    *to = (uint32_t)least(div_up(size - at, step), count);
    if (*to < *from)
        *to = *from;
}

/* The bytes that a box counts at a barrier. The padding of packed elements does not count: CUTLASS's kernels for sm_120
 * (sm120_blockscaled_mma_tma) announce the bits of the elements. */
static uint32_t counted(const struct box *box) { return box->transfer.rows * box->units * box->transfer.element_bytes; }

/* Fills the part that both modes have: dimension 0, and shared memory. */
static const char *begin(const struct tensor_map *map, int32_t at, struct box *box)
{
    const struct tensor_type_facts *type = tensor_type_facts((enum tensor_type)map->type);
    struct transfer *t = &box->transfer;
    static const uint8_t fetch[4] = {0, 2, 4, 8};
    *box = (struct box){.fill = map->fill_nan ? type->nan : 0,
                        .unit_bytes = type->shared,
                        .fill_bytes = type->unit == 1 ? type->shared : 1,
                        .swizzle = map->swizzle};
    if (at % type->unit)
        return "the coordinate of dimension 0 is no multiple of 16, with elements of 4 or 6 bits";
    int64_t step = map->interleave == INTERLEAVE_NONE ? 1 : map->step[0], unit = at / type->unit;
    uint32_t from, to;
    box->units = (uint32_t)div_up(map->box[0] / type->unit, step);
    inside(unit, step, (int64_t)(map->size[0] / type->unit), box->units, &from, &to);
    box->first = from;
    uint32_t row = box->units * box->unit_bytes, span = tensor_map_span(map);
    box->pitch = map->interleave == INTERLEAVE_NONE && span > row ? span : row;
    t->base = map->address + (uint64_t)(unit + from * step) * type->global;
    t->stride[0] = (uint64_t)step * type->global;
    t->extent[0] = to - from;
    t->element_bytes = type->global;
    t->fetch = fetch[map->promotion];
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++)
        t->extent[d] = t->to[d] = 1;
    return NULL;
}

const char *box_tile(const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK], struct box *box)
{
    const char *wrong = begin(map, coordinate[0], box);
    struct transfer *t = &box->transfer;
    t->rows = 1;
    for (unsigned d = 1; d < map->rank; d++) {
        t->extent[d] = (uint32_t)div_up(map->box[d], map->step[d]);
        inside(coordinate[d], map->step[d], (int64_t)map->size[d], t->extent[d], &t->from[d], &t->to[d]);
        t->stride[d] = map->step[d] * map->stride[d];
        t->base += (uint64_t)(int64_t)coordinate[d] * map->stride[d];
        t->rows *= t->extent[d];
    }
    t->bytes = counted(box);
    return wrong;
}

/* A pixel dimension. Its column begins at `at`. */
static const char *add_pixels(const struct tensor_map *map, unsigned d, int64_t at, uint32_t offset, struct transfer *t)
{
    int64_t lower = map->lower[d - 1], last = (int64_t)map->size[d] - 1 + map->upper[d - 1], step = map->step[d];
    int64_t places = last < lower ? 0 : (last - lower) / step + 1;
    if (places > UINT32_MAX)
        places = UINT32_MAX;
    if (at < lower || (at - lower) / step >= places)
        return "its column begins outside of the bounding box";
    if ((at - lower) % step)
        return "its column begins between the places of its element strides";
    t->extent[d] = (uint32_t)places;
    t->start[d] = (uint32_t)((at - lower) / step);
    inside(lower + offset, step, (int64_t)map->size[d], places, &t->from[d], &t->to[d]);
    t->stride[d] = (uint64_t)step * map->stride[d];
    t->base += (uint64_t)(lower + offset) * map->stride[d];
    return NULL;
}

const char *box_column(const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK],
                       const uint32_t offset[TENSOR_SPATIAL], struct box *box)
{
    const char *wrong = begin(map, coordinate[0], box);
    struct transfer *t = &box->transfer;
    unsigned outer = map->rank - 1u;
    for (unsigned d = 1; d < outer && !wrong; d++)
        wrong = add_pixels(map, d, coordinate[d], offset[d - 1], t);
    t->extent[outer] = UINT32_MAX;
    inside(coordinate[outer], map->step[outer], (int64_t)map->size[outer], map->pixels, &t->from[outer], &t->to[outer]);
    t->stride[outer] = map->step[outer] * map->stride[outer];
    t->base += (uint64_t)(int64_t)coordinate[outer] * map->stride[outer];
    t->rows = map->pixels;
    t->bytes = counted(box);
    return wrong;
}

/* Dimensions H and D stand still. W begins anew in the next image, as in im2col. */
const char *box_wide(const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK], uint32_t offset,
                     struct box *box)
{
    const char *wrong = begin(map, coordinate[0], box);
    struct transfer *t = &box->transfer;
    unsigned outer = map->rank - 1u;
    uint32_t pixels = map->wide == TENSOR_WIDE_W128 ? TENSOR_W128_PIXELS : map->pixels;
    int64_t lower = map->lower[0], last = (int64_t)map->size[1] - 1 + map->upper[0], step = map->step[1];
    int64_t at = coordinate[1], first = at < lower ? at : lower, places = last < first ? 0 : (last - first) / step + 1;
    if (!wrong && at > last)
        wrong = "its column begins right of the bounding box";
    if (!wrong && at < lower && places < pixels)
        wrong = "its column begins left of the bounding box and goes beyond its end";
    if (!wrong && (at - first) % step)
        wrong = "its column begins between the places of its element strides";
    if (wrong)
        return wrong;
    t->extent[1] = (uint32_t)places;
    t->start[1] = (uint32_t)((at - first) / step);
    inside(first + offset, step, (int64_t)map->size[1], places, &t->from[1], &t->to[1]);
    t->stride[1] = (uint64_t)step * map->stride[1];
    t->base += (uint64_t)(first + offset) * map->stride[1];
    for (unsigned d = 2; d < outer; d++) {
        inside(coordinate[d], 1, (int64_t)map->size[d], 1, &t->from[d], &t->to[d]);
        t->base += (uint64_t)(int64_t)coordinate[d] * map->stride[d];
    }
    t->extent[outer] = UINT32_MAX;
    inside(coordinate[outer], map->step[outer], (int64_t)map->size[outer], pixels, &t->from[outer], &t->to[outer]);
    t->stride[outer] = map->step[outer] * map->stride[outer];
    t->base += (uint64_t)(int64_t)coordinate[outer] * map->stride[outer];
    t->rows = pixels;
    t->bytes = counted(box);
    return NULL;
}

const char *box_gather(const struct tensor_map *map, int32_t column, const int32_t row[BOX_GATHERED], struct box *box)
{
    const char *wrong = begin(map, column, box);
    struct transfer *t = &box->transfer;
    if (!wrong && map->box[1] != 1)
        wrong = "its box has more than one row, and the instruction names rows one by one";
    t->extent[1] = 0;
    t->from[1] = t->to[1] = 0;
    t->stride[1] = map->stride[1];
    for (unsigned r = 0; r < BOX_GATHERED; r++) {
        t->start[r + 1] = (uint32_t)row[r];
        t->from[1] |= row[r] >= 0 && (uint64_t)row[r] < map->size[1] ? 1u << r : 0;
    }
    t->rows = BOX_GATHERED;
    t->bytes = counted(box);
    return wrong;
}

void box_bytes(uint64_t address, uint32_t bytes, struct box *box)
{
    enum { UNIT = 16 };
    *box = (struct box){.units = bytes / UNIT, .pitch = bytes, .unit_bytes = UNIT, .fill_bytes = 1};
    struct transfer *t = &box->transfer;
    t->base = address;
    t->stride[0] = t->element_bytes = UNIT;
    t->extent[0] = box->units;
    t->rows = 1;
    t->bytes = bytes;
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++)
        t->extent[d] = t->to[d] = 1;
}
