/* The host's side: runs each program and writes what it read and left.
 *
 * Output: for each program its number, the input words, the words of the result, all 32 bits in the machine's order. */
#ifndef SUBCORE_TESTS_RANDOM_MAIN_H
#define SUBCORE_TESTS_RANDOM_MAIN_H

#include <stdio.h>

#include "dialect.h"

struct program {
    u32 number;
    void (*run)(const u32 *in, u32 *out);
};

static u64 random_next(u64 *state)
{
    *state += 0x9e3779b97f4a7c15u;
    u64 x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* One word in four is a number at which operations change their behaviour. */
static void fill(u32 *in, u64 seed)
{
    static const u32 edges[] = {0,          1,          2,          31,         32,         0x7fffffff, 0x80000000,
                                0xffffffff, 0x00000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff,
                                0x7f800000, 0xff800000, 0x7fc00000, 0x4f000000, 0xcf000000, 0x5f000000, 0x3ff00000,
                                0x7ff00000, 0xfff00000, 0x00100000, 0x47efffff, 0x38100000, 0x43e00000, 0xc3e00000};
    for (u32 i = 0; i < INPUT_WORDS; i++) {
        u64 x = random_next(&seed);
        in[i] = x >> 32 & 3 ? (u32)x : edges[(u32)x % (sizeof edges / sizeof *edges)];
    }
}

static int write_expected(const struct program *programs, size_t count)
{
    static u32 in[INPUT_WORDS], out[CTAS * THREADS * OUTPUT_WORDS];
    for (size_t i = 0; i < count; i++) {
        fill(in, programs[i].number);
        programs[i].run(in, out);
        fwrite(&programs[i].number, sizeof programs[i].number, 1, stdout);
        fwrite(in, sizeof in, 1, stdout);
        fwrite(out, sizeof out, 1, stdout);
    }
    return fflush(stdout) ? 1 : 0;
}

#endif
