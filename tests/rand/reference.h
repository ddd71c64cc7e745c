/* XORWOW and MRG32k3a as they are published, without the code under test. Many steps are skipped by polynomials: if x^n
 * is a sum of c(k) x^k modulo the characteristic polynomial, then state n is the same sum of the states k (Fiduccia, An
 * Efficient Formula for Linear Recurrences, SIAM Journal on Computing 14, 1985). */
#ifndef SUBCORE_TESTS_RAND_REFERENCE_H
#define SUBCORE_TESTS_RAND_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- XORWOW ------------------------------------------------------------------------------------------------------ */

struct xorwow {
    uint32_t x, y, z, w, v, d;
};

static inline uint32_t xorwow_step(struct xorwow *s)
{
    uint32_t t = s->x ^ (s->x >> 2);
    s->x = s->y, s->y = s->z, s->z = s->w, s->w = s->v;
    s->v = (s->v ^ (s->v << 4)) ^ (t ^ (t << 1));
    return (s->d += 362437) + s->v;
}

enum { DEGREE = 160 };

/* A polynomial over bits, with a degree up to 2 DEGREE. Coefficient k is bit k % 64 of word k / 64. */
struct polynomial {
    uint64_t c[2 * DEGREE / 64 + 2];
};

static inline bool coefficient(const struct polynomial *p, int k) { return p->c[k / 64] >> k % 64 & 1; }

static inline void set_coefficient(struct polynomial *p, int k) { p->c[k / 64] |= 1ull << k % 64; }

/* Adds `other` times x^shift. Both fit. */
static inline void add_shifted(struct polynomial *p, const struct polynomial *other, int shift)
{
    for (int w = 0; w <= DEGREE / 64; w++) {
        p->c[w + shift / 64] ^= other->c[w] << shift % 64;
        if (shift % 64 != 0)
            p->c[w + shift / 64 + 1] ^= other->c[w] >> (64 - shift % 64);
    }
}

/* Finds the characteristic polynomial from twice as many bits of the sequence (Berlekamp and Massey). */
static inline struct polynomial xorwow_polynomial(void)
{
    struct xorwow s = {123456789, 362436069, 521288629, 88675123, 5783321, 0};
    struct polynomial c = {{1}}, b = c, reversed = {{0}};
    bool bits[2 * DEGREE];
    int length = 0, since = 1;
    for (int n = 0; n < 2 * DEGREE; n++, since++) {
        bits[n] = s.v & 1;
        xorwow_step(&s);
        bool differs = bits[n];
        for (int i = 1; i <= length; i++)
            differs ^= coefficient(&c, i) & bits[n - i];
        if (!differs)
            continue;
        struct polynomial old = c;
        add_shifted(&c, &b, since);
        if (2 * length <= n) {
            length = n + 1 - length;
            b = old;
            since = 0;
        }
    }
    for (int i = 0; i <= DEGREE; i++)
        if (coefficient(&c, i))
            set_coefficient(&reversed, DEGREE - i);
    return reversed;
}

/* Squares a polynomial, multiplies it by x if so, and reduces it. */
static inline void square(struct polynomial *p, bool multiplies, const struct polynomial *modulus)
{
    struct polynomial old = *p;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < DEGREE; i++)
        if (coefficient(&old, i))
            set_coefficient(p, 2 * i + multiplies);
    for (int i = 2 * DEGREE; i >= DEGREE; i--)
        if (coefficient(p, i))
            add_shifted(p, modulus, i - DEGREE);
}

/* Skips high * 2^64 + low steps. */
static inline void xorwow_skip(struct xorwow *s, const struct polynomial *modulus, uint64_t high, uint64_t low)
{
    struct polynomial p = {{1}};
    for (int bit = 127; bit >= 0; bit--)
        square(&p, (bit >= 64 ? high >> (bit - 64) : low >> bit) & 1, modulus);
    struct xorwow state = *s, sum = {.d = s->d + 362437u * (uint32_t)low};
    for (int k = 0; k < DEGREE; k++) {
        if (coefficient(&p, k)) {
            sum.x ^= state.x, sum.y ^= state.y, sum.z ^= state.z;
            sum.w ^= state.w, sum.v ^= state.v;
        }
        xorwow_step(&state);
    }
    *s = sum;
}

/* The start that the documentation gives for a seed. */
static inline struct xorwow xorwow_seeded(uint64_t seed)
{
    uint32_t a = ((uint32_t)seed ^ 0xaad26b49) * 1099087573u, b = ((uint32_t)(seed >> 32) ^ 0xf7dcefdd) * 2591861531u;
    return (struct xorwow){123456789 + a, 362436069 ^ a, 521288629 + b, 88675123 ^ b, 5783321 + a, 6615241 + a + b};
}

/* ---- MRG32k3a ---------------------------------------------------------------------------------------------------- */

struct mrg {
    int64_t one[3], two[3];
};

static const int64_t mrg_m[2] = {4294967087, 4294944443};

/* Returns a number from 1 to the first modulus. */
static inline int64_t mrg_step(struct mrg *s)
{
    int64_t p = (1403580 * s->one[1] - 810728 * s->one[0]) % mrg_m[0];
    int64_t q = (527612 * s->two[2] - 1370589 * s->two[0]) % mrg_m[1];
    p += p < 0 ? mrg_m[0] : 0, q += q < 0 ? mrg_m[1] : 0;
    s->one[0] = s->one[1], s->one[1] = s->one[2], s->one[2] = p;
    s->two[0] = s->two[1], s->two[1] = s->two[2], s->two[2] = q;
    return p > q ? p - q : p - q + mrg_m[0];
}

/* Skips steps of the recurrence u(n + 3) = f[0] u(n) + f[1] u(n + 1) + f[2] u(n + 2) modulo m. */
static inline void mrg_skip_one(int64_t u[3], const int64_t f[3], int64_t m, uint64_t high, uint64_t low)
{
    int64_t p[3] = {1, 0, 0}, longer[5] = {u[0], u[1], u[2]}, result[3];
    for (int bit = 127; bit >= 0; bit--) {
        int64_t square[6] = {0};
        int one = (int)((bit >= 64 ? high >> (bit - 64) : low >> bit) & 1);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                __int128 product = (__int128)p[i] * p[k] + square[i + k + one];
                square[i + k + one] = (int64_t)(product % m);
            }
        for (int i = 5; i >= 3; i--)
            for (int k = 0; k < 3; k++)
                square[i - 3 + k] = (int64_t)((square[i - 3 + k] + (__int128)square[i] * f[k]) % m);
        memcpy(p, square, sizeof p);
    }
    for (int n = 0; n < 2; n++) {
        __int128 sum = 0;
        for (int k = 0; k < 3; k++)
            sum += (__int128)f[k] * longer[n + k];
        longer[n + 3] = (int64_t)(sum % m);
    }
    for (int n = 0; n < 3; n++) {
        __int128 sum = 0;
        for (int k = 0; k < 3; k++)
            sum += (__int128)p[k] * longer[n + k];
        result[n] = (int64_t)(sum % m);
    }
    memcpy(u, result, sizeof result);
}

static inline void mrg_skip(struct mrg *s, uint64_t high, uint64_t low)
{
    const int64_t first[3] = {4294967087 - 810728, 1403580, 0}, second[3] = {4294944443 - 1370589, 0, 527612};
    mrg_skip_one(s->one, first, mrg_m[0], high, low);
    mrg_skip_one(s->two, second, mrg_m[1], high, low);
}

/* The start that the documentation gives for a seed. */
static inline struct mrg mrg_seeded(uint64_t seed)
{
    int64_t a = (int64_t)((uint32_t)seed ^ 0x55555555u), b = (int64_t)((uint32_t)(seed >> 32) ^ 0xaaaaaaaau);
    if (seed == 0)
        a = b = 1;
    int64_t one[2] = {a * 12345 % mrg_m[0], b * 12345 % mrg_m[0]},
            two[2] = {a * 12345 % mrg_m[1], b * 12345 % mrg_m[1]};
    return (struct mrg){{one[0], one[1], one[0]}, {two[1], two[0], two[1]}};
}

#endif
