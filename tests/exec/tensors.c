/* Copies of tensors and bytes by the engine, as compiled kernels ask for them, against nested loops. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "tensor_rig.h"

enum { CASES = 150 };

static uint64_t nan_of(unsigned type)
{
    switch (type) {
    case TENSOR_F16:
    case TENSOR_BF16: return 0x7ff7;
    case TENSOR_F64: return UINT64_C(0x7ff77ff77ff77ff7);
    default: return 0x7ff77ff7;
    }
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static void load_element(void *self, uint64_t address, uint32_t offset)
{
    struct tensor_rig *r = self;
    unsigned shared = tensor_shared_bytes(r), global = tensor_global_bytes(r);
    uint64_t fill = r->map.fill_nan ? nan_of(r->map.type) : 0;
    for (unsigned i = 0; i < shared; i++) {
        uint8_t *to = &r->tile[tensor_swizzled((enum swizzle)r->map.swizzle, offset + i)];
        if (address && i < global)
            *to = r->host[address - r->tensor + i];
        else if (!address)
            *to = (uint8_t)(i < 8 ? fill >> 8 * i : 0);
    }
}

static void expect_tile(const struct tensor_rig *r, const char *kernel, unsigned number)
{
    uint64_t object;
    memcpy(&object, r->out + r->task.room, sizeof object);
    if (object != UINT64_C(0xfffff800001ffffe))
        fail_msg("%s, case %u: the barrier object is %llx", kernel, number, (unsigned long long)object);
    for (uint32_t i = 0; i < r->task.room; i++)
        if (r->out[i] != r->tile[i])
            fail_msg("%s, case %u: byte 0x%x is %02x, not %02x (type %u, swizzle %u, interleave %u)", kernel, number, i,
                     r->out[i], r->tile[i], r->map.type, r->map.swizzle, r->map.interleave);
}

static void ignore(void *self, uint64_t address, uint32_t offset)
{
    uint32_t *end = self;
    (void)address;
    *end = offset > *end ? offset : *end;
}

/* Chooses where in shared memory, and how much of it is looked at. */
static void place(struct tensor_rig *r)
{
    uint32_t end = 0;
    r->task.shared = 128 * tensor_draw(r, 12);
    r->task.bytes = tensor_model(r, ignore, &end);
    r->task.room = (end + 2047) / 1024 * 1024;
    assert_true(r->task.room <= TILE_BYTES);
}

static void check_load(struct tensor_rig *r, const char *kernel, unsigned number)
{
    uint64_t in = r->task.in;
    memset(r->tile, UNTOUCHED, sizeof r->tile);
    tensor_model(r, load_element, r);
    r->task.in = 0;
    if (!tensor_launch(r, kernel, true))
        fail_msg("%s, case %u: %s", kernel, number, r->status.text);
    r->task.in = in;
    expect_tile(r, kernel, number);
}

static void a_tile_of_any_rank_and_type_is_loaded_as_nested_loops_would(void **state)
{
    (void)state;
    static struct tensor_rig r;
    tensor_rig_begin(&r, 1);
    tensor_fill(&r);
    for (unsigned i = 0; i < 5 * CASES; i++) {
        char kernel[16];
        unsigned rank = i % 5 + 1;
        snprintf(kernel, sizeof kernel, "load_%u", rank);
        tensor_random_tile(&r, rank, TENSOR_TYPE_COUNT);
        place(&r);
        check_load(&r, kernel, i);
    }
    tensor_rig_end(&r);
}

static void a_column_of_pixels_wraps_around_its_bounding_box(void **state)
{
    (void)state;
    static struct tensor_rig r;
    tensor_rig_begin(&r, 2);
    tensor_fill(&r);
    for (unsigned i = 0; i < 3 * CASES; i++) {
        char kernel[16];
        unsigned rank = i % 3 + 3;
        snprintf(kernel, sizeof kernel, "column_%u", rank);
        tensor_random_column(&r, rank);
        place(&r);
        check_load(&r, kernel, i);
    }
    tensor_rig_end(&r);
}

/* Filter of 3 x 3 on a tensor of 1 x 5 x 5 x 16, from a border of one pixel: 25 places, each for 9 offsets. */
static void a_filter_sees_its_matrix_of_columns(void **state)
{
    (void)state;
    static struct tensor_rig r;
    tensor_rig_begin(&r, 3);
    tensor_fill(&r);
    for (unsigned offset = 0; offset < 9; offset++) {
        r.map = (struct tensor_map){.address = r.tensor,
                                    .stride = {2, 32, 160, 800},
                                    .size = {16, 5, 5, 1},
                                    .box = {16, 1, 1, 1},
                                    .step = {1, 1, 1, 1},
                                    .rank = 4,
                                    .type = TENSOR_F16,
                                    .im2col = true,
                                    .lower = {-1, -1, 0},
                                    .upper = {-1, -1, 0},
                                    .pixels = 25};
        memcpy(r.task.at, (int32_t[]){0, -1, -1, 0, 0}, sizeof r.task.at);
        r.task.offset[0] = (uint16_t)(offset % 3);
        r.task.offset[1] = (uint16_t)(offset / 3);
        r.task.shared = 0;
        r.task.bytes = 800;
        r.task.room = 1024;
        uint64_t in = r.task.in;
        r.task.in = 0;
        if (!tensor_launch(&r, "column_4", true))
            fail_msg("%s", r.status.text);
        r.task.in = in;
        for (int row = 0; row < 25; row++) {
            int w = row % 5 - 1 + (int)offset % 3, h = row / 5 - 1 + (int)offset / 3;
            bool there = w >= 0 && w < 5 && h >= 0 && h < 5;
            for (int b = 0; b < 32; b++)
                assert_int_equal(r.out[row * 32 + b], there ? r.host[h * 160 + w * 32 + b] : 0);
        }
    }
    tensor_rig_end(&r);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

static void store_element(void *self, uint64_t address, uint32_t offset)
{
    struct tensor_rig *r = self;
    for (unsigned i = 0; address && i < tensor_global_bytes(r); i++)
        r->before[address - r->tensor + i] = r->in[tensor_swizzled((enum swizzle)r->map.swizzle, offset + i)];
}

static void expect_tensor(const struct tensor_rig *r, const char *kernel, unsigned number)
{
    if (memcmp(r->host, r->before, TENSOR_BYTES) == 0)
        return;
    for (uint32_t i = 0; i < TENSOR_BYTES; i++)
        if (r->host[i] != r->before[i])
            fail_msg("%s, case %u: byte 0x%x is %02x, not %02x (type %u)", kernel, number, i, r->host[i], r->before[i],
                     r->map.type);
}

static void fill_tile(struct tensor_rig *r)
{
    for (uint32_t i = 0; i < TILE_BYTES; i++)
        r->in[i] = (uint8_t)tensor_draw(r, 256);
}

static void check_stores(uint64_t seed, bool columns)
{
    static struct tensor_rig r;
    tensor_rig_begin(&r, seed);
    tensor_fill(&r);
    for (unsigned i = 0; i < 5 * CASES / 2; i++) {
        char kernel[32];
        unsigned rank = columns ? i % 3 + 3 : i % 5 + 1;
        snprintf(kernel, sizeof kernel, columns ? "column_store_%u" : "store_%u", rank);
        if (columns)
            tensor_random_column(&r, rank);
        else
            tensor_random_tile(&r, rank, TENSOR_B4X16);
        memset(r.task.offset, 0, sizeof r.task.offset);
        place(&r);
        fill_tile(&r);
        tensor_model(&r, store_element, &r);
        if (!tensor_launch(&r, kernel, true))
            fail_msg("%s, case %u: %s", kernel, i, r.status.text);
        expect_tensor(&r, kernel, i);
    }
    tensor_rig_end(&r);
}

static void a_store_writes_what_the_tensor_has_and_skips_the_rest(void **state)
{
    (void)state;
    check_stores(4, false);
}

static void a_column_is_stored_where_it_was_loaded_from(void **state)
{
    (void)state;
    check_stores(5, true);
}

/* ---- bulk copies ------------------------------------------------------------------------------------------------- */

static void bulk(struct tensor_rig *r, const char *kernel)
{
    if (!tensor_launch(r, kernel, false))
        fail_msg("%s: %s", kernel, r->status.text);
}

static void bytes_are_copied_in_any_size_and_direction(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {16, 32, 48, 1024, 4080, 32768};
    static struct tensor_rig r;
    tensor_rig_begin(&r, 6);
    tensor_fill(&r);
    fill_tile(&r);
    uint64_t in = r.task.in;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        r.task.bytes = sizes[i];
        r.task.room = TILE_BYTES;
        r.task.shared = 16 * tensor_draw(&r, 1000);
        r.task.global = r.tensor + 16 * tensor_draw(&r, 1000);
        r.task.in = 0;
        memset(r.tile, UNTOUCHED, sizeof r.tile);
        memcpy(r.tile + r.task.shared, r.host + (r.task.global - r.tensor), sizes[i]);
        bulk(&r, "bulk_load");
        expect_tile(&r, "bulk_load", i);
        r.task.in = in;
        memcpy(r.before + (r.task.global - r.tensor), r.in + r.task.shared, sizes[i]);
        bulk(&r, "bulk_store");
        expect_tensor(&r, "bulk_store", i);
        r.task.shared = r.task.shared % 1024;
        memcpy(r.tile, r.in, TILE_BYTES);
        memcpy(r.tile + TILE_BYTES / 2, r.in + r.task.shared, sizes[i] > 30000 ? 30000 / 16 * 16 : sizes[i]);
        r.task.bytes = sizes[i] > 30000 ? 30000 / 16 * 16 : sizes[i];
        bulk(&r, "bulk_shared");
        expect_tile(&r, "bulk_shared", i);
    }
    tensor_rig_end(&r);
}

static void a_wait_for_groups_ends_when_memory_is_final(void **state)
{
    (void)state;
    static struct tensor_rig r;
    tensor_rig_begin(&r, 7);
    fill_tile(&r);
    r.task.bytes = 512;
    r.task.room = 4096;
    r.task.global = r.tensor;
    bulk(&r, "groups");
    assert_memory_equal(r.host, r.in, 3 * 512);
    assert_memory_equal(r.out, r.in, 3 * 512);
    tensor_rig_end(&r);
}

/* A map for tiles of 16 x 16 bytes, or 128 bytes of zeros, becomes one of FP32 with other sizes, steps, swizzle and
 * fill. */
static void patch(bool zeros)
{
    static struct tensor_rig r;
    struct {
        uint64_t address, stride;
        uint32_t size[2], box[2], step, unused;
    } to;
    tensor_rig_begin(&r, 8);
    tensor_fill(&r);
    struct tensor_map plain = {.address = r.tensor + 4096,
                               .stride = {1, 64},
                               .size = {16, 16},
                               .box = {16, 16},
                               .step = {1, 1},
                               .rank = 2,
                               .type = TENSOR_U8};
    r.map = (struct tensor_map){.address = r.tensor + 64,
                                .stride = {4, 208},
                                .size = {50, 9},
                                .box = {16, 12},
                                .step = {1, 2},
                                .rank = 2,
                                .type = TENSOR_F32,
                                .swizzle = SWIZZLE_64,
                                .fill_nan = true};
    to.address = r.map.address;
    to.stride = r.map.stride[1];
    for (unsigned d = 0; d < 2; d++) {
        to.size[d] = (uint32_t)r.map.size[d];
        to.box[d] = r.map.box[d];
    }
    to.step = r.map.step[1];
    memcpy(r.in, &to, sizeof to);
    r.task.global = memory_alloc(r.memory, TENSOR_MAP_BYTES);
    tensor_map_encode(&plain, memory_at(r.memory, r.task.global));
    if (zeros)
        memset(memory_at(r.memory, r.task.global), 0, TENSOR_MAP_BYTES);
    r.task.at[0] = 40;
    r.task.at[1] = -2;
    r.task.bytes = 16 * 4 * 6;
    r.task.room = 2048;
    memset(r.tile, UNTOUCHED, sizeof r.tile);
    assert_int_equal(tensor_model(&r, load_element, &r), r.task.bytes);
    bulk(&r, "patched");
    expect_tile(&r, "patched", 0);
    uint8_t fresh[TENSOR_MAP_BYTES];
    tensor_map_encode(&r.map, fresh);
    assert_memory_equal(memory_at(r.memory, r.task.global), fresh, 0x3c);
    tensor_rig_end(&r);
}

static void a_map_that_a_kernel_changes_is_the_one_that_would_be_encoded(void **state)
{
    (void)state;
    patch(false);
}

static void a_map_that_a_kernel_makes_of_zeros_is_one(void **state)
{
    (void)state;
    patch(true);
}

UNIT_TESTS(UNIT(a_tile_of_any_rank_and_type_is_loaded_as_nested_loops_would),
           UNIT(a_column_of_pixels_wraps_around_its_bounding_box), UNIT(a_filter_sees_its_matrix_of_columns),
           UNIT(a_store_writes_what_the_tensor_has_and_skips_the_rest),
           UNIT(a_column_is_stored_where_it_was_loaded_from), UNIT(bytes_are_copied_in_any_size_and_direction),
           UNIT(a_wait_for_groups_ends_when_memory_is_final),
           UNIT(a_map_that_a_kernel_changes_is_the_one_that_would_be_encoded),
           UNIT(a_map_that_a_kernel_makes_of_zeros_is_one))
