/* Levels, layers, cubes, gathers, gradients and offsets of texture reads. */
#include <math.h>
#include <string.h>

#include "tests/exec/texture_rig.h"
#include "tests/unit.h"

static const long wide[3] = {32, 16, 1};

static void on_each(void (*check)(struct kernel_run *r))
{
    static const unsigned architectures[] = {60, 70, 75, 80, 90, 100, 120};
    kernel_run_each("textures", architectures, 7, check);
    kernel_run_each("textures_bound", architectures, 7, check);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static void level_images(struct texture_rig *rig, struct kernel_run *r, bool smooth)
{
    rig_make(rig, r, TEXTURE_F32, 2, 2, wide, 5);
    rig_filter(rig, true, smooth, false);
    rig_modes(rig, ORACLE_WRAP, ORACLE_MIRROR, ORACLE_CLAMP);
}

/* The result of a read at level `level`, between levels by steps of 1/256. */
static struct oracle_texel at_level(const struct texture_rig *rig, const float at[3], double level, bool between)
{
    level = level < 0 ? 0 : level > 4 ? 4 : level;
    double steps = between ? floor(level * 256 + 0.5) : 256 * floor(level + 0.5);
    unsigned first = (unsigned)(steps / 256);
    double share = steps / 256 - first;
    struct oracle_texel a = oracle_read(&rig->image[first], &rig->sampler, at, 0), b = a;
    if (share > 0)
        b = oracle_read(&rig->image[first + 1], &rig->sampler, at, 0);
    for (unsigned c = 0; c < 4; c++)
        a.value[c] = (1 - share) * a.value[c] + share * b.value[c];
    return a;
}

static void check_levels(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    for (unsigned pass = 0; pass < 8; pass++) {
        bool smooth = pass & 1, between = pass & 2, limited = pass & 4;
        level_images(&rig, r, smooth);
        rig.texture.mip_smooth = between;
        rig.texture.bias = limited ? 0.5f : 0;
        rig.texture.least = limited ? 1.25f : 0;
        rig.texture.most = limited ? 2.75f : 100;
        rig_places(&rig);
        static const float level[] = {0, 0.49f, 0.5f, 1, 1.5f, 2.25f, 3.99f, 4, 7, -3};
        for (unsigned i = 0; i < RIG_THREADS; i++)
            rig_block(&rig)->at[i][3] = i < 10 ? level[i] : (float)rig_draw(&rig, 1000) / 200;
        rig_run(&rig, "level2");
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            const float *at = rig_block(&rig)->at[i];
            double l = (double)at[3] + (double)rig.texture.bias, least = (double)rig.texture.least;
            l = l < least ? least : l > (double)rig.texture.most ? (double)rig.texture.most : l;
            struct oracle_texel expected = at_level(&rig, at, l, between);
            rig_expect(&rig, i, &expected, false, 0x1p-22);
        }
    }
}

static void a_level_is_chosen_or_blended_within_its_limits(void **state)
{
    (void)state;
    on_each(check_levels);
}

static void check_base(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    level_images(&rig, r, false);
    rig_places(&rig);
    rig_run(&rig, "sample2");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct oracle_texel expected = at_level(&rig, rig_block(&rig)->at[i], 0, false);
        rig_expect(&rig, i, &expected, false, 0);
    }
    rig.texture.least = 2;
    rig_run(&rig, "sample2");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct oracle_texel expected = at_level(&rig, rig_block(&rig)->at[i], 2, false);
        rig_expect(&rig, i, &expected, false, 0);
    }
}

static void a_read_without_a_level_takes_the_lowest(void **state)
{
    (void)state;
    on_each(check_base);
}

/* The level is the logarithm of the longer change, in texels. */
static void check_gradients(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    static const double length[] = {1, 2, 4, 8, 0.25, 3, 5.5, 300};
    level_images(&rig, r, false);
    rig.texture.mip_smooth = true;
    rig_places(&rig);
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        float *m = rig_block(&rig)->more[i];
        bool along_y = i & 8;
        memset(m, 0, sizeof rig_block(&rig)->more[i]);
        m[along_y ? 3 : 0] = (float)(length[i % 8] / (along_y ? 16 : 32)); /* dy/dY or dx/dX */
        m[along_y ? 0 : 3] = 0.5f * m[along_y ? 3 : 0];
        m[along_y ? 0 : 3] *= along_y ? 0.5f : 2.0f; /* half as many texels */
    }
    rig_run(&rig, "gradient2");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct oracle_texel expected = at_level(&rig, rig_block(&rig)->at[i], log2(length[i % 8]), true);
        rig_expect(&rig, i, &expected, false, 0x1p-20);
    }
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        rig_block(&rig)->more[i][0] = (float)(length[i % 8] / 32);
        rig_block(&rig)->more[i][1] = -rig_block(&rig)->more[i][0] / 2;
    }
    rig_run(&rig, "gradient1"); /* of one dimension: y is 0 */
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        const float at[3] = {rig_block(&rig)->at[i][0], 0, 0};
        struct oracle_texel expected = at_level(&rig, at, log2(length[i % 8]), true);
        rig_expect(&rig, i, &expected, false, 0x1p-20);
    }
}

static void gradients_choose_the_level(void **state)
{
    (void)state;
    on_each(check_gradients);
}

/* An anisotropic filter is the mean of probes along the longer change, as EXT_texture_filter_anisotropic has them. */
static void check_anisotropy(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    static const float ratio[] = {1, 1.5f, 2, 3, 4, 9};
    static const unsigned probes[] = {1, 2, 2, 3, 4, 4};
    level_images(&rig, r, true);
    rig.texture.mip_smooth = true;
    rig.texture.anisotropy = 4;
    rig_places(&rig);
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        float *m = rig_block(&rig)->more[i];
        memset(m, 0, sizeof rig_block(&rig)->more[i]);
        m[i & 8 ? 3 : 0] = 2 * ratio[i % 6] / (i & 8 ? 16 : 32); /* 2 texels one way, more the other */
        m[i & 8 ? 0 : 3] = 2.0f / (i & 8 ? 32 : 16);
    }
    rig_run(&rig, "gradient2");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        const float *at = rig_block(&rig)->at[i], *m = rig_block(&rig)->more[i];
        unsigned n = probes[i % 6], axis = i & 8 ? 1 : 0;
        struct oracle_texel expected = {{0}};
        for (unsigned k = 1; k <= n; k++) {
            float place[3] = {at[0], at[1], 0};
            if (n > 1)
                place[axis] = (float)((double)at[axis] + (double)m[axis ? 3 : 0] * ((double)k / (n + 1) - 0.5));
            struct oracle_texel one = at_level(&rig, place, log2(2.0 * (double)ratio[i % 6] / n), true);
            for (unsigned c = 0; c < 4; c++)
                expected.value[c] += one.value[c] / n;
        }
        rig_expect(&rig, i, &expected, false, 0x1p-20);
    }
}

static void an_anisotropic_filter_takes_probes_along_the_longer_change(void **state)
{
    (void)state;
    on_each(check_anisotropy);
}

/* ptxas writes these out for quads of threads, or calls the driver. */
static void check_deep_gradients(struct kernel_run *r)
{
    static const char *const kernels[] = {"gradient3", "cube_gradient", "cubes_gradient"};
    struct texture_rig rig = {0};
    for (unsigned kind = 0; kind < 3; kind++) {
        const long size[3] = {16, 16, kind == 0 ? 16 : kind * 6};
        rig_make(&rig, r, TEXTURE_F32, 4, kind ? 2 : 3, size, 4);
        rig_filter(&rig, true, false, false);
        rig.texture.cube = kind > 0;
        rig.texture.layered = kind > 1;
        rig.texture.layers = kind ? (uint32_t)size[2] : 1;
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            float *at = rig_block(&rig)->at[i], *m = rig_block(&rig)->more[i], texels = ldexpf(1.1f, (int)(i % 4));
            for (unsigned d = 0; d < 3; d++)
                at[d] = ((float)rig_draw(&rig, 16) + 0.5f) / 16;
            memset(m, 0, sizeof rig_block(&rig)->more[i]);
            m[0] = texels / 16;
            if (kind) { /* on face +x, whose coordinates are -z and -y, from -1 to 1 */
                at[0] = 1;
                at[1] = 2 * at[1] - 1;
                at[2] = 2 * at[2] - 1;
                m[2] = (at[2] > 0 ? -2 : 2) * m[0]; /* towards the middle of the face */
                m[0] = 0;
            }
            at[3] = (float)(i & 1);
        }
        rig_run(&rig, kernels[kind]);
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            const float *at = rig_block(&rig)->at[i], face[3] = {(1 - at[2]) / 2, (1 - at[1]) / 2, 0};
            struct oracle_texel expected =
                oracle_read(&rig.image[i % 4], &rig.sampler, kind ? face : at, kind > 1 && i & 1 ? 6 : 0);
            rig_expect(&rig, i, &expected, false, 0);
        }
    }
}

static void gradients_of_volumes_and_cubes_choose_the_level(void **state)
{
    (void)state;
    on_each(check_deep_gradients);
}

/* ---- layers and cubes -------------------------------------------------------------------------------------------- */

static void check_layers(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    const long size[3] = {10, 6, 5}, line[3] = {10, 1, 5};
    for (unsigned dimensions = 1; dimensions <= 2; dimensions++)
        for (unsigned smooth = 0; smooth < 2; smooth++) {
            rig_make(&rig, r, TEXTURE_S8, 4, dimensions, dimensions == 1 ? line : size, 1);
            rig_filter(&rig, true, smooth, true);
            rig_modes(&rig, ORACLE_WRAP, ORACLE_CLAMP, ORACLE_CLAMP);
            rig.texture.layered = true;
            rig.texture.layers = 5;
            rig_places(&rig);
            for (unsigned i = 0; i < RIG_THREADS; i++)
                rig_block(&rig)->at[i][3] = i == 0 ? 1e6f : (float)rig_draw(&rig, 7);
            rig_run(&rig, dimensions == 1 ? "layer1" : "layer2");
            for (unsigned i = 0; i < RIG_THREADS; i++) {
                const float *at = rig_block(&rig)->at[i];
                struct oracle_texel expected =
                    oracle_read(&rig.image[0], &rig.sampler, at, at[3] > 4 ? 4 : (long)at[3]);
                rig_expect(&rig, i, &expected, false, smooth ? 0x1p-22 : 0);
            }
        }
}

static void a_layer_is_a_whole_number_within_the_array(void **state)
{
    (void)state;
    on_each(check_layers);
}

static void check_layer_levels(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    const long size[3] = {16, 16, 3};
    rig_make(&rig, r, TEXTURE_U16, 1, 2, size, 4);
    rig_filter(&rig, true, false, true);
    rig.texture.layered = true;
    rig.texture.layers = 3;
    rig_places(&rig);
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        rig_block(&rig)->at[i][3] = (float)(i % 3);
        rig_block(&rig)->more[i][0] = (float)(i % 4);
    }
    rig_run(&rig, "layer_level2");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        struct oracle_texel expected = oracle_read(&rig.image[i % 4], &rig.sampler, rig_block(&rig)->at[i], i % 3);
        rig_expect(&rig, i, &expected, false, 0);
    }
    for (unsigned i = 0; i < RIG_THREADS; i++)
        rig_block(&rig)->more[i][0] =
            ldexpf(1, (int)(i % 4)) / 16 / sqrtf(2); /* both axes: the length has a root of 2 */
    rig_run(&rig, "gradient_offset");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        const float *at = rig_block(&rig)->at[i], n = (float)(16 >> i % 4);
        const float moved[3] = {floorf(at[0] * n) + 1.5f, floorf(at[1] * n) - 1.5f, 0};
        struct oracle_sampler s = rig.sampler;
        s.normalized = false;
        struct oracle_texel expected = oracle_read(&rig.image[i % 4], &s, moved, i % 3);
        rig_expect(&rig, i, &expected, false, 0);
    }
}

static void layers_have_levels_of_their_own(void **state)
{
    (void)state;
    on_each(check_layer_levels);
}

/* The middle of texel (x, y) on a face, as the guide's table of faces has it. */
static void direction_of(unsigned face, double x, double y, float out[3])
{
    double s = 2 * x - 1, t = 2 * y - 1;
    const double table[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    for (unsigned d = 0; d < 3; d++)
        out[d] = (float)(2.5 * table[face][d]);
}

static void cube_images(struct texture_rig *rig, struct kernel_run *r, long faces)
{
    const long size[3] = {8, 8, faces};
    rig_make(rig, r, TEXTURE_F32, 2, 2, size, 1);
    rig_filter(rig, true, false, false);
    rig->texture.cube = true;
    rig->texture.layers = (uint32_t)faces;
    rig->texture.layered = faces > 6;
}

static void check_cubes(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    for (unsigned cubes = 1; cubes <= 2; cubes++) {
        cube_images(&rig, r, 6 * (long)cubes);
        for (unsigned face = 0; face < 6 * cubes; face++) {
            for (unsigned i = 0; i < RIG_THREADS; i++) {
                direction_of(face % 6, (i % 8 + 0.5) / 8, (i / 8 + 0.5) / 8, rig_block(&rig)->at[i]);
                rig_block(&rig)->at[i][3] = (float)(face / 6);
            }
            rig_run(&rig, cubes == 1 ? "cube" : "cubes");
            for (unsigned i = 0; i < RIG_THREADS; i++) {
                struct oracle_texel expected = oracle_texel(&rig.image[0], false, i % 8, i / 8, (long)face);
                rig_expect(&rig, i, &expected, false, 0);
            }
        }
    }
}

static void a_direction_finds_its_face_of_a_cube(void **state)
{
    (void)state;
    on_each(check_cubes);
}

/* On the edge from face +x to face +z both faces have half of the weight, if the cube is seamless. */
static void check_edges(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    for (unsigned seamless = 0; seamless < 2; seamless++) {
        cube_images(&rig, r, 6);
        rig_filter(&rig, true, true, false);
        rig.texture.seamless = seamless;
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            direction_of(0, 0, (i % 8 + 0.5) / 8, rig_block(&rig)->at[i]);
            rig_block(&rig)->at[i][2] *= 0.9999f; /* still face +x */
        }
        rig_run(&rig, "cube");
        for (unsigned i = 0; i < RIG_THREADS; i++) {
            struct oracle_texel own = oracle_texel(&rig.image[0], false, 0, i % 8, 0);
            struct oracle_texel other = oracle_texel(&rig.image[0], false, 7, i % 8, 4);
            for (unsigned c = 0; c < 2 && seamless; c++)
                own.value[c] = (own.value[c] + other.value[c]) / 2;
            rig_expect(&rig, i, &own, false, 0x1p-20);
        }
    }
}

static void a_seamless_cube_is_filtered_over_its_edges(void **state)
{
    (void)state;
    on_each(check_edges);
}

/* ---- gathers and offsets ----------------------------------------------------------------------------------------- */

static void expect_gathered(const struct texture_rig *rig, unsigned component, const long offset[2])
{
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        const float *at = rig_block(rig)->at[i];
        static const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
        struct oracle_texel expected;
        for (unsigned k = 0; k < 4; k++) {
            const float place[3] = {floorf(at[0] - 0.5f + 1.0f / 512) + (float)(dx[k] + offset[0]) + 0.5f,
                                    floorf(at[1] - 0.5f + 1.0f / 512) + (float)(dy[k] + offset[1]) + 0.5f, 0};
            expected.value[k] = oracle_read(&rig->image[0], &rig->sampler, place, 0).value[component];
        }
        rig_expect(rig, i, &expected, false, 0);
    }
}

static void check_gathers(struct kernel_run *r)
{
    static const char *const kernels[] = {"gather0", "gather1", "gather2", "gather3"};
    struct texture_rig rig = {0};
    const long none[2] = {0, 0}, some[2] = {4, -3};
    rig_make(&rig, r, TEXTURE_F16, 4, 2, wide, 1);
    rig_places(&rig);
    for (unsigned component = 0; component < 4; component++) {
        rig_run(&rig, kernels[component]);
        expect_gathered(&rig, component, none);
    }
    rig_run(&rig, "gather_offset");
    expect_gathered(&rig, 0, some);
}

static void a_gather_takes_one_component_of_four_texels(void **state)
{
    (void)state;
    on_each(check_gathers);
}

static void check_offsets(struct kernel_run *r)
{
    struct texture_rig rig = {0};
    rig_make(&rig, r, TEXTURE_F32, 1, 2, wide, 1);
    rig_places(&rig);
    for (unsigned i = 0; i < RIG_THREADS; i++)
        for (unsigned d = 0; d < 2; d++)
            rig_block(&rig)->more[i][d] = (float)((int)rig_draw(&rig, 16) - 8);
    rig_run(&rig, "offset2");
    for (unsigned i = 0; i < RIG_THREADS; i++) {
        const float *at = rig_block(&rig)->at[i], *m = rig_block(&rig)->more[i];
        const float moved[3] = {floorf(at[0]) + m[0] + 0.5f, floorf(at[1]) + m[1] + 0.5f, 0};
        struct oracle_texel expected = oracle_read(&rig.image[0], &rig.sampler, moved, 0);
        rig_expect(&rig, i, &expected, false, 0);
    }
}

static void offsets_move_a_read_by_whole_texels(void **state)
{
    (void)state;
    on_each(check_offsets);
}

UNIT_TESTS(UNIT(a_level_is_chosen_or_blended_within_its_limits), UNIT(a_read_without_a_level_takes_the_lowest),
           UNIT(gradients_choose_the_level), UNIT(an_anisotropic_filter_takes_probes_along_the_longer_change),
           UNIT(gradients_of_volumes_and_cubes_choose_the_level), UNIT(a_layer_is_a_whole_number_within_the_array),
           UNIT(layers_have_levels_of_their_own), UNIT(a_direction_finds_its_face_of_a_cube),
           UNIT(a_seamless_cube_is_filtered_over_its_edges), UNIT(a_gather_takes_one_component_of_four_texels),
           UNIT(offsets_move_a_read_by_whole_texels))
