/* The language of the random programs: what both a C compiler for the host and nvcc understand, with operations whose
 * result is defined for all operands. A program is a sequence of steps that each thread takes on its own state, and of
 * exchanges between the threads of a CTA. On the device a thread is a thread; on the host each step loops over them. */
#ifndef SUBCORE_TESTS_RANDOM_DIALECT_H
#define SUBCORE_TESTS_RANDOM_DIALECT_H

#include <stdint.h>

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

enum { THREADS = 64, CTAS = 2, INPUT_WORDS = 1024, TABLE_WORDS = 64, LOCAL_WORDS = 16, OUTPUT_WORDS = 30 };

struct state {
    u32 u[8];
    u64 w[4];
    f32 f[6];
    f64 d[4];
};

#ifdef __CUDACC__
#include "device.h"
#else
#include "host.h"
#endif

/* ---- loads of every width ---------------------------------------------------------------------------------------- */

STEP u32 byte_at(const u32 *in, u32 i) { return ((const uint8_t *)in)[i % (4 * INPUT_WORDS)]; }
STEP u32 signed_byte_at(const u32 *in, u32 i) { return (u32)((const int8_t *)in)[i % (4 * INPUT_WORDS)]; }
STEP u32 half_at(const u32 *in, u32 i) { return ((const uint16_t *)in)[i % (2 * INPUT_WORDS)]; }
STEP u32 signed_half_at(const u32 *in, u32 i) { return (u32)((const int16_t *)in)[i % (2 * INPUT_WORDS)]; }
STEP u64 long_at(const u32 *in, u32 i) { return ((const u64 *)in)[i % (INPUT_WORDS / 2)]; }

struct __attribute__((aligned(16))) quad {
    u32 x, y, z, w;
};
STEP u64 pair_at(const u32 *in, u32 i)
{
    struct quad q = ((const struct quad *)in)[i % (INPUT_WORDS / 4)];
    return ((u64)(q.x ^ q.y) << 32 | q.z) + q.w;
}

/* ---- bits of numbers: all NaNs look alike ------------------------------------------------------------------------ */

STEP u32 bits_of(f32 x) { return x != x ? 0x7fc00000u : float_bits(x); }
STEP u64 bits_of_double(f64 x) { return x != x ? 0x7ff8000000000000ull : double_bits(x); }

/* Which sign a NaN has is nobody's business. */
STEP f32 with_sign(f32 a, f32 b) { return copysignf(a, b != b ? 1.0f : b); }
STEP f64 with_sign_double(f64 a, f64 b) { return copysign(a, b != b ? 1.0 : b); }

/* Magnitudes at which arithmetic stays interesting. */
STEP f32 tame(f32 x)
{
    u32 bits = bits_of(x);
    return bits_float((bits & 0x807fffffu) | (0x7cu + (bits >> 24 & 7u)) << 23);
}

STEP f64 tame_double(f64 x)
{
    u64 bits = bits_of_double(x);
    return bits_double((bits & 0x800fffffffffffffull) | (0x3fcull + (bits >> 53 & 7u)) << 52);
}

/* ---- beginning and end of a thread ------------------------------------------------------------------------------- */

STEP void state_begin(struct state *s, const u32 *in, u32 t)
{
    for (u32 i = 0; i < 8; i++)
        s->u[i] = in[(t * 8 + i) % INPUT_WORDS];
    for (u32 i = 0; i < 4; i++)
        s->w[i] = (u64)in[(t * 4 + i + 300) % INPUT_WORDS] << 32 | in[(t * 4 + i + 500) % INPUT_WORDS];
    for (u32 i = 0; i < 6; i++)
        s->f[i] = bits_float(in[(t * 6 + i + 100) % INPUT_WORDS]);
    for (u32 i = 0; i < 4; i++)
        s->d[i] = bits_double((u64)in[(t * 4 + i + 200) % INPUT_WORDS] << 32 | in[(t * 4 + i + 700) % INPUT_WORDS]);
}

STEP void state_end(const struct state *s, u32 *out, u32 t)
{
    u32 *o = out + t * OUTPUT_WORDS;
    for (u32 i = 0; i < 8; i++)
        o[i] = s->u[i];
    for (u32 i = 0; i < 4; i++) {
        o[8 + 2 * i] = (u32)s->w[i];
        o[9 + 2 * i] = (u32)(s->w[i] >> 32);
    }
    for (u32 i = 0; i < 6; i++)
        o[16 + i] = bits_of(s->f[i]);
    for (u32 i = 0; i < 4; i++) {
        o[22 + 2 * i] = (u32)bits_of_double(s->d[i]);
        o[23 + 2 * i] = (u32)(bits_of_double(s->d[i]) >> 32);
    }
}

#endif
