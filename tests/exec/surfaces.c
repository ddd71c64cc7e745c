/* Surface accesses of compiled code: sizes, boundary modes, layers, reductions, formatted stores. */
#include <string.h>

#include "exec/memory/textures.h"
#include "tests/exec/deferred_run.h"
#include "tests/exec/kernel_run.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { THREADS = 64, PITCH = 64, HEIGHT = 6, SLICES = 4, WIDTH = 12 };
enum { ZERO, CLAMP, TRAP };

/* As struct block of surfaces.cu. */
struct block {
    uint64_t object;
    uint32_t free[2];
    int32_t at[THREADS][4];
    uint32_t data[THREADS][4], out[THREADS][4];
};

struct rig {
    struct kernel_run *run;
    struct texture surface;
    uint8_t *bytes;                          /* in device memory */
    uint8_t before[PITCH * HEIGHT * SLICES]; /* and as they were */
};

static void on_each(void (*check)(struct kernel_run *r))
{
    static const unsigned architectures[] = {60, 70, 75, 80, 90, 100, 120};
    kernel_run_each("surfaces", architectures, 7, check);
}

static struct block *block_of(const struct rig *rig) { return (struct block *)(void *)rig->run->out; }

static uint32_t draw(uint32_t n)
{
    static uint64_t random = 1;
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random >> 33) % n);
}

/* A surface of WIDTH x HEIGHT words; `dimensions` 3 has SLICES in depth, `layers` as many layers. */
static void make(struct rig *rig, struct kernel_run *r, unsigned format, unsigned channels, unsigned dimensions,
                 unsigned layers)
{
    *rig = (struct rig){.run = r};
    uint64_t address = memory_alloc(r->memory, sizeof rig->before);
    rig->bytes = memory_at(r->memory, address);
    rig->surface = (struct texture){.surface = true,
                                    .format = (uint8_t)format,
                                    .channels = (uint8_t)channels,
                                    .dimensions = (uint8_t)dimensions,
                                    .layered = layers > 0,
                                    .layers = layers ? layers : 1,
                                    .levels = 1,
                                    .integers = true};
    uint32_t width = WIDTH * 4 / texture_texel_bytes(&rig->surface);
    rig->surface.level[0] = (struct texture_level){.address = address,
                                                   .pitch = PITCH,
                                                   .slice = PITCH * HEIGHT,
                                                   .width = width,
                                                   .height = dimensions > 1 ? HEIGHT : 1,
                                                   .depth = dimensions > 2 ? SLICES : 1};
    for (unsigned i = 0; i < sizeof rig->before; i++)
        rig->bytes[i] = rig->before[i] = (uint8_t)draw(256);
    block_of(rig)->object = textures_add(r->memory, &rig->surface);
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned w = 0; w < 4; w++)
            block_of(rig)->data[i][w] = draw(UINT32_C(1) << 31) * 2 + draw(2);
    memset(block_of(rig)->out, 0xcd, sizeof block_of(rig)->out);
}

static long clamped(long i, long n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* Returns the byte of an access in a boundary mode (-1: it goes nowhere). */
static long place(const int32_t at[4], long bytes, unsigned mode)
{
    bool outside = at[0] < 0 || at[0] + bytes > WIDTH * 4 || at[1] < 0 || at[1] >= HEIGHT;
    if (outside && mode == ZERO)
        return -1;
    return clamped(at[1], HEIGHT) * PITCH + clamped(at[0] / bytes - (at[0] % bytes < 0), WIDTH * 4 / bytes) * bytes;
}

static const struct {
    const char *name;
    long bytes;
} sizes[] = {{"u8", 1}, {"u16", 2}, {"u32", 4}, {"u64", 8}, {"u128", 16}};

static const char *const mode_names[] = {"zero", "clamp", "trap"};

static void places(struct rig *rig, long bytes, bool inside)
{
    for (unsigned i = 0; i < THREADS; i++) {
        int32_t *at = block_of(rig)->at[i];
        long columns = WIDTH * 4 / bytes;
        at[0] = (int32_t)(bytes * (inside ? (long)(i % columns) : (long)draw((uint32_t)columns + 8) - 4));
        at[1] = inside ? (int32_t)(i / columns % HEIGHT) : (int32_t)draw(HEIGHT + 4) - 2;
    }
}

static void check_loads(struct kernel_run *r)
{
    struct rig rig;
    for (unsigned size = 0; size < 5; size++)
        for (unsigned mode = 0; mode < 3; mode++) {
            char kernel[64];
            snprintf(kernel, sizeof kernel, "load2_%s_%s", sizes[size].name, mode_names[mode]);
            make(&rig, r, TEXTURE_U8, 1, 2, 0);
            places(&rig, sizes[size].bytes, mode == TRAP);
            kernel_run(r, kernel, THREADS);
            for (unsigned i = 0; i < THREADS; i++) {
                uint32_t expected[4] = {0};
                long from = place(block_of(&rig)->at[i], sizes[size].bytes, mode);
                if (from >= 0)
                    memcpy(expected, rig.before + from, (size_t)sizes[size].bytes);
                assert_memory_equal(block_of(&rig)->out[i], expected, sizeof expected);
            }
        }
}

static void loads_of_every_size_follow_the_boundary_mode(void **state)
{
    (void)state;
    on_each(check_loads);
}

/* Each thread has a place of its own in the surface, or one outside that nobody may see. */
static void check_stores(struct kernel_run *r)
{
    struct rig rig;
    for (unsigned size = 0; size < 5; size++)
        for (unsigned mode = 0; mode < 3; mode++) {
            char kernel[64];
            long bytes = sizes[size].bytes, columns = WIDTH * 4 / bytes;
            snprintf(kernel, sizeof kernel, "store2_%s_%s", sizes[size].name, mode_names[mode]);
            make(&rig, r, TEXTURE_U8, 1, 2, 0);
            places(&rig, bytes, true);
            for (unsigned i = 0; i < THREADS; i++) {
                int32_t *at = block_of(&rig)->at[i];
                bool twice = i >= columns * HEIGHT, moves = i % 5 == 4 || twice;
                if (mode == ZERO && moves)
                    at[1] = twice || i & 1 ? HEIGHT + (int32_t)(i % 3) : -1 - (int32_t)(i % 3);
                else if (mode != ZERO && twice) /* the same bytes as those of the place's own thread */
                    memcpy(block_of(&rig)->data[i], block_of(&rig)->data[i % (columns * HEIGHT)], 16);
            }
            if (mode == CLAMP && bytes > 4) { /* beyond the last row: alone there */
                block_of(&rig)->at[columns * HEIGHT - 1][0] = WIDTH * 4 + 3 * (int32_t)bytes;
                block_of(&rig)->at[columns * HEIGHT - 1][1] = HEIGHT + 9;
            }
            kernel_run(r, kernel, THREADS);
            for (unsigned i = 0; i < THREADS; i++) {
                long to = place(block_of(&rig)->at[i], bytes, mode);
                if (to >= 0)
                    memcpy(rig.before + to, block_of(&rig)->data[i], (size_t)bytes);
            }
            assert_memory_equal(rig.bytes, rig.before, sizeof rig.before);
        }
}

static void stores_of_every_size_follow_the_boundary_mode(void **state)
{
    (void)state;
    on_each(check_stores);
}

static void check_shapes(struct kernel_run *r)
{
    static const struct {
        const char *kernel;
        unsigned dimensions, layers;
    } shapes[] = {{"load1", 1, 0}, {"load3", 3, 0}, {"load_layer1", 1, SLICES}, {"load_layer2", 2, SLICES}};
    struct rig rig;
    for (unsigned k = 0; k < 4; k++) {
        make(&rig, r, TEXTURE_F32, 1, shapes[k].dimensions, shapes[k].layers);
        bool flat = shapes[k].dimensions == 1, deep = shapes[k].layers || shapes[k].dimensions == 3;
        for (unsigned i = 0; i < THREADS; i++) {
            int32_t *at = block_of(&rig)->at[i];
            at[0] = 4 * ((int32_t)draw(WIDTH + 4) - 2);
            at[1] = (int32_t)draw(HEIGHT + 2) - 1;
            at[2] = (int32_t)draw(SLICES + 2) - 1;
        }
        kernel_run(r, shapes[k].kernel, THREADS);
        for (unsigned i = 0; i < THREADS; i++) {
            const int32_t *at = block_of(&rig)->at[i];
            bool inside = at[0] >= 0 && at[0] < 4 * WIDTH && (flat || (at[1] >= 0 && at[1] < HEIGHT)) &&
                          (!deep || (at[2] >= 0 && at[2] < SLICES));
            uint32_t expected = 0;
            if (inside)
                memcpy(&expected, rig.before + (deep ? at[2] * PITCH * HEIGHT : 0) + (flat ? 0 : at[1] * PITCH) + at[0],
                       4);
            assert_int_equal(block_of(&rig)->out[i][0], expected);
        }
    }
}

static void the_layer_of_a_surface_comes_last(void **state)
{
    (void)state;
    on_each(check_shapes);
}

static void check_layer_stores(struct kernel_run *r)
{
    struct rig rig;
    for (unsigned k = 0; k < 2; k++) {
        make(&rig, r, TEXTURE_F32, 1, 2, SLICES);
        rig.surface.cube = k == 1;
        for (unsigned i = 0; i < THREADS; i++) {
            int32_t *at = block_of(&rig)->at[i];
            at[0] = 4 * (int32_t)(i % WIDTH);
            at[1] = (int32_t)(i / WIDTH);
            at[2] = (int32_t)(i % (SLICES + 1)); /* the last is outside */
            if (at[2] < SLICES)
                memcpy(rig.before + at[2] * PITCH * HEIGHT + at[1] * PITCH + at[0], block_of(&rig)->data[i], 4);
        }
        kernel_run(r, k ? "store_face" : "store_layer2", THREADS);
        assert_memory_equal(rig.bytes, rig.before, sizeof rig.before);
    }
}

static void stores_reach_layers_and_faces(void **state)
{
    (void)state;
    on_each(check_layer_stores);
}

static void check_reductions(struct kernel_run *r)
{
    struct rig rig;
    make(&rig, r, TEXTURE_U32, 1, 2, 0);
    uint32_t sum, data = 0;
    memcpy(&sum, rig.before + PITCH + 8, 4);
    for (unsigned i = 0; i < THREADS; i++) {
        memcpy(block_of(&rig)->at[i], (int32_t[4]){8, 1}, 16);
        sum += block_of(&rig)->data[i][0];
    }
    kernel_run(r, "add2", THREADS);
    memcpy(rig.before + PITCH + 8, &sum, 4);
    assert_memory_equal(rig.bytes, rig.before, sizeof rig.before);
    int32_t least;
    memcpy(&least, rig.before + PITCH + 8, 4);
    for (unsigned i = 0; i < THREADS; i++) {
        int32_t value;
        memcpy(&value, block_of(&rig)->data[i], 4);
        block_of(&rig)->at[i][1] = i & 1 ? 1 : HEIGHT; /* every other one is dropped */
        least = i & 1 && value < least ? value : least;
    }
    kernel_run(r, "least2", THREADS);
    memcpy(rig.before + PITCH + 8, &least, 4);
    assert_memory_equal(rig.bytes, rig.before, sizeof rig.before);
    uint64_t total;
    memcpy(&total, rig.before + 5 * PITCH + 40, 8);
    for (unsigned i = 0; i < THREADS; i++) { /* all beyond the last place */
        memcpy(block_of(&rig)->at[i], (int32_t[4]){8 * (int32_t)(6 + i), HEIGHT}, 16);
        memcpy(&data, block_of(&rig)->data[i], 4);
        total += (uint64_t)data << 20;
    }
    kernel_run(r, "add2_wide", THREADS);
    memcpy(rig.before + 5 * PITCH + 40, &total, 8);
    assert_memory_equal(rig.bytes, rig.before, sizeof rig.before);
}

static void reductions_of_many_threads_meet_in_one_texel(void **state)
{
    (void)state;
    on_each(check_reductions);
}

/* Each place takes eight threads, and those outside are dropped. */
static void check_kinds(struct kernel_run *r)
{
    static const char *const kernels[] = {"most2", "both2", "either2"};
    struct rig rig;
    for (unsigned k = 0; k < 3; k++) {
        make(&rig, r, TEXTURE_U32, 1, 2, 0);
        for (unsigned i = 0; i < THREADS; i++) {
            uint32_t word, data = block_of(&rig)->data[i][0];
            uint8_t *at = rig.before + PITCH * (i % 8 / 4) + 4 * (i % 4);
            memcpy(block_of(&rig)->at[i], (int32_t[4]){4 * (int32_t)(i % 4), (int32_t)(i % 8 / 4)}, 16);
            if (i % 16 == 5) {
                block_of(&rig)->at[i][0] = 4 * WIDTH;
                continue;
            }
            memcpy(&word, at, 4);
            word = k == 0 ? (data > word ? data : word) : k == 1 ? word & data : word | data;
            memcpy(at, &word, 4);
        }
        kernel_run(r, kernels[k], THREADS);
        assert_memory_equal(rig.bytes, rig.before, sizeof rig.before);
    }
}

static void reductions_take_the_most_and_bits_of_both_or_either(void **state)
{
    (void)state;
    on_each(check_kinds);
}

/* Four channels of 16 bits; x counts texels. */
static void check_formatted(struct kernel_run *r)
{
    struct rig rig;
    make(&rig, r, TEXTURE_S16, 4, 2, 0);
    for (unsigned i = 0; i < THREADS; i++) {
        int32_t x = (int32_t)(i % 8), y = (int32_t)(i / 8); /* 6 texels a row, 6 rows */
        memcpy(block_of(&rig)->at[i], (int32_t[4]){x, y}, 16);
        for (unsigned c = 0; c < 4 && x < 6 && y < HEIGHT; c++)
            memcpy(rig.before + y * PITCH + 8 * x + 2 * (int)c, &block_of(&rig)->data[i][c], 2);
    }
    kernel_run(r, "formatted2", THREADS);
    assert_memory_equal(rig.bytes, rig.before, sizeof rig.before);
}

static void a_formatted_store_packs_the_components(void **state)
{
    (void)state;
    on_each(check_formatted);
}

static void expect_fault(struct kernel_run *r, const char *kernel, const char *text)
{
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    const struct exec_dim one = {1, 1, 1}, threads = {THREADS, 1, 1};
    assert_true(
        launch_begin(&launch, &r->module, kernel, one, threads, 0, &r->argument, sizeof r->argument, 8, 256, &status));
    bool ok = r->seed ? deferred_run(&launch, r->seed, &totals, &status)
                      : exec_run(&launch, NULL, NULL, NULL, &totals, &status);
    exec_launch_end(&launch);
    assert_false(ok);
    if (!strstr(status.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, status.text);
}

static void check_faults(struct kernel_run *r)
{
    struct rig rig;
    make(&rig, r, TEXTURE_U32, 1, 2, 0);
    places(&rig, 4, true);
    block_of(&rig)->at[37][1] = HEIGHT;
    expect_fault(r, "load2_u32_trap", "lane 5: x = 4 bytes, y = 6, layer or z = 0 is outside of the surface");
    expect_fault(r, "store2_u32_trap", "the boundary mode is trap");
    block_of(&rig)->at[37][1] = 0;
    block_of(&rig)->at[37][0] = 6;
    expect_fault(r, "load2_u32_zero", "x = 6 bytes is no multiple of the 4 bytes");
    block_of(&rig)->object = 0;
    expect_fault(r, "add2", "0x0 is the handle of no surface object that is alive");
}

static void an_access_outside_in_mode_trap_is_a_fault(void **state)
{
    (void)state;
    on_each(check_faults);
}

static void check_attributes(struct kernel_run *r)
{
    struct rig rig;
    make(&rig, r, TEXTURE_U16, 2, 2, SLICES);
    rig.surface.order = 2;
    block_of(&rig)->object = textures_add(r->memory, &rig.surface);
    kernel_run(r, "ask_surface", 1);
    const uint32_t expected[] = {WIDTH, HEIGHT, 0, SLICES, 2};
    assert_memory_equal(block_of(&rig)->out, expected, sizeof expected);
}

static void a_surface_answers_what_it_is(void **state)
{
    (void)state;
    on_each(check_attributes);
}

/* Each thread stores its number to its own surface or to seven others. */
static void check_many(struct kernel_run *r)
{
    struct rig rig[8];
    uint64_t object[8];
    for (unsigned k = 0; k < 8; k++) {
        make(&rig[k], r, TEXTURE_U32, 1, 2, 0);
        object[k] = block_of(&rig[k])->object;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        unsigned k = i * 3 % 8;
        memcpy(block_of(&rig[0])->at[i], (int32_t[4]){4 * (int32_t)(i % WIDTH), (int32_t)(i / WIDTH)}, 16);
        block_of(&rig[0])->data[i][1] = (uint32_t)object[k];
        memcpy(rig[k].before + i / WIDTH * PITCH + 4 * (i % WIDTH), block_of(&rig[0])->data[i], 4);
    }
    kernel_run(r, "many", THREADS);
    for (unsigned k = 0; k < 8; k++)
        assert_memory_equal(rig[k].bytes, rig[k].before, sizeof rig[k].before);
}

static void the_threads_of_a_warp_can_write_different_surfaces(void **state)
{
    (void)state;
    on_each(check_many);
}

UNIT_TESTS(UNIT(loads_of_every_size_follow_the_boundary_mode), UNIT(stores_of_every_size_follow_the_boundary_mode),
           UNIT(the_layer_of_a_surface_comes_last), UNIT(stores_reach_layers_and_faces),
           UNIT(reductions_of_many_threads_meet_in_one_texel),
           UNIT(reductions_take_the_most_and_bits_of_both_or_either), UNIT(a_formatted_store_packs_the_components),
           UNIT(an_access_outside_in_mode_trap_is_a_fault), UNIT(a_surface_answers_what_it_is),
           UNIT(the_threads_of_a_warp_can_write_different_surfaces))
