/* Texture reads of compiled code against an oracle: formats, address modes, filters and edges, of one, two and three
 * dimensions. */
#include <math.h>
#include <string.h>

#include "tests/exec/texture_rig.h"
#include "tests/unit.h"

static const long shape[4][3] = {{0}, {13, 1, 1}, {12, 7, 1}, {5, 4, 3}};

static void on_each(void (*check)(struct kernel_run *r))
{
    static const unsigned architectures[] = {60, 70, 75, 80, 90, 100, 120};
    kernel_run_each("textures", architectures, 7, check);
    kernel_run_each("textures_bound", architectures, 7, check);
}

/* The largest error of a result that is rounded to a float once: half a unit in the last place, and as much for the
 * oracle's own sum. */
static double tolerance_of(bool smooth) { return smooth ? 0x1p-23 : 0; }

static void check_places(struct texture_rig *rig, unsigned dimensions, bool integers)
{
    static const char *const kernels[2][4] = {{"", "sample1", "sample2", "sample3"},
                                              {"", "sample1_i", "sample2_i", "sample3_i"}};
    rig_places(rig);
    rig_run(rig, kernels[integers][dimensions]);
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct oracle_texel expected = oracle_read(&rig->image[0], &rig->sampler, rig_block(rig)->at[i], 0);
        rig_expect(rig, i, &expected, integers, tolerance_of(rig->sampler.smooth));
    }
}

static void check_formats(struct kernel_run *r)
{
    static const uint8_t channels[] = {1, 2, 4};
    struct texture_rig rig = {0};
    for (unsigned format = TEXTURE_U8; format <= TEXTURE_F32; format++)
        for (unsigned c = 0; c < 3; c++) {
            bool floats = format >= TEXTURE_F16;
            rig_make(&rig, r, format, channels[c], 2, shape[2], 1);
            rig_filter(&rig, false, false, false);
            check_places(&rig, 2, !floats);
            if (format == TEXTURE_U32 || format == TEXTURE_S32)
                continue;
            rig_filter(&rig, true, false, true);
            check_places(&rig, 2, false);
            rig_filter(&rig, true, true, true);
            check_places(&rig, 2, false);
        }
}

static void every_format_is_read_as_numbers_and_as_fractions(void **state)
{
    (void)state;
    on_each(check_formats);
}

static void check_srgb(struct kernel_run *r)
{
    static const uint8_t channels[] = {1, 2, 4}, formats[] = {TEXTURE_U8, TEXTURE_S8, TEXTURE_U16};
    struct texture_rig rig = {0};
    for (unsigned pass = 0; pass < 18; pass++) {
        rig_make(&rig, r, formats[pass / 6], channels[pass % 3], 2, shape[2], 1);
        rig_filter(&rig, true, pass / 3 % 2, true);
        rig.texture.srgb = rig.sampler.srgb = true;
        rig_places(&rig);
        rig_run(&rig, "sample2");
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            struct oracle_texel expected = oracle_read(&rig.image[0], &rig.sampler, rig_block(&rig)->at[i], 0);
            rig_expect(&rig, i, &expected, false, 0x1p-22);
        }
    }
}

static void bytes_pass_the_curve_of_srgb_before_the_filter_and_alpha_does_not(void **state)
{
    (void)state;
    on_each(check_srgb);
}

static void check_modes(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    const float border[4] = {-7, 11, 0.5f, 2};
    for (unsigned dimensions = 1; dimensions <= 3; dimensions++)
        for (unsigned mode = 0; mode < 4; mode++)
            for (unsigned filter = 0; filter < 4; filter++) {
                rig_make(&rig, r, TEXTURE_F32, 4, dimensions, shape[dimensions], 1);
                rig_border(&rig, border);
                rig_modes(&rig, (enum oracle_mode)mode, (enum oracle_mode)((mode + 1) % 4),
                          (enum oracle_mode)((mode + 2) % 4));
                rig_filter(&rig, filter & 1, filter >> 1, false);
                check_places(&rig, dimensions, false);
            }
}

static void each_dimension_wraps_clamps_mirrors_or_has_a_border(void **state)
{
    (void)state;
    on_each(check_modes);
}

/* T[i] = 256 i between 0 and 7: the result is the place in steps of 1/256. */
static void check_ramp(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    const long size[3] = {8, 1, 1};
    rig_make(&rig, r, TEXTURE_F32, 1, 1, size, 1);
    rig_filter(&rig, false, true, false);
    float *texels = (float *)(void *)memory_at(r->memory, rig.texture.level[0].address);
    for (unsigned i = 0; i < 8; i++)
        texels[i] = 256 * (float)i;
    for (unsigned pass = 0; pass < 8; pass++) {
        unsigned step = pass % 4 * RIG_THREADS;
        float more = pass < 4 ? 0 : 0.4f / 256;
        for (unsigned i = 0; i < RIG_THREADS; i++)
            rig_block(&rig)->at[i][0] = 3.5f + (float)(step + i) / 256 + more;
        rig_run(&rig, "sample1");
        for (unsigned i = 0; i < RIG_THREADS; i++)
            assert_true(rig_out(&rig, i, 0, false) == 3 * 256 + step + i);
    }
}

static void a_linear_filter_has_eight_bits_of_fraction(void **state)
{
    (void)state;
    on_each(check_ramp);
}

static void check_far(struct kernel_run *r)
{
    static const float far[] = {1e30f, -1e30f, INFINITY, -INFINITY, NAN, 16777216.0f};
    struct texture_rig rig = {0};
    for (unsigned mode = 0; mode < 4; mode++) {
        rig_make(&rig, r, TEXTURE_U8, 1, 1, shape[1], 1);
        rig_modes(&rig, (enum oracle_mode)mode, ORACLE_CLAMP, ORACLE_CLAMP);
        rig_filter(&rig, true, false, false);
        const uint8_t *texels = rig.image[0].bytes;
        for (unsigned i = 0; i < 6; i++)
            rig_block(&rig)->at[i][0] = far[i];
        rig_run(&rig, "sample1_i");
        for (unsigned i = 0; i < 6; i++) {
            unsigned clamped = i == 0 || i == 2 || i == 5 ? texels[12] : texels[0];
            unsigned border = i == 4 ? texels[0] : 0;
            unsigned expected = mode == ORACLE_CLAMP ? clamped : mode == ORACLE_BORDER ? border : texels[0];
            assert_int_equal(rig_block(&rig)->out[i][0], expected);
        }
    }
}

static void no_coordinate_is_too_far(void **state)
{
    (void)state;
    on_each(check_far);
}

static void check_fetches(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    for (unsigned format = TEXTURE_U8; format <= TEXTURE_F32; format++) {
        bool integers = format < TEXTURE_F16;
        rig_make(&rig, r, format, 4, 1, shape[1], 1);
        rig.texture.linear = true;
        for (unsigned i = 0; i < RIG_THREADS; i++)
            rig_block(&rig)->at[i][0] = (float)((int)i - 2);
        rig_run(&rig, integers ? "fetch1_i" : "fetch1");
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            bool inside = i >= 2 && i < 15;
            struct oracle_texel expected = {{0}};
            if (inside)
                expected = oracle_texel(&rig.image[0], false, (long)i - 2, 0, 0);
            rig_expect(&rig, i, &expected, integers, 0);
        }
    }
}

static void linear_memory_is_fetched_by_number_and_zero_outside(void **state)
{
    (void)state;
    on_each(check_fetches);
}

static void check_fetched_arrays(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    const long size[3] = {9, 6, 4};
    for (unsigned kind = 0; kind < 4; kind++) { /* two dimensions, levels, layers, three dimensions */
        static const char *const kernels[4] = {"fetch2", "fetch_level2", "fetch_layer2", "fetch3"};
        rig_make(&rig, r, TEXTURE_S16, 2, kind == 3 ? 3 : 2, size, kind == 1 ? 3 : 1);
        rig_filter(&rig, true, true, true);
        rig.texture.layered = kind == 2;
        rig.texture.layers = kind == 2 ? 4 : 1;
        for (unsigned i = 0; i < RIG_THREADS; i++)
            for (unsigned d = 0; d < 4; d++)
                rig_block(&rig)->at[i][d] = (float)((int)rig_draw(&rig, 12) - (d < 3 ? 1 : 0));
        rig_run(&rig, kernels[kind]);
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            const float *at = rig_block(&rig)->at[i];
            unsigned level = kind != 1 ? 0 : at[3] > 2 ? 2 : (unsigned)at[3];
            long z = kind == 2 ? (at[3] > 3 ? 3 : (long)at[3]) : kind == 3 ? (long)at[2] : 0;
            const struct oracle_image *image = &rig.image[level];
            bool inside = at[0] >= 0 && at[0] < (float)image->size[0] && at[1] >= 0 && at[1] < (float)image->size[1] &&
                          z >= 0 && z < size[2];
            struct oracle_texel expected = {{0}};
            if (inside)
                expected = oracle_texel(image, true, (long)at[0], (long)at[1], z);
            rig_expect(&rig, i, &expected, false, 0);
        }
    }
}

static void arrays_are_fetched_by_number_level_and_layer(void **state)
{
    (void)state;
    on_each(check_fetched_arrays);
}

static void check_components(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    rig_make(&rig, r, TEXTURE_F32, 4, 2, shape[2], 1);
    rig_places(&rig);
    rig_run(&rig, "some_components");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct oracle_texel t = oracle_read(&rig.image[0], &rig.sampler, rig_block(&rig)->at[i], 0);
        struct oracle_texel expected = {{t.value[1], t.value[0], 0, 1}};
        rig_expect(&rig, i, &expected, false, 0);
    }
    rig_run(&rig, "last_components");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct oracle_texel t = oracle_read(&rig.image[0], &rig.sampler, rig_block(&rig)->at[i], 0);
        struct oracle_texel expected = {{0, t.value[3], t.value[2], t.value[1]}};
        rig_expect(&rig, i, &expected, false, 0);
    }
}

static void components_that_nobody_wants_take_no_register(void **state)
{
    (void)state;
    on_each(check_components);
}

static void check_halves(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    rig_make(&rig, r, TEXTURE_F16, 4, 2, shape[2], 1);
    rig_places(&rig);
    rig_run(&rig, "halves2");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        const float *at = rig_block(&rig)->at[i];
        long x = oracle_index(ORACLE_CLAMP, (long)floorf(at[0]), shape[2][0]);
        long y = oracle_index(ORACLE_CLAMP, (long)floorf(at[1]), shape[2][1]);
        assert_memory_equal(rig_block(&rig)->out[i], rig.image[0].bytes + y * rig.image[0].pitch + x * 8, 8);
    }
}

static void results_can_be_two_halves_a_register(void **state)
{
    (void)state;
    on_each(check_halves);
}

UNIT_TESTS(UNIT(every_format_is_read_as_numbers_and_as_fractions),
           UNIT(bytes_pass_the_curve_of_srgb_before_the_filter_and_alpha_does_not),
           UNIT(each_dimension_wraps_clamps_mirrors_or_has_a_border), UNIT(a_linear_filter_has_eight_bits_of_fraction),
           UNIT(no_coordinate_is_too_far), UNIT(linear_memory_is_fetched_by_number_and_zero_outside),
           UNIT(arrays_are_fetched_by_number_level_and_layer), UNIT(components_that_nobody_wants_take_no_register),
           UNIT(results_can_be_two_halves_a_register))
