/* Streams of XORWOW. A step of its register is linear over bits, so that powers of one matrix skip many steps. */
#include <string.h>

#include "rand/kernels/rand.h"
#include "rand/kernels/recurrence.h"
#include "rand/streams.h"

enum { WORDS = 5, BITS = 32 * WORDS, APART = 67 }; /* streams are 2 to the power of 67 numbers apart */

/* A linear map: the images of the register's bits. */
struct map {
    uint32_t image[BITS][WORDS];
};

static void apply(const struct map *map, const uint32_t from[WORDS], uint32_t to[WORDS])
{
    uint32_t sum[WORDS] = {0};
    for (unsigned bit = 0; bit < BITS; bit++) {
        uint32_t mask = -(from[bit / 32] >> bit % 32 & 1); /* without a branch that no processor could predict */
        for (int w = 0; w < WORDS; w++)
            sum[w] ^= map->image[bit][w] & mask;
    }
    memcpy(to, sum, sizeof sum);
}

/* One step. */
static void begin(struct map *map)
{
    for (unsigned bit = 0; bit < BITS; bit++) {
        struct rand_xorwow s = {{0}, 0};
        s.v[bit / 32] = 1u << bit % 32;
        rand_xorwow_next(&s);
        memcpy(map->image[bit], s.v, sizeof s.v);
    }
}

/* Makes a map do its steps twice. */
static void twice(struct map *map)
{
    struct map old = *map;
    for (unsigned bit = 0; bit < BITS; bit++)
        apply(&old, old.image[bit], map->image[bit]);
}

/* The state that curand_init documents: both halves of the seed, mixed with the published start. */
static struct rand_xorwow seeded(uint64_t seed)
{
    uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    return (struct rand_xorwow){
        .v = {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
        .d = 6615241u + high + low,
    };
}

static void write(uint32_t *words, unsigned streams, unsigned s, const struct rand_xorwow *state)
{
    for (unsigned w = 0; w < WORDS; w++)
        words[w * streams + s] = state->v[w];
    words[WORDS * streams + s] = state->d;
}

static struct rand_xorwow read(const uint32_t *words, unsigned streams, unsigned s)
{
    struct rand_xorwow state = {.d = words[WORDS * streams + s]};
    for (unsigned w = 0; w < WORDS; w++)
        state.v[w] = words[w * streams + s];
    return state;
}

/* Takes a number from the streams that lie before the offset's one. */
static void step_some(uint32_t *words, unsigned streams, uint64_t offset)
{
    for (unsigned s = 0; s < offset % streams; s++) {
        struct rand_xorwow state = read(words, streams, s);
        rand_xorwow_next(&state);
        write(words, streams, s, &state);
    }
}

void xorwow_streams(uint32_t *words, unsigned streams, uint64_t seed, uint64_t offset)
{
    uint64_t steps = offset / streams;
    struct rand_xorwow state = seeded(seed);
    struct map map;
    begin(&map);
    for (unsigned power = 0; power < APART; power++) {
        if (power < 64 && steps >> power & 1)
            apply(&map, state.v, state.v);
        twice(&map);
    }
    state.d += RAND_XORWOW_STEP * (uint32_t)steps;
    for (unsigned s = 0; s < streams; s++) {
        write(words, streams, s, &state);
        apply(&map, state.v, state.v); /* the counter is the same after 2^67 steps */
    }
    step_some(words, streams, offset);
}

void xorwow_seeded_streams(uint32_t *words, unsigned streams, uint64_t seed, uint64_t offset)
{
    uint64_t steps = offset / streams;
    struct map map;
    for (unsigned s = 0; s < streams; s++) {
        struct rand_xorwow state = seeded(seed + s * 0x9e3779b97f4a7c15u);
        state.d += RAND_XORWOW_STEP * (uint32_t)steps;
        write(words, streams, s, &state);
    }
    begin(&map);
    for (; steps > 0; steps /= 2) {
        for (unsigned s = 0; s < streams && steps % 2 != 0; s++) {
            struct rand_xorwow state = read(words, streams, s);
            apply(&map, state.v, state.v);
            write(words, streams, s, &state);
        }
        twice(&map);
    }
    step_some(words, streams, offset);
}
