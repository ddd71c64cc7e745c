#include "tests/exec/texture_rig.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "tests/unit.h"

static const struct {
    enum oracle_kind kind;
    int bits;
} formats[] = {
    [TEXTURE_U8] = {ORACLE_UNSIGNED, 8}, [TEXTURE_S8] = {ORACLE_SIGNED, 8},     [TEXTURE_U16] = {ORACLE_UNSIGNED, 16},
    [TEXTURE_S16] = {ORACLE_SIGNED, 16}, [TEXTURE_U32] = {ORACLE_UNSIGNED, 32}, [TEXTURE_S32] = {ORACLE_SIGNED, 32},
    [TEXTURE_F16] = {ORACLE_FLOAT, 16},  [TEXTURE_F32] = {ORACLE_FLOAT, 32},
};

uint32_t rig_draw(struct texture_rig *rig, uint32_t n)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((rig->random >> 33) % n);
}

/* Floats are small multiples of 1/8, integers anything, with the ends among them. */
static void fill(struct texture_rig *rig, const struct oracle_image *image, uint8_t *bytes, size_t count)
{
    size_t step = (size_t)image->bits / 8;
    for (size_t i = 0; i + step <= count; i += step) {
        uint32_t value = rig_draw(rig, UINT32_C(1) << 31) << 1 | rig_draw(rig, 2);
        value = rig_draw(rig, 8) ? value : rig_draw(rig, 2) ? 0x80808080 : 0xffffffff;
        if (image->kind == ORACLE_FLOAT) {
            float f = (float)((int)rig_draw(rig, 512) - 256) / 8;
            memcpy(&value, &f, sizeof f);
            if (image->bits == 16) /* exact: 9 bits */
                value =
                    f == 0 ? 0 : (value >> 16 & 0x8000) | ((value >> 23 & 0xff) - 112) << 10 | (value >> 13 & 0x3ff);
        }
        memcpy(bytes + i, &value, step);
    }
}

static void make_level(struct texture_rig *rig, unsigned level, const long size[3])
{
    struct texture *t = &rig->texture;
    struct oracle_image *image = &rig->image[level];
    size_t pitch = (size_t)align_up((uint64_t)size[0] * texture_texel_bytes(t), 32), slice = pitch * (size_t)size[1];
    uint64_t address = memory_alloc(rig->run->memory, slice * (size_t)size[2]);
    assert_int_not_equal(address, 0);
    *image = (struct oracle_image){.kind = formats[t->format].kind,
                                   .bits = formats[t->format].bits,
                                   .channels = t->channels,
                                   .size = {size[0], size[1], size[2]},
                                   .pitch = (long)pitch,
                                   .slice = (long)slice,
                                   .bytes = memory_at(rig->run->memory, address),
                                   .dimensions = t->dimensions};
    t->level[level] = (struct texture_level){.address = address,
                                             .pitch = pitch,
                                             .slice = slice,
                                             .width = (uint32_t)size[0],
                                             .height = (uint32_t)size[1],
                                             .depth = t->dimensions == 3 ? (uint32_t)size[2] : 1};
    fill(rig, image, memory_at(rig->run->memory, address), slice * (size_t)size[2]);
}

void rig_make(struct texture_rig *rig, struct kernel_run *run, unsigned format, unsigned channels, unsigned dimensions,
              const long size[3], unsigned levels)
{
    long now[3] = {size[0], size[1], size[2]};
    uint64_t random = rig->random ? rig->random : 1;
    *rig = (struct texture_rig){.run = run, .random = random};
    rig->texture = (struct texture){.format = (uint8_t)format,
                                    .channels = (uint8_t)channels,
                                    .dimensions = (uint8_t)dimensions,
                                    .layers = 1,
                                    .levels = (uint8_t)levels,
                                    .integers = true,
                                    .most = 100};
    rig_modes(rig, ORACLE_CLAMP, ORACLE_CLAMP, ORACLE_CLAMP);
    for (unsigned level = 0; level < levels; level++) {
        make_level(rig, level, now);
        for (unsigned d = 0; d < dimensions; d++)
            now[d] = now[d] > 1 ? now[d] / 2 : 1;
    }
}

void rig_modes(struct texture_rig *rig, enum oracle_mode x, enum oracle_mode y, enum oracle_mode z)
{
    const enum oracle_mode mode[3] = {x, y, z};
    for (unsigned d = 0; d < 3; d++)
        rig->texture.mode[d] = (uint8_t)(rig->sampler.mode[d] = mode[d]);
}

void rig_filter(struct texture_rig *rig, bool normalized, bool smooth, bool fractions)
{
    rig->texture.normalized = rig->sampler.normalized = normalized;
    rig->texture.smooth = rig->sampler.smooth = smooth;
    rig->sampler.fractions = fractions;
    rig->texture.integers = !fractions;
}

void rig_border(struct texture_rig *rig, const float border[4])
{
    memcpy(rig->texture.border, border, sizeof rig->texture.border);
    for (unsigned c = 0; c < 4; c++)
        rig->sampler.border[c] = (double)border[c];
}

struct rig_block *rig_block(const struct texture_rig *rig) { return (struct rig_block *)(void *)rig->run->out; }

void rig_run(struct texture_rig *rig, const char *kernel)
{
    uint32_t handle = textures_add(rig->run->memory, &rig->texture);
    assert_int_not_equal(handle, 0);
    rig_block(rig)->object = rig->run->object = handle;
    memset(rig_block(rig)->out, 0xcd, sizeof rig_block(rig)->out);
    kernel_run(rig->run, kernel, RIG_THREADS);
    assert_true(textures_remove(rig->run->memory, handle));
}

double rig_out(const struct texture_rig *rig, unsigned i, unsigned c, bool integers)
{
    uint32_t bits = rig_block(rig)->out[i][c];
    float f;
    memcpy(&f, &bits, sizeof f);
    if (!integers)
        return (double)f;
    return rig->image[0].kind == ORACLE_SIGNED ? (double)(int32_t)bits : (double)bits;
}

void rig_expect(const struct texture_rig *rig, unsigned i, const struct oracle_texel *expected, bool integers,
                double tolerance)
{
    for (unsigned c = 0; c < 4; c++) {
        double got = rig_out(rig, i, c, integers), want = expected->value[c];
        if (fabs(got - want) <= tolerance * fabs(want) + tolerance * 1e-3)
            continue;
        const float *at = rig_block(rig)->at[i];
        fail_msg("sm_%u, thread %u at (%g, %g, %g, %g), component %u: %.9g instead of %.9g", rig->run->sm, i,
                 (double)at[0], (double)at[1], (double)at[2], (double)at[3], c, got, want);
    }
}

void rig_places(struct texture_rig *rig)
{
    enum { EDGES = 11 };
    for (unsigned i = 0; i < RIG_THREADS; i++)
        for (unsigned d = 0; d < 3; d++) {
            double n = (double)rig->image[0].size[d],
                   edge[EDGES] = {-1.25, -0.0, 0.0, 0.5, 0.25, n - 0.5, n - 0.25, n, n + 0.25, 2 * n + 0.75, -n - 0.5};
            double u =
                i < 2 * EDGES ? edge[(i + 3 * d) % EDGES] : ((double)rig_draw(rig, 1 << 20) / (1 << 20) * 4 - 1.5) * n;
            rig_block(rig)->at[i][d] = (float)(rig->sampler.normalized ? u / n : u);
        }
}
