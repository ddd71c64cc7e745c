/* Streams of MRG32k3a. Each of its recurrences is a matrix, whose powers skip many steps. */
#include <string.h>

#include "rand/kernels/rand.h"
#include "rand/kernels/recurrence.h"
#include "rand/streams.h"

enum { ORDER = 3, APART = 76 }; /* streams are 2 to the power of 76 numbers apart */

struct matrix {
    uint64_t modulus, at[ORDER][ORDER];
};

static const struct matrix steps[2] = {
    {RAND_MRG_M1, {{0, 1, 0}, {0, 0, 1}, {RAND_MRG_M1 - RAND_MRG_A13, RAND_MRG_A12, 0}}},
    {RAND_MRG_M2, {{0, 1, 0}, {0, 0, 1}, {RAND_MRG_M2 - RAND_MRG_A23, 0, RAND_MRG_A21}}},
};

static void apply(const struct matrix *m, uint32_t vector[ORDER])
{
    uint32_t old[ORDER];
    memcpy(old, vector, sizeof old);
    for (int i = 0; i < ORDER; i++) {
        uint64_t sum = 0;
        for (int k = 0; k < ORDER; k++)
            sum = (sum + m->at[i][k] * old[k] % m->modulus) % m->modulus;
        vector[i] = (uint32_t)sum;
    }
}

/* Makes a matrix do its steps twice. */
static void twice(struct matrix *m)
{
    struct matrix old = *m;
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < ORDER; k++)
                sum = (sum + old.at[i][k] * old.at[k][j] % m->modulus) % m->modulus;
            m->at[i][j] = sum;
        }
}

/* Skips `count` steps, and leaves the power that leads to the next stream. */
static void skip(uint32_t vector[ORDER], struct matrix *m, uint64_t count)
{
    for (unsigned power = 0; power < APART; power++) {
        if (power < 64 && count >> power & 1)
            apply(m, vector);
        twice(m);
    }
}

/* The state that curand_init documents: the published start, times halves of the seed unless it is zero. */
static struct rand_mrg seeded(uint64_t seed)
{
    enum { START = 12345 };
    struct rand_mrg s = {{START, START, START}, {START, START, START}};
    uint64_t low = (uint32_t)seed ^ 0x55555555u, high = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < ORDER && seed != 0; i++) {
        s.a[i] = (uint32_t)((i % 2 == 0 ? low : high) * START % RAND_MRG_M1);
        s.b[i] = (uint32_t)((i % 2 == 0 ? high : low) * START % RAND_MRG_M2);
    }
    return s;
}

void mrg_streams(uint32_t *words, unsigned streams, uint64_t seed, uint64_t offset)
{
    struct rand_mrg state = seeded(seed);
    struct matrix a = steps[0], b = steps[1];
    skip(state.a, &a, offset / streams);
    skip(state.b, &b, offset / streams);
    for (unsigned s = 0; s < streams; s++) {
        struct rand_mrg own = state;
        if (s < offset % streams) /* a number further */
            rand_mrg_next(&own);
        for (unsigned w = 0; w < ORDER; w++) {
            words[w * streams + s] = own.a[w];
            words[(ORDER + w) * streams + s] = own.b[w];
        }
        apply(&a, state.a);
        apply(&b, state.b);
    }
}
