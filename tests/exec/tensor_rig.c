#include "tensor_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/launch_begin.h"

uint32_t tensor_draw(struct tensor_rig *r, uint32_t limit)
{
    r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->random >> 33) % limit);
}

void tensor_rig_enter(struct tensor_rig *r, uint64_t seed, struct memory *memory, struct exec_module *module)
{
    r->memory = memory;
    r->module = module;
    r->random = seed;
    r->tensor = memory_alloc(memory, 2 * TENSOR_BYTES) + TENSOR_BYTES / 2;
    r->host = memory_at(memory, r->tensor);
    r->task.in = memory_alloc(memory, TILE_BYTES);
    r->in = memory_at(memory, r->task.in);
    r->task.out = memory_alloc(memory, TILE_BYTES + 8);
    r->out = memory_at(memory, r->task.out);
    r->before = malloc(TENSOR_BYTES);
    assert_non_null(r->before);
}

void tensor_rig_begin(struct tensor_rig *r, uint64_t seed) { tensor_rig_load(r, seed, "tensors.sm_90a.cubin"); }

void tensor_rig_load(struct tensor_rig *r, uint64_t seed, const char *cubin)
{
    struct file_bytes file;
    struct memory *memory;
    char path[4096], place[128];
    snprintf(place, sizeof place, "tests/exec/cubin/%s", cubin);
    memset(r, 0, sizeof *r);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r->status));
    memory = memory_create(1 << 26, &r->status);
    assert_non_null(memory);
    assert_true(exec_module_load(&r->own, memory, (struct cubin_bytes){file.data, file.size}, place, &r->status));
    file_free(&file);
    tensor_rig_enter(r, seed, memory, &r->own);
}

void tensor_rig_end(struct tensor_rig *r)
{
    exec_module_unload(&r->own);
    memory_destroy(r->memory);
    free(r->before);
}

void tensor_fill(struct tensor_rig *r)
{
    for (uint32_t i = 0; i < TENSOR_BYTES; i += 4) {
        uint32_t word = tensor_draw(r, UINT32_MAX);
        memcpy(r->host + i, &word, 4);
    }
    memcpy(r->before, r->host, TENSOR_BYTES);
}

static bool execute(struct tensor_rig *r, const char *kernel, const void *parameters, size_t bytes)
{
    struct exec_launch launch;
    bool ok = launch_begin(&launch, r->module, kernel, (struct exec_dim){1, 1, 1}, (struct exec_dim){64, 1, 1},
                           TENSOR_SHARED, parameters, bytes, 8, 256, &r->status);
    if (!ok)
        fail_msg("%s: %s", kernel, r->status.text);
    ok = exec_run(&launch, NULL, NULL, NULL, &r->totals, &r->status);
    exec_launch_end(&launch);
    return ok;
}

bool tensor_launch(struct tensor_rig *r, const char *kernel, bool with_map)
{
    enum { MAP_AT = 0x70, TASK_AT = MAP_AT + TENSOR_MAP_BYTES }; /* parameters begin at 0x210 of their bank */
    uint8_t parameters[TASK_AT + sizeof r->task] = {0};
    size_t skip = with_map ? 0 : TASK_AT;
    r->status = (struct status){0};
    if (with_map)
        tensor_map_encode(&r->map, parameters + MAP_AT);
    memcpy(parameters + TASK_AT, &r->task, sizeof r->task);
    return (r->run ? r->run : execute)(r, kernel, parameters + skip, sizeof parameters - skip);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

uint32_t tensor_swizzled(enum swizzle mode, uint32_t a)
{
    uint32_t row = a / 128, in = a % 128, chunk = in / 16, low = in % 16;
    switch (mode) {
    case SWIZZLE_32: chunk = chunk ^ row % 2; break;
    case SWIZZLE_64: chunk = chunk ^ row % 4; break;
    case SWIZZLE_128: chunk = chunk ^ row % 8; break;
    case SWIZZLE_128_ATOM_32: chunk = (chunk / 2 ^ row % 4) * 2 + chunk % 2; break;
    case SWIZZLE_128_ATOM_32_FLIP:
        chunk = (chunk / 2 ^ row % 4) * 2 + chunk % 2;
        low = row % 2 ? (low + 8) % 16 : low;
        break;
    case SWIZZLE_128_ATOM_64: chunk = (chunk / 4 ^ row % 2) * 4 + chunk % 4; break;
    default: break;
    }
    return row * 128 + chunk * 16 + low;
}

static unsigned unit(const struct tensor_rig *r)
{
    return r->map.type >= TENSOR_B4X16 && r->map.type <= TENSOR_B6X16_P32 ? 16 : 1;
}

unsigned tensor_global_bytes(const struct tensor_rig *r)
{
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 8, 8, 12, 4, 4};
    return bytes[r->map.type];
}

unsigned tensor_shared_bytes(const struct tensor_rig *r)
{
    return r->map.type == TENSOR_B4X16_P64 || r->map.type == TENSOR_B6X16_P32 ? 16 : tensor_global_bytes(r);
}

static unsigned pitch(const struct tensor_rig *r, unsigned row)
{
    static const uint8_t span[SWIZZLE_COUNT] = {0, 32, 64, 128, 96, 128, 128, 128};
    unsigned least = r->map.interleave == INTERLEAVE_NONE ? span[r->map.swizzle] : 0;
    return row < least ? least : row;
}

static uint64_t address_of(const struct tensor_rig *r, const int64_t x[TENSOR_RANK])
{
    uint64_t address = r->map.address + (uint64_t)x[0] / unit(r) * tensor_global_bytes(r);
    for (unsigned d = 0; d < r->map.rank; d++) {
        if (x[d] < 0 || x[d] >= (int64_t)r->map.size[d])
            return 0;
        address += d ? (uint64_t)x[d] * r->map.stride[d] : 0;
    }
    return address;
}

static uint32_t model_tile(const struct tensor_rig *r, void (*each)(void *, uint64_t, uint32_t), void *self)
{
    const struct tensor_map *m = &r->map;
    int64_t i[TENSOR_RANK] = {0};
    uint32_t row = 0, units = 0;
    int64_t step0 = m->interleave == INTERLEAVE_NONE ? 1 : m->step[0];
    for (int64_t k = 0; k < m->box[0] / (int64_t)unit(r); k += step0)
        units++;
    unsigned bytes = tensor_shared_bytes(r), row_pitch = pitch(r, units * bytes);
    for (;;) {
        int64_t x[TENSOR_RANK] = {0};
        for (unsigned d = 1; d < m->rank; d++)
            x[d] = r->task.at[d] + i[d];
        for (uint32_t u = 0; u < units; u++) {
            x[0] = r->task.at[0] + u * step0 * unit(r);
            each(self, address_of(r, x), r->task.shared + row * row_pitch + u * bytes);
        }
        row++;
        unsigned d = 1;
        for (; d < m->rank; d++) {
            i[d] += m->step[d];
            if (i[d] < m->box[d])
                break;
            i[d] = 0;
        }
        if (d >= m->rank)
            return row * units * tensor_global_bytes(r);
    }
}

static uint32_t model_column(const struct tensor_rig *r, void (*each)(void *, uint64_t, uint32_t), void *self)
{
    const struct tensor_map *m = &r->map;
    unsigned bytes = tensor_shared_bytes(r), row_pitch = pitch(r, m->box[0] * bytes), last = m->rank - 1u;
    int64_t p[TENSOR_RANK];
    for (unsigned d = 0; d < m->rank; d++)
        p[d] = r->task.at[d];
    for (uint32_t pixel = 0; pixel < m->pixels; pixel++) {
        int64_t x[TENSOR_RANK];
        for (unsigned d = 1; d < m->rank; d++)
            x[d] = p[d] + (d < last ? r->task.offset[d - 1] : 0);
        for (uint32_t c = 0; c < m->box[0]; c++) {
            x[0] = p[0] + c;
            each(self, address_of(r, x), r->task.shared + pixel * row_pitch + c * bytes);
        }
        for (unsigned d = 1; d < m->rank; d++) {
            p[d] += m->step[d];
            if (d == last || p[d] <= (int64_t)m->size[d] - 1 + m->upper[d - 1])
                break;
            p[d] = m->lower[d - 1];
        }
    }
    return m->pixels * m->box[0] * bytes;
}

/* W alone runs. After the last place in the bounding box the next image begins. */
static uint32_t model_wide(const struct tensor_rig *r, void (*each)(void *, uint64_t, uint32_t), void *self)
{
    const struct tensor_map *m = &r->map;
    unsigned bytes = tensor_shared_bytes(r), row_pitch = pitch(r, m->box[0] * bytes), last = m->rank - 1u;
    uint32_t pixels = m->wide == TENSOR_WIDE_W128 ? 128 : m->pixels;
    int64_t w = r->task.at[1], n = r->task.at[last];
    for (uint32_t pixel = 0; pixel < pixels; pixel++) {
        int64_t x[TENSOR_RANK] = {0, w + r->task.offset[1]};
        for (unsigned d = 2; d < last; d++)
            x[d] = r->task.at[d];
        x[last] = n;
        for (uint32_t c = 0; c < m->box[0]; c++) {
            x[0] = r->task.at[0] + (int64_t)c;
            each(self, address_of(r, x), r->task.shared + pixel * row_pitch + c * bytes);
        }
        w += m->step[1];
        if (w > (int64_t)m->size[1] - 1 + m->upper[0]) {
            w = m->lower[0];
            n += m->step[last];
        }
    }
    return pixels * m->box[0] * bytes;
}

static uint32_t model_gather(const struct tensor_rig *r, void (*each)(void *, uint64_t, uint32_t), void *self)
{
    unsigned bytes = tensor_shared_bytes(r), units = r->map.box[0] / unit(r), row_pitch = pitch(r, units * bytes);
    for (unsigned row = 0; row < 4; row++)
        for (uint32_t u = 0; u < units; u++) {
            const int64_t x[TENSOR_RANK] = {r->task.at[0] + (int64_t)u * unit(r), r->task.at[row + 1]};
            each(self, address_of(r, x), r->task.shared + row * row_pitch + u * bytes);
        }
    return 4 * units * tensor_global_bytes(r);
}

uint32_t tensor_model(const struct tensor_rig *r, void (*each)(void *self, uint64_t address, uint32_t offset),
                      void *self)
{
    if (r->gathers)
        return model_gather(r, each, self);
    if (r->map.wide)
        return model_wide(r, each, self);
    return (r->map.im2col ? model_column : model_tile)(r, each, self);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Sizes and strides of a tensor that fits, outer dimensions with gaps between. */
static void lay_out(struct tensor_rig *r, unsigned rank, unsigned inner)
{
    struct tensor_map *m = &r->map;
    unsigned grain = m->interleave == INTERLEAVE_32B || unit(r) == 16 ? 32 : 16;
    uint64_t extent = (inner * tensor_global_bytes(r) / unit(r) + grain - 1) / grain * grain;
    m->rank = (uint8_t)rank;
    m->address = r->tensor + tensor_draw(r, 8) * grain;
    m->size[0] = inner;
    for (unsigned d = 1; d < rank; d++) {
        m->size[d] = 1 + tensor_draw(r, rank == 5 ? 5 : 12);
        m->stride[d] = extent + tensor_draw(r, 3) * grain;
        extent = m->stride[d] * m->size[d];
    }
    assert_true(extent < TENSOR_BYTES - 256);
}

static void choose_swizzle(struct tensor_rig *r, unsigned row)
{
    static const uint8_t span[SWIZZLE_COUNT] = {255, 32, 64, 128, 0, 128, 128, 128};
    struct tensor_map *m = &r->map;
    do
        m->swizzle = (uint8_t)tensor_draw(r, SWIZZLE_COUNT);
    while (m->swizzle == SWIZZLE_96 || (m->interleave == INTERLEAVE_NONE && m->swizzle && row > span[m->swizzle]) ||
           (unit(r) == 16 && m->type != TENSOR_B4X16 && m->swizzle != SWIZZLE_NONE && m->swizzle != SWIZZLE_128 &&
            m->swizzle != SWIZZLE_128_ATOM_32));
    if (m->interleave == INTERLEAVE_32B)
        m->swizzle = SWIZZLE_32;
}

void tensor_random_tile(struct tensor_rig *r, unsigned rank, unsigned type_limit)
{
    struct tensor_map *m = &r->map;
    memset(m, 0, sizeof *m);
    m->type = (uint8_t)tensor_draw(r, type_limit);
    bool padded = m->type == TENSOR_B4X16_P64 || m->type == TENSOR_B6X16_P32;
    if (rank >= 3 && !padded && m->type != TENSOR_B4X16)
        m->interleave = (uint8_t)tensor_draw(r, INTERLEAVE_COUNT);
    unsigned bytes = tensor_shared_bytes(r);
    if (m->interleave != INTERLEAVE_NONE)
        m->box[0] = (uint16_t)((m->interleave == INTERLEAVE_16B ? 16 : 32) / bytes);
    else if (padded)
        m->box[0] = 128;
    else
        m->box[0] = (uint16_t)((1 + tensor_draw(r, rank > 3 ? 3 : 8)) * 16 / bytes * unit(r));
    while (m->box[0] > 256)
        m->box[0] = (uint16_t)(m->box[0] / 2);
    unsigned inner = m->interleave != INTERLEAVE_NONE ? m->box[0] : padded ? 256 : unit(r) * (1 + tensor_draw(r, 40));
    lay_out(r, rank, inner);
    unsigned most = rank == 5 ? 4 : rank == 4 ? 6 : 12;
    for (unsigned d = 0; d < rank; d++) {
        m->step[d] = (uint8_t)(tensor_draw(r, 2) ? 1 : 1 + tensor_draw(r, 8));
        if (d)
            m->box[d] = (uint16_t)(1 + tensor_draw(r, most));
        r->task.at[d] = (int32_t)tensor_draw(r, (uint32_t)m->size[d] + 8) - 5;
    }
    r->task.at[0] = r->task.at[0] / (int)unit(r) * (int)unit(r);
    choose_swizzle(r, m->box[0] / unit(r) * bytes);
    bool is_float = m->type >= TENSOR_F16 && unit(r) == 1;
    m->fill_nan = is_float && tensor_draw(r, 2);
    m->promotion = (uint8_t)tensor_draw(r, 4);
    assert_null(tensor_map_wrong(m));
}

void tensor_random_column(struct tensor_rig *r, unsigned rank)
{
    struct tensor_map *m = &r->map;
    memset(m, 0, sizeof *m);
    m->im2col = true;
    m->type = (uint8_t)tensor_draw(r, TENSOR_B4X16);
    m->box[0] = (uint16_t)((1 + tensor_draw(r, 8)) * 16 / tensor_shared_bytes(r));
    lay_out(r, rank, 1 + tensor_draw(r, 40));
    m->pixels = (uint16_t)(1 + tensor_draw(r, 60));
    for (unsigned d = 0; d < rank; d++) {
        m->step[d] = (uint8_t)(1 + tensor_draw(r, d && d + 1 < rank ? 3 : 1));
        r->task.at[d] = (int32_t)tensor_draw(r, (uint32_t)m->size[d] + 4) - 2;
        if (d == 0 || d + 1 == rank)
            continue;
        m->lower[d - 1] = (int16_t)((int)tensor_draw(r, 5) - 3);
        do
            m->upper[d - 1] = (int16_t)((int)tensor_draw(r, 6) - 3);
        while ((int)m->size[d] - 1 + m->upper[d - 1] < m->lower[d - 1]);
        int places = ((int)m->size[d] - 1 + m->upper[d - 1] - m->lower[d - 1]) / m->step[d] + 1;
        r->task.at[d] = m->lower[d - 1] + (int)tensor_draw(r, (uint32_t)places) * m->step[d];
        r->task.offset[d - 1] = (uint16_t)tensor_draw(r, 4);
    }
    choose_swizzle(r, m->box[0] * tensor_shared_bytes(r));
    m->fill_nan = m->type >= TENSOR_F16 && tensor_draw(r, 2);
    assert_null(tensor_map_wrong(m));
}

/* Every third column begins left of the bounding box, and ends within it. */
void tensor_random_wide(struct tensor_rig *r, unsigned rank, unsigned wide)
{
    static const uint8_t swizzles[] = {SWIZZLE_64, SWIZZLE_128, SWIZZLE_128_ATOM_32};
    struct tensor_map *m = &r->map;
    tensor_random_column(r, rank);
    m->wide = (uint8_t)wide;
    m->swizzle = swizzles[tensor_draw(r, 3)];
    m->box[0] = (uint16_t)((1 + tensor_draw(r, 4)) * 16 / tensor_shared_bytes(r));
    for (unsigned d = 2; d + 1 < rank; d++) {
        m->lower[d - 1] = m->upper[d - 1] = 0;
        r->task.at[d] = (int32_t)tensor_draw(r, (uint32_t)m->size[d] + 4) - 2;
    }
    r->task.offset[0] = 0;
    r->task.offset[1] = (uint16_t)tensor_draw(r, 32);
    int last = (int)m->size[1] - 1 + m->upper[0];
    if (wide == TENSOR_WIDE_W && tensor_draw(r, 3) == 0) {
        r->task.at[1] = m->lower[0] - 1 - (int)tensor_draw(r, 9);
        m->pixels = (uint16_t)(1 + tensor_draw(r, (uint32_t)((last - r->task.at[1]) / m->step[1] + 1)));
    }
    assert_null(tensor_map_wrong(m));
}

/* Rows in any order, the same one twice, and rows that the tensor does not have. */
void tensor_random_gather(struct tensor_rig *r, unsigned type_limit)
{
    tensor_random_tile(r, 2, type_limit);
    r->map.box[1] = 1;
    for (unsigned i = 1; i < TENSOR_RANK; i++)
        r->task.at[i] = (int32_t)tensor_draw(r, (uint32_t)r->map.size[1] + 6) - 3;
}
