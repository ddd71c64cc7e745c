#include "tests/exec/texture_oracle.h"

#include <math.h>
#include <string.h>

static double half_value(unsigned bits)
{
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -magnitude : magnitude;
}

static double number_of(const struct oracle_image *image, bool fractions, const uint8_t *at)
{
    uint32_t bits = 0;
    for (int i = 0; i < image->bits / 8; i++)
        bits |= (uint32_t)at[i] << 8 * i;
    if (image->kind == ORACLE_FLOAT && image->bits == 16)
        return half_value(bits);
    if (image->kind == ORACLE_FLOAT) {
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    double most = ldexp(1, image->bits) - 1, value = bits;
    if (image->kind == ORACLE_SIGNED) {
        if (value > most / 2)
            value -= most + 1;
        most = (most - 1) / 2;
    }
    if (!fractions || image->bits == 32)
        return value;
    double fraction = (double)((float)value / (float)most);
    return fraction < -1 ? -1 : fraction;
}

struct oracle_texel oracle_texel(const struct oracle_image *image, bool fractions, long x, long y, long z)
{
    struct oracle_texel t = {{0, 0, 0, 1}};
    long bytes = image->bits / 8;
    const uint8_t *at = image->bytes + z * image->slice + y * image->pitch + x * bytes * image->channels;
    for (int c = 0; c < image->channels; c++)
        t.value[c] = number_of(image, fractions, at + c * bytes);
    return t;
}

long oracle_index(enum oracle_mode mode, long i, long n)
{
    if (mode == ORACLE_BORDER)
        return i < 0 || i > n - 1 ? -1 : i;
    if (mode == ORACLE_CLAMP)
        return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
    while (i < 0)
        i += mode == ORACLE_WRAP ? n : 2 * n;
    if (mode == ORACLE_WRAP)
        return i % n;
    i %= 2 * n;
    return i >= n ? 2 * n - 1 - i : i;
}

/* From IEC 61966-2-1 to linear light. */
static double curve(double v) { return v > 0.04045 ? exp(2.4 * log((v + 0.055) / 1.055)) : v / 12.92; }

static struct oracle_texel outside_or_texel(const struct oracle_image *image, const struct oracle_sampler *s,
                                            const long at[3])
{
    struct oracle_texel border;
    memcpy(border.value, s->border, sizeof border.value);
    for (int d = 0; d < 3; d++)
        if (at[d] < 0)
            return border;
    struct oracle_texel texel = oracle_texel(image, s->fractions, at[0], at[1], at[2]);
    bool bytes = image->bits == 8 && image->kind == ORACLE_UNSIGNED && s->fractions;
    for (int c = 0; c < 3 && s->srgb && bytes; c++)
        texel.value[c] = c < image->channels ? curve(texel.value[c]) : 0;
    return texel;
}

struct oracle_texel oracle_read(const struct oracle_image *image, const struct oracle_sampler *s, const float at[3],
                                long slice)
{
    struct oracle_texel sum = {{0}};
    long first[3] = {0, 0, slice}, weight[3] = {0};
    enum oracle_mode mode[3] = {ORACLE_CLAMP, ORACLE_CLAMP, ORACLE_CLAMP};
    for (int d = 0; d < image->dimensions; d++) {
        bool folds = s->mode[d] == ORACLE_WRAP || s->mode[d] == ORACLE_MIRROR;
        mode[d] = folds && !s->normalized ? ORACLE_CLAMP : s->mode[d];
        long double u = (long double)at[d] * (s->normalized ? (long double)image->size[d] : 1);
        if (!s->smooth) {
            first[d] = (long)floorl(u);
            continue;
        }
        long steps = (long)floorl((u - 0.5L) * 256 + 0.5L);
        first[d] = steps >= 0 ? steps / 256 : -((-steps + 255) / 256);
        weight[d] = steps - 256 * first[d];
    }
    for (int corner = 0; corner < 8; corner++) {
        long double share = 1;
        long place[3];
        for (int d = 0; d < 3; d++) {
            int second = corner >> d & 1;
            share *= (long double)(second ? weight[d] : 256 - weight[d]) / 256;
            place[d] = d < image->dimensions ? oracle_index(mode[d], first[d] + second, image->size[d]) : first[d];
        }
        if (share == 0)
            continue;
        struct oracle_texel t = outside_or_texel(image, s, place);
        for (int c = 0; c < 4; c++)
            sum.value[c] += (double)share * t.value[c];
    }
    return sum;
}
