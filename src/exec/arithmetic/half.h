/* FP16 and BF16 values as bits, and arithmetic on them that rounds once.
 *
 * Results are formed in a wider format rounded to odd: to nearest first, then, when the result is inexact and its last
 * bit even, one step toward the error. A value rounded to odd with at least two bits to spare rounds to the narrow
 * format as the exact value would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). */
#ifndef SUBCORE_EXEC_HALF_H
#define SUBCORE_EXEC_HALF_H

#include "exec/arithmetic/float32.h"
#include "isa/isa.h"

#ifdef EXEC_V3
#include <immintrin.h>
#endif

/* The canonical NaN of both formats. */
#define HALF_NAN 0x7fff
#define HALF_INFINITY 0x7c00u
/* The NaN that stands for a half word outside a tensor, in FP16 and in BF16. PTX ISA, tensors, names it OOB-NaN and
 * gives no value. A public emulator of PTX that was compared with GPUs has this one. */
#define HALF_OUTSIDE 0x7ff7u
#define HALF_ONE 0x3c00u
#define BF16_INFINITY 0x7f80u
#define BF16_ONE 0x3f80u

/* Exact. The payload of a NaN moves along. */
static inline uint32_t half_to_float(uint32_t h)
{
    uint32_t v = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    uint32_t exponent = v & 0x0f800000;
    uint32_t normal = v + (112u << 23);
    uint32_t denormal = float_bits(float_of(normal + (1u << 23)) - float_of(113u << 23));
    uint32_t special = v + (224u << 23);
    return sign | (exponent == 0 ? denormal : exponent == 0x0f800000 ? special : normal);
}

/* To nearest, ties to even. NaN becomes canonical. */
static inline uint32_t half_from_float(uint32_t bits)
{
    uint32_t v = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    uint32_t denormal = float_bits(float_of(v) + 0.5f) - float_bits(0.5f);
    uint32_t normal = (v + 0xfff - (112u << 23) + (v >> 13 & 1)) >> 13;
    uint32_t r = v < (113u << 23) ? denormal : v < 0x47800000 ? normal : HALF_INFINITY;
    return v > FLOAT_INFINITY ? HALF_NAN : sign | r;
}

/* 32 halves, each in the lower 16 bits of a word whose upper are 0, to floats; and floats to halves. */
static inline void half_row_to_float(uint32_t *r, const uint32_t *h)
{
#ifdef EXEC_V3
    for (unsigned i = 0; i < 32; i += 8) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(h + i));
        __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(v, v), 0x08);
        _mm256_storeu_si256((__m256i *)(r + i), _mm256_castps_si256(_mm256_cvtph_ps(_mm256_castsi256_si128(packed))));
    }
#else
    for (unsigned i = 0; i < 32; ++i)
        r[i] = half_to_float(h[i]);
#endif
}

/* 32 words of two halves to 64 floats, the lower half first. */
static inline void half_pairs_to_float(uint32_t *r, const uint32_t *h)
{
#ifdef EXEC_V3
    for (unsigned i = 0; i < 32; i += 4) {
        __m256 v = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(h + i)));
        _mm256_storeu_si256((__m256i *)(r + 2 * i), _mm256_castps_si256(v));
    }
#else
    for (unsigned i = 0; i < 32; ++i) {
        r[2 * i] = half_to_float(h[i] & 0xffff);
        r[2 * i + 1] = half_to_float(h[i] >> 16);
    }
#endif
}

static inline void half_row_from_float(uint32_t *r, const uint32_t *f)
{
#ifdef EXEC_V3
    for (unsigned i = 0; i < 32; i += 8) {
        __m256 v = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(f + i)));
        __m256i h = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
        __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        h = _mm256_blendv_epi8(h, _mm256_set1_epi32(HALF_NAN), nan);
        _mm256_storeu_si256((__m256i *)(r + i), h);
    }
#else
    for (unsigned i = 0; i < 32; ++i)
        r[i] = half_from_float(f[i]);
#endif
}

static inline uint32_t bf16_to_float(uint32_t h) { return h << 16; }

static inline uint32_t bf16_from_float(uint32_t bits)
{
    uint32_t r = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return float_is_nan(bits) ? HALF_NAN : r;
}

/* Returns a source of FP16, BF16 (in the lower bits) or FP32 (ISA_FLOAT_*) as a float. `flush` makes a zero of a number
 * that is denormal in its own type: measured of FRND.FTZ and halves on an H200 (2026-11-27; the recording is not kept
 * in the repository), of other conversions by analogy. */
static inline uint32_t format_widen(uint32_t bits, unsigned type, bool flush)
{
    if (type == ISA_FLOAT_F16)
        return half_to_float(flush && !(bits & HALF_INFINITY) ? bits & 0x8000 : bits & 0xffff);
    bits = type == ISA_FLOAT_BF16 ? bf16_to_float(bits & 0xffff) : bits;
    return flush ? float_flush(bits) : bits;
}

/* a * b + c rounded to odd. The product is exact, as FP16 values always have it. */
static inline uint32_t half_fma_odd(float a, float b, float c)
{
    float p = a * b, s = p + c;
    float t = s - p, error = (p - (s - t)) + (c - t);
    uint32_t bits = float_bits(s);
    uint32_t even = (bits & 1) - 1, away = 1 - 2 * ((float_bits(error) ^ bits) >> 31);
    uint32_t inexact = error != 0.0f ? UINT32_MAX : 0, finite = s - s == 0.0f ? UINT32_MAX : 0;
    return bits + (away & even & inexact & finite);
}

/* a * b + c rounded to odd, for any floats: the product is exact. */
static inline double float_fma_odd(float a, float b, float c)
{
    double p = (double)a * (double)b, d = (double)c, s = p + d;
    double t = s - p, error = (p - (s - t)) + (d - t);
    uint64_t bits = double_bits(s);
    uint64_t even = (bits & 1) - 1, away = 1 - 2 * ((double_bits(error) ^ bits) >> 63);
    uint64_t inexact = error != 0.0 ? UINT64_MAX : 0, finite = s - s == 0.0 ? UINT64_MAX : 0;
    return double_of(bits + (away & even & inexact & finite));
}

/* A double as float, rounded to odd. Beyond the largest float it stays there. */
static inline uint32_t float_odd(double d)
{
    float f = (float)d;
    double error = d - (double)f;
    uint32_t bits = float_bits(f);
    uint32_t even = (bits & 1) - 1;
    uint32_t away = 1 - 2 * ((uint32_t)(double_bits(error) >> 63) ^ bits >> 31);
    uint32_t inexact = error != 0.0 ? UINT32_MAX : 0, finite = d - d == 0.0 ? UINT32_MAX : 0;
    return bits + (away & even & inexact & finite);
}

static inline uint32_t half_from_double(double d) { return half_from_float(float_odd(d)); }
static inline uint32_t bf16_from_double(double d) { return bf16_from_float(float_odd(d)); }

#endif
