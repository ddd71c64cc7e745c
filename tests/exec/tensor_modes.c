/* Additions of sm_100 to the engine for bulk and tensor copies, as compiled kernels ask for it, against nested loops:
 * rows by name, columns along W, bytes by a mask, zeros. */
#include <stdio.h>
#include <string.h>

#include "tensor_rig.h"

enum { CASES = 150 };

static const char cubin[] = "tensor_modes.sm_100.cubin";

static void load_element(void *self, uint64_t address, uint32_t offset)
{
    struct tensor_rig *r = self;
    bool nan = r->map.fill_nan && !address;
    for (unsigned i = 0; i < tensor_shared_bytes(r); i++) {
        uint8_t *to = &r->tile[tensor_swizzled((enum swizzle)r->map.swizzle, offset + i)];
        if (address)
            *to = i < tensor_global_bytes(r) ? r->host[address - r->tensor + i] : *to;
        else
            *to = nan ? (i % 2 ? 0x7f : 0xf7) : 0; /* half words 0x7ff7 */
    }
}

static void ignore(void *self, uint64_t address, uint32_t offset)
{
    uint32_t *end = self;
    (void)address;
    *end = offset > *end ? offset : *end;
}

static void place(struct tensor_rig *r)
{
    uint32_t end = 0;
    r->task.shared = 128 * tensor_draw(r, 12);
    r->task.bytes = tensor_model(r, ignore, &end);
    r->task.room = (end + 2047) / 1024 * 1024;
    assert_true(r->task.room <= TILE_BYTES);
    tensor_map_encode(&r->map, memory_at(r->memory, r->task.global));
}

static void expect_tile(const struct tensor_rig *r, const char *kernel, unsigned number)
{
    uint64_t object;
    memcpy(&object, r->out + r->task.room, sizeof object);
    if (object != UINT64_C(0xfffff800001ffffe))
        fail_msg("%s, case %u: the barrier object is %llx", kernel, number, (unsigned long long)object);
    for (uint32_t i = 0; i < r->task.room; i++)
        if (r->out[i] != r->tile[i])
            fail_msg("%s, case %u: byte 0x%x is %02x, not %02x (type %u, swizzle %u)", kernel, number, i, r->out[i],
                     r->tile[i], r->map.type, r->map.swizzle);
}

static void check_load(struct tensor_rig *r, const char *kernel, unsigned number)
{
    uint64_t in = r->task.in;
    place(r);
    memset(r->tile, UNTOUCHED, sizeof r->tile);
    tensor_model(r, load_element, r);
    r->task.in = 0;
    if (!tensor_launch(r, kernel, false))
        fail_msg("%s, case %u: %s", kernel, number, r->status.text);
    r->task.in = in;
    expect_tile(r, kernel, number);
}

static void begin(struct tensor_rig *r, uint64_t seed)
{
    tensor_rig_load(r, seed, cubin);
    tensor_fill(r);
    r->task.global = memory_alloc(r->memory, TENSOR_MAP_BYTES);
}

static void fill_tile(struct tensor_rig *r)
{
    for (uint32_t i = 0; i < TILE_BYTES; i++)
        r->in[i] = (uint8_t)tensor_draw(r, 256);
}

static void four_rows_are_gathered_by_name(void **state)
{
    (void)state;
    static struct tensor_rig r;
    begin(&r, 1);
    r.gathers = true;
    for (unsigned i = 0; i < 2 * CASES; i++) {
        tensor_random_gather(&r, TENSOR_TYPE_COUNT);
        check_load(&r, "gather", i);
    }
    tensor_rig_end(&r);
}

static void store_element(void *self, uint64_t address, uint32_t offset)
{
    struct tensor_rig *r = self;
    for (unsigned i = 0; address && i < tensor_global_bytes(r); i++)
        r->before[address - r->tensor + i] = r->in[tensor_swizzled((enum swizzle)r->map.swizzle, offset + i)];
}

static bool rows_differ(const struct tensor_rig *r)
{
    for (unsigned i = 1; i < TENSOR_RANK; i++)
        for (unsigned j = 1; j < i; j++)
            if (r->task.at[i] == r->task.at[j])
                return false;
    return true;
}

static void four_rows_are_scattered_by_name_but_those_that_the_tensor_does_not_have(void **state)
{
    (void)state;
    static struct tensor_rig r;
    begin(&r, 2);
    r.gathers = true;
    for (unsigned i = 0; i < CASES; i++) {
        do
            tensor_random_gather(&r, TENSOR_B4X16);
        while (!rows_differ(&r));
        place(&r);
        fill_tile(&r);
        tensor_model(&r, store_element, &r);
        if (!tensor_launch(&r, "scatter", false))
            fail_msg("case %u: %s", i, r.status.text);
        assert_memory_equal(r.host, r.before, TENSOR_BYTES);
    }
    tensor_rig_end(&r);
}

static void a_column_along_w_keeps_height_and_depth(void **state)
{
    (void)state;
    static struct tensor_rig r;
    begin(&r, 3);
    for (unsigned i = 0; i < 4 * CASES; i++) {
        char kernel[16];
        unsigned rank = i % 3 + 3, wide = i / 3 % 2 + 1;
        snprintf(kernel, sizeof kernel, "%s_%u", wide == TENSOR_WIDE_W ? "wide" : "wide128", rank);
        tensor_random_wide(&r, rank, wide);
        check_load(&r, kernel, i);
    }
    tensor_rig_end(&r);
}

static void expect_fault(struct tensor_rig *r, const char *kernel, const char *text)
{
    place(r);
    assert_false(tensor_launch(r, kernel, false));
    if (!strstr(r->status.text, text))
        fail_msg("%s: '%s' is not in '%s'", kernel, text, r->status.text);
}

static void what_a_mode_does_not_take_is_a_fault_of_the_map(void **state)
{
    (void)state;
    static struct tensor_rig r;
    begin(&r, 4);
    tensor_random_wide(&r, 4, TENSOR_WIDE_W);
    expect_fault(&r, "wide_3", "its rank is not that of the instruction");
    expect_fault(&r, "wide128_4", "another mode of im2col");
    r.task.offset[0] = 2;
    expect_fault(&r, "wide_4", "a column of im2col along W with a halo");
    r.task.offset[0] = 0;
    r.task.at[1] = (int32_t)r.map.size[1] + r.map.upper[0];
    expect_fault(&r, "wide_4", "its column begins right of the bounding box");
    r.task.at[1] = r.map.lower[0] - 1;
    r.map.pixels = (uint16_t)(((int)r.map.size[1] + r.map.upper[0] - r.task.at[1]) / r.map.step[1] + 2);
    expect_fault(&r, "wide_4", "its column begins left of the bounding box and goes beyond its end");
    tensor_random_tile(&r, 4, TENSOR_B4X16);
    expect_fault(&r, "wide_4", "it is for tiles, the instruction for im2col");
    r.gathers = true;
    tensor_random_gather(&r, TENSOR_B4X16);
    r.map.box[1] = 2;
    expect_fault(&r, "gather", "its box has more than one row");
    tensor_rig_end(&r);
}

static void a_mask_chooses_bytes_of_each_16_that_a_bulk_copy_writes(void **state)
{
    (void)state;
    static const uint16_t masks[] = {0xffff, 0, 1, 0x8000, 0x00ff, 0xa5c3};
    static struct tensor_rig r;
    begin(&r, 5);
    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        fill_tile(&r);
        r.task.bytes = 16 * (1 + tensor_draw(&r, 200));
        r.task.shared = 16 * tensor_draw(&r, 100);
        r.task.room = 8192;
        uint32_t to = 16 * tensor_draw(&r, 1000);
        r.task.global = r.tensor + to;
        r.task.mask = masks[i];
        for (uint32_t b = 0; b < r.task.bytes; b++)
            if (masks[i] >> b % 16 & 1)
                r.before[to + b] = r.in[r.task.shared + b];
        assert_true(tensor_launch(&r, "masked", false));
        assert_memory_equal(r.host, r.before, TENSOR_BYTES);
    }
    tensor_rig_end(&r);
}

static void a_bulk_store_fills_with_zeros_and_nothing_beside(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 8, 16, 264, 4096, 30000};
    static struct tensor_rig r;
    begin(&r, 6);
    fill_tile(&r);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        r.task.room = 32768;
        r.task.bytes = sizes[i];
        r.task.shared = 8 * tensor_draw(&r, 300);
        memcpy(r.tile, r.in, r.task.room);
        memset(r.tile + r.task.shared, 0, sizes[i]);
        if (!tensor_launch(&r, "zeros", false))
            fail_msg("%u bytes: %s", sizes[i], r.status.text);
        assert_memory_equal(r.out, r.tile, r.task.room);
    }
    r.task.bytes = TENSOR_SHARED;
    assert_false(tensor_launch(&r, "zeros", false));
    assert_non_null(strstr(r.status.text, "zero bytes: there are"));
    tensor_rig_end(&r);
}

UNIT_TESTS(UNIT(four_rows_are_gathered_by_name),
           UNIT(four_rows_are_scattered_by_name_but_those_that_the_tensor_does_not_have),
           UNIT(a_column_along_w_keeps_height_and_depth), UNIT(what_a_mode_does_not_take_is_a_fault_of_the_map),
           UNIT(a_mask_chooses_bytes_of_each_16_that_a_bulk_copy_writes),
           UNIT(a_bulk_store_fills_with_zeros_and_nothing_beside))
