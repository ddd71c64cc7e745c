#include "exec/texture/texel.h"

#include <math.h>
#include <string.h>

#include "exec/arithmetic/half.h"

/* IEC 61966-2-1, evaluated in double. Hardware has a table of 256 values; which ones is not published (ASSUMED). */
static float linear_of(double v) { return (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)); }

static uint32_t fraction(unsigned format, int32_t value, bool srgb)
{
    switch (format) {
    case TEXTURE_U8: return float_bits(srgb ? linear_of(value / 255.0) : (float)value / 255.0f);
    case TEXTURE_U16: return float_bits((float)value / 65535.0f);
    case TEXTURE_S8: return float_bits(value < -127 ? -1.0f : (float)value / 127.0f);
    default: return float_bits(value < -32767 ? -1.0f : (float)value / 32767.0f);
    }
}

/* Channel `c`, extended to 32 bits. */
static uint32_t channel(unsigned format, const uint8_t *bytes, unsigned c)
{
    unsigned size = texture_channel_bytes(format);
    uint32_t value = 0;
    memcpy(&value, bytes + (size_t)c * size, size);
    if (format == TEXTURE_S8)
        return (uint32_t)(int32_t)(int8_t)value;
    if (format == TEXTURE_S16)
        return (uint32_t)(int32_t)(int16_t)value;
    return value;
}

struct texel texel_decode(const struct texture *t, const uint8_t *bytes)
{
    bool integers = texture_gives_integers(t);
    struct texel texel = {{0, 0, 0, integers ? 1 : float_bits(1.0f)}};
    for (unsigned c = 0; c < t->channels; c++) {
        uint32_t value = channel(t->format, bytes, c);
        if (t->format == TEXTURE_F16)
            value = half_to_float(value);
        else if (t->format < TEXTURE_U32 && !t->integers)
            value = fraction(t->format, (int32_t)value, t->srgb && c < 3);
        texel.word[c] = value;
    }
    return texel;
}

/* To nearest, ties to even. NaN is 0. */
static int32_t scaled(uint32_t bits, double least, double most)
{
    double v = (double)float_of(bits);
    v = isnan(v) ? 0 : v < least ? least : v > 1 ? 1 : v;
    return (int32_t)nearbyint(v * most);
}

void texel_encode(const struct texture *t, const struct texel *texel, uint8_t *bytes)
{
    unsigned size = texture_channel_bytes(t->format);
    for (unsigned c = 0; c < t->channels; c++) {
        uint32_t value = texel->word[c];
        if (t->format == TEXTURE_F16)
            value = half_from_float(value);
        else if (t->format < TEXTURE_U32 && !t->integers)
            value = (uint32_t)(t->format == TEXTURE_U8    ? scaled(value, 0, 255)
                               : t->format == TEXTURE_U16 ? scaled(value, 0, 65535)
                               : t->format == TEXTURE_S8  ? scaled(value, -1, 127)
                                                          : scaled(value, -1, 32767));
        memcpy(bytes + (size_t)c * size, &value, size);
    }
}

struct texel texel_border(const struct texture *t)
{
    struct texel texel;
    memcpy(texel.word, t->border, sizeof texel.word);
    return texel;
}
