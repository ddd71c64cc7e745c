/* The products of HMMA, with the lanes of the host's vectors over the lanes of the warp.
 *
 * Fragments (PTX ISA, mma): lane = 4 * g + t. A word of A has row g, a word of B column g, and in both four bytes from
 * byte 4t on. The lower halves of a register's words make a *plane*, the upper halves another, words of TF32 one: a
 * plane has four elements of each row or column. Lane (g, t) of D has row g and, for e = 0 and 1, column 2t + e. So a
 * product needs lane t' of each quad of A four times side by side, and four columns of B that repeat in each quad.
 *
 * fused_sum.h has the rule. A product of two elements is exact in FP32. Times the power of two that puts the largest
 * exponent at 2^F, and converted to an integer, it is cut as the tensor core cuts it. The sum of 16 such integers stays
 * below 2^31 (F = 25), with C below 2^32.
 *
 * Compiled once for each instruction set (lanes_vector.h): all give the same bits. */
#include <string.h>

#include "exec/arithmetic/half.h"
#include "exec/matrix/hmma.h"
#include "exec/matrix/lanes_vector.h"
#include "exec/matrix/wgmma.h"

#ifdef EXEC_V4
#define MULTIPLY hmma_multiply_v4
#elif defined EXEC_V3
#define MULTIPLY hmma_multiply_v3
#else
#define MULTIPLY hmma_multiply_base
#endif

enum { VECTORS = EXEC_LANES / WIDTH, QUAD = 4, HALVES = 2, PLANES = 2 * HMMA_BLOCKS, NEVER = -1000 };

/* Exponents of moderate size: neither a product nor the factor that brings it to 2^F leaves the normal floats. */
enum { LOWEST = -50, HIGHEST = 50, HIGHEST_HALF = 15, LOWEST_HALF = -14 };

/* Two 16-bit integers in each word. */
typedef int16_t pairs __attribute__((vector_size(4 * WIDTH)));
typedef float four __attribute__((vector_size(4 * QUAD)));

struct planes {
    unsigned count, step;                                   /* planes; those that one sum takes */
    _Alignas(64) float a[PLANES][HALVES][EXEC_LANES];       /* rows g, rows g + 8 */
    _Alignas(64) int32_t a_exponent[PLANES][EXEC_LANES];    /* of rows g in the lower 16 bits, of g + 8 in the upper */
    _Alignas(64) float b[PLANES][2][QUAD][QUAD];            /* [e][t'][t] */
    _Alignas(64) int32_t b_exponent[PLANES][2][QUAD][QUAD]; /* in both halves */
};

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

INLINE ints ints_at(const void *p)
{
    ints v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE bool any(ints v)
{
    int32_t bits = 0;
    for (unsigned i = 0; i < WIDTH; i++)
        bits |= v[i];
    return bits != 0;
}

/* Lane `t` of each quad in all its lanes. */
INLINE ints quad_lane(ints v, int32_t t)
{
#ifdef __clang__
    ints r;
    for (unsigned i = 0; i < WIDTH; i++)
        r[i] = v[i / QUAD * QUAD + (unsigned)t];
    return r;
#else
    ints first;
    for (int32_t i = 0; i < WIDTH; i++)
        first[i] = i / QUAD * QUAD;
    return __builtin_shuffle(v, first + t);
#endif
}

/* Four words in all quads. */
INLINE ints repeated(const void *p)
{
#ifdef EXEC_V4
    return (ints)_mm512_broadcast_i32x4(_mm_load_si128(p));
#elif defined EXEC_V3
    return (ints)_mm256_broadcastsi128_si256(_mm_load_si128(p));
#else
    const int32_t *w = p;
    return (ints){w[0], w[1], w[2], w[3], w[0], w[1], w[2], w[3]};
#endif
}

INLINE pairs larger(pairs x, pairs y)
{
#ifdef EXEC_V4
    return (pairs)_mm512_max_epi16((__m512i)x, (__m512i)y);
#elif defined EXEC_V3
    return (pairs)_mm256_max_epi16((__m256i)x, (__m256i)y);
#else
    pairs mask = x > y;
    return (mask & x) | (~mask & y);
#endif
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Halves are exact in FP32: their exponent, five bits of eight, is moved there, and its bias made good. */
INLINE floats values_of(ints word, unsigned type, bool upper, ints flip)
{
    if (type == WGMMA_TF32)
        return (floats)((word & ~0x1fff) ^ flip);
    ints x = upper ? word & ~0xffff : word << 16;
    if (type == WGMMA_BF16)
        return (floats)(x ^ flip);
    return (floats)((x & 0x7fff0000) >> 3 | ((x ^ flip) & INT32_MIN)) * 0x1p112f;
}

/* Not 0 where an element is none of moderate size. */
INLINE ints wild(floats v, unsigned type)
{
    int32_t above = (type == WGMMA_F16 ? HIGHEST_HALF : HIGHEST) + 1;
    ints magnitude = (ints)v & INT32_MAX;
    return (magnitude >= spread((above + 127) << 23)) | ((magnitude != 0) & (magnitude < spread((LOWEST + 127) << 23)));
}

/* The exponents of the encoding: that of denormal halves is the least. */
INLINE ints exponents_of(floats v, unsigned type)
{
    ints magnitude = (ints)v & INT32_MAX, e = (magnitude >> 23) - 127;
    if (type == WGMMA_F16)
        e = most(e, spread(LOWEST_HALF));
    return choose(magnitude != 0, e, spread(NEVER));
}

INLINE ints read_a(struct planes *m, unsigned p, const uint32_t *low, const uint32_t *high, unsigned type, bool upper,
                   ints flip)
{
    ints found = {0};
    for (unsigned v = 0; v < VECTORS; v++) {
        floats x = values_of(ints_at(low + v * WIDTH), type, upper, flip);
        floats y = values_of(ints_at(high + v * WIDTH), type, upper, flip);
        ints exponents = (exponents_of(x, type) & 0xffff) | exponents_of(y, type) << 16;
        found |= wild(x, type) | wild(y, type);
        memcpy(m->a[p][0] + v * WIDTH, &x, sizeof x);
        memcpy(m->a[p][1] + v * WIDTH, &y, sizeof y);
        memcpy(m->a_exponent[p] + v * WIDTH, &exponents, sizeof exponents);
    }
    return found;
}

/* Rows of four become columns. */
INLINE void transpose(float (*to)[QUAD], const float *const from[QUAD])
{
    for (unsigned t = 0; t < QUAD; t++) {
        four column = {from[0][t], from[1][t], from[2][t], from[3][t]};
        memcpy(to[t], &column, sizeof column);
    }
}

INLINE ints read_b(struct planes *m, unsigned p, const uint32_t *words, unsigned type, bool upper)
{
    ints found = {0};
    _Alignas(64) float value[EXEC_LANES];
    for (unsigned v = 0; v < VECTORS; v++) {
        floats x = values_of(ints_at(words + v * WIDTH), type, upper, (ints){0});
        found |= wild(x, type);
        memcpy(value + v * WIDTH, &x, sizeof x);
    }
    for (unsigned e = 0; e < 2; e++) {
        const float *const columns[] = {value + QUAD * e, value + QUAD * (2 + e), value + QUAD * (4 + e),
                                        value + QUAD * (6 + e)};
        transpose(m->b[p][e], columns);
    }
    for (unsigned v = 0; v < VECTORS; v++) {
        ints e = exponents_of((floats)ints_at((const float *)m->b[p] + v * WIDTH), type);
        e = (e & 0xffff) | e << 16;
        memcpy((int32_t *)m->b_exponent[p] + v * WIDTH, &e, sizeof e);
    }
    return found;
}

/* Returns whether all elements have a moderate size. */
INLINE bool read_type(struct planes *m, const struct hmma_job *job, unsigned type)
{
    ints found = {0}, flip = spread(job->negative ? INT32_MIN : 0);
    unsigned each = type == WGMMA_TF32 ? 1 : 2;
    m->count = job->blocks * each;
    m->step = job->step * each;
    for (unsigned j = 0; j < job->blocks; j++)
        for (unsigned upper = 0; upper < each; upper++) {
            unsigned p = j * each + upper;
            found |= read_a(m, p, job->a[2 * j], job->a[2 * j + 1], type, upper, flip);
            found |= read_b(m, p, job->b[j], type, upper);
        }
    return !any(found);
}

static bool read_operands(struct planes *m, const struct hmma_job *job)
{
    switch (job->type) {
    case WGMMA_F16: return read_type(m, job, WGMMA_F16);
    case WGMMA_BF16: return read_type(m, job, WGMMA_BF16);
    default: return read_type(m, job, WGMMA_TF32);
    }
}

static bool finite(const uint32_t *const *c, unsigned registers, bool wide)
{
    const ints low = spread(wide ? (int32_t)FLOAT_INFINITY : 0x7c00), high = wide ? low : low << 16;
    ints found = {0};
    for (unsigned r = 0; r < registers; r++)
        for (unsigned v = 0; v < VECTORS; v++) {
            ints bits = ints_at(c[r] + v * WIDTH);
            found |= ((bits & low) == low) | ((bits & high) == high);
        }
    return !any(found);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

INLINE void compare_exponents(pairs largest[2], const struct planes *m, unsigned p, unsigned v, int32_t t)
{
    pairs x = (pairs)quad_lane(ints_at(m->a_exponent[p] + v * WIDTH), t);
    for (unsigned e = 0; e < 2; e++)
        largest[e] = larger(largest[e], x + (pairs)repeated(m->b_exponent[p][e][t]));
}

/* The largest exponents of the products of planes from `first` on, for both e. */
INLINE void largest_exponents(pairs largest[2], const struct planes *m, unsigned first, unsigned v)
{
    largest[0] = largest[1] = (pairs){0} + (int16_t)NEVER;
    for (unsigned p = first; p < first + m->step; p++) {
        compare_exponents(largest, m, p, v, 0);
        compare_exponents(largest, m, p, v, 1);
        compare_exponents(largest, m, p, v, 2);
        compare_exponents(largest, m, p, v, 3);
    }
}

INLINE void add_products(ints sum[2], const floats power[2], const struct planes *m, unsigned p, unsigned v,
                         unsigned half, int32_t t)
{
    floats x = (floats)quad_lane(ints_at(m->a[p][half] + v * WIDTH), t);
    for (unsigned e = 0; e < 2; e++)
        sum[e] += __builtin_convertvector(x * (floats)repeated(m->b[p][e][t]) * power[e], ints);
}

/* The sum with C: its sign, -1 or 0, and its magnitude of 32 bits, in units of 2^(largest - F). */
struct total {
    ints sign, magnitude, largest;
};

INLINE struct total total_of(ints sum, ints c, ints largest)
{
    typedef uint32_t words __attribute__((vector_size(4 * WIDTH)));
    ints wrapped = (ints)((words)sum + (words)c), over = ((sum ^ wrapped) & (c ^ wrapped)) >> 31;
    ints sign = (wrapped >> 31) ^ over;
    return (struct total){sign, (ints)(((words)wrapped ^ (words)sign) - (words)sign), largest};
}

/* Completes `largest` with C's exponent and returns the power of two that puts it at 2^F. It ends at 2^127: with a
 * smaller exponent all products are 0. */
INLINE floats power_of(ints *largest, struct addend c, int32_t fraction)
{
    *largest = most(most(*largest, c.exponent), spread(EXPONENT_OF_ZERO));
    return (floats)((least(fraction - *largest, spread(127)) + 127) << 23);
}

/* The sums of rows g (half 0) or g + 8 and both e. */
INLINE void sum_terms(struct total total[2], const pairs largest[2], const struct addend c[2], const struct planes *m,
                      unsigned first, unsigned v, unsigned half, int32_t fraction, int32_t spare)
{
    floats power[2];
    ints sum[2] = {{0}, {0}};
    for (unsigned e = 0; e < 2; e++) {
        ints both = (ints)largest[e];
        total[e].largest = half ? both >> 16 : both << 16 >> 16;
        power[e] = power_of(&total[e].largest, c[e], fraction);
    }
    for (unsigned p = first; p < first + m->step; p++) {
        add_products(sum, power, m, p, v, half, 0);
        add_products(sum, power, m, p, v, half, 1);
        add_products(sum, power, m, p, v, half, 2);
        add_products(sum, power, m, p, v, half, 3);
    }
    for (unsigned e = 0; e < 2; e++) {
        ints cut = right(c[e].magnitude << spare, total[e].largest - c[e].exponent);
        total[e] = total_of(sum[e], (cut ^ c[e].sign) - c[e].sign, total[e].largest);
    }
}

/* A magnitude of 32 bits cut to the 24 of a float; `inexact`: lanes that lost something. */
INLINE floats cut_magnitude(ints x, ints *inexact)
{
#ifdef EXEC_V4
    __m512 f = _mm512_cvt_roundepu32_ps((__m512i)x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    *inexact = (ints)_mm512_cvttps_epu32(f) != x;
    return (floats)f;
#else
    floats high = __builtin_convertvector(x >> 16 & 0xffff, floats) * 0x1p16f;
    floats low = __builtin_convertvector(x & 0xffff, floats), rounded = high + low, lost = low - (rounded - high);
    *inexact = lost != 0;
    return (floats)((ints)rounded + (ints)(lost < 0));
#endif
}

/* The sign, and x * 2^exponent in two steps, since the power of two may be no normal float. */
INLINE ints signed_float(floats x, ints exponent, ints sign)
{
    ints half = exponent >> 1;
    floats scaled = x * (floats)((half + 127) << 23) * (floats)((exponent - half + 127) << 23);
    return (ints)scaled | (sign & INT32_MIN);
}

/* FP32, cut toward zero; of a denormal the bits below 2^-149 are taken off first. */
INLINE ints cut_total(struct total t, int32_t fraction)
{
    const ints none = {0};
    ints exponent = t.largest - fraction, below = most(-149 - exponent, none), inexact;
    typedef uint32_t words __attribute__((vector_size(4 * WIDTH)));
    ints magnitude = (ints)((words)t.magnitude >> (words)below);
    return signed_float(cut_magnitude(magnitude, &inexact), exponent + below, t.sign);
}

/* FP32 rounded to odd, for a rounding to FP16. */
INLINE ints odd_total(struct total t, int32_t fraction)
{
    ints inexact, cut = (ints)cut_magnitude(t.magnitude, &inexact);
    return signed_float((floats)(cut | (inexact & 1)), t.largest - fraction, t.sign);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

INLINE void add_floats(const struct planes *m, const uint32_t *const *c, uint32_t (*d)[EXEC_LANES], unsigned first,
                       int32_t fraction)
{
    for (unsigned v = 0; v < VECTORS; v++) {
        pairs largest[2];
        largest_exponents(largest, m, first, v);
        for (unsigned half = 0; half < HALVES; half++) {
            struct addend addend[2];
            struct total total[2];
            for (unsigned e = 0; e < 2; e++)
                addend[e] = addend_of(ints_at(c[2 * half + e] + v * WIDTH), 8, 23);
            sum_terms(total, largest, addend, m, first, v, half, fraction, fraction - 23);
            for (unsigned e = 0; e < 2; e++) {
                ints result = cut_total(total[e], fraction);
                memcpy(d[2 * half + e] + v * WIDTH, &result, sizeof result);
            }
        }
    }
}

/* Both halves of a register's words are rounded to odd first, and then to FP16. */
INLINE void add_halves(const struct planes *m, const uint32_t *const *c, uint32_t (*d)[EXEC_LANES], unsigned first,
                       int32_t fraction)
{
    uint32_t odd[HALVES][2][EXEC_LANES];
    for (unsigned v = 0; v < VECTORS; v++) {
        pairs largest[2];
        largest_exponents(largest, m, first, v);
        for (unsigned half = 0; half < HALVES; half++) {
            struct addend addend[2];
            struct total total[2];
            for (unsigned e = 0; e < 2; e++)
                addend[e] = addend_of(ints_at(c[half] + v * WIDTH) >> (int32_t)(16 * e) & 0xffff, 5, 10);
            sum_terms(total, largest, addend, m, first, v, half, fraction, fraction - 10);
            for (unsigned e = 0; e < 2; e++) {
                ints result = odd_total(total[e], fraction);
                memcpy(odd[half][e] + v * WIDTH, &result, sizeof result);
            }
        }
    }
    for (unsigned half = 0; half < HALVES; half++) {
        uint32_t low[EXEC_LANES], high[EXEC_LANES];
        half_row_from_float(low, odd[half][0]);
        half_row_from_float(high, odd[half][1]);
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            d[half][lane] = low[lane] | high[lane] << 16;
    }
}

/* The result of a sum is C of the next one. */
bool MULTIPLY(const struct hmma_job *job)
{
    struct planes m;
    const uint32_t *c[HMMA_RESULTS];
    unsigned registers = job->wide ? HMMA_RESULTS : HMMA_RESULTS / 2;
    if (!read_operands(&m, job))
        return false;
    memcpy(c, job->c, sizeof c);
    for (unsigned first = 0; first < m.count; first += m.step) {
        if (!finite(c, registers, job->wide))
            return false;
        if (job->wide)
            add_floats(&m, c, job->d, first, (int32_t)job->fraction);
        else
            add_halves(&m, c, job->d, first, (int32_t)job->fraction);
        for (unsigned r = 0; r < registers; r++)
            c[r] = job->d[r];
    }
    return true;
}
