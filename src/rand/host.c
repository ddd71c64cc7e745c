/* Numbers on the host: the same sequences and distributions as in the kernels, except for the rounding of sines,
 * cosines, logarithms and exponentials. Products and sums round separately, as in NVIDIA's host generators. */
#include "rand/host.h"

#include <math.h>

#include "rand/kernels/rand.h"
#include "rand/kernels/recurrence.h"

#define TURN 6.2831855f

/* The place in a sequence, and the numbers that are made from there on. */
struct source {
    int type;
    struct rand_xorwow xorwow;
    struct rand_mrg mrg;
    uint64_t seed, at; /* of Philox: the next word */
    enum rand_kind kind;
    void *result;
    double mean, deviation;
    const struct rand_table *table;
};

/* ---- bits and uniform numbers ------------------------------------------------------------------------------------ */

/* Returns word `at` of Philox 4x32-10 (Salmon and others, SC 2011). */
static uint32_t philox(uint64_t at, uint64_t seed)
{
    uint32_t c[4] = {(uint32_t)(at / 4), (uint32_t)(at / 4 >> 32), 0, 0},
             key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)0xD2511F53u * c[0], second = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t one = (uint32_t)(second >> 32) ^ c[1] ^ key[0], three = (uint32_t)(first >> 32) ^ c[3] ^ key[1];
        c[0] = one, c[1] = (uint32_t)second, c[2] = three, c[3] = (uint32_t)first;
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return c[at % 4];
}

static uint32_t bits(struct source *s)
{
    switch (s->type) {
    case RAND_PHILOX: return philox(s->at++, s->seed);
    case RAND_MRG32K3A: return (uint32_t)(rand_mrg_next(&s->mrg) * RAND_MRG_TO_BITS);
    default: return rand_xorwow_next(&s->xorwow);
    }
}

static double uniform(struct source *s)
{
    if (s->type == RAND_MRG32K3A)
        return rand_mrg_next(&s->mrg) * RAND_MRG_TO_ONE;
    uint64_t first = bits(s), second = bits(s);
    if (s->type == RAND_PHILOX)
        return (double)((first << 32 | second) >> 11) * 0x1p-53 + 0x1p-54;
    return (double)(first ^ second << 21) * 0x1p-53 + 0x1p-54;
}

static float narrow_uniform(struct source *s)
{
    return s->type == RAND_MRG32K3A ? (float)uniform(s) : fmaf((float)bits(s), 0x1p-32f, 0x1p-33f);
}

/* ---- normal and discrete numbers --------------------------------------------------------------------------------- */

/* Makes two normal numbers (Box and Muller). Philox gives the cosine first. */
static void normal(struct source *s, double pair[2])
{
    const double pi = 3.14159265358979323846;
    double size = sqrt(-2 * log(uniform(s))), angle = 2 * pi * uniform(s);
    pair[s->type == RAND_PHILOX] = sin(angle) * size;
    pair[s->type != RAND_PHILOX] = cos(angle) * size;
}

static void narrow_normal(struct source *s, float pair[2])
{
    float size = sqrtf(-2 * logf(narrow_uniform(s))), angle;
    if (s->type == RAND_XORWOW)
        angle = (float)bits(s) * (0x1p-32f * TURN) + 0x1p-33f * TURN;
    else
        angle = narrow_uniform(s) * TURN;
    pair[s->type == RAND_PHILOX] = sinf(angle) * size;
    pair[s->type != RAND_PHILOX] = cosf(angle) * size;
}

/* Returns the first number whose cumulative probability is at least u. */
static uint32_t discrete(const struct rand_table *t, double u)
{
    unsigned low = 0, high = t->entries - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (t->host[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return t->least + low;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void write_pair(struct source *s, size_t i)
{
    bool logarithmic = s->kind >= RAND_LOGNORMAL_F32;
    double pair[2];
    float narrow[2];
    if (s->kind == RAND_NORMAL_F32 || s->kind == RAND_LOGNORMAL_F32) {
        narrow_normal(s, narrow);
        for (int k = 0; k < 2; k++) {
            float x = (float)s->mean + (float)s->deviation * narrow[k];
            ((float *)s->result)[2 * i + (size_t)k] = logarithmic ? expf(x) : x;
        }
        return;
    }
    normal(s, pair);
    for (int k = 0; k < 2; k++) {
        double x = s->mean + s->deviation * pair[k];
        ((double *)s->result)[2 * i + (size_t)k] = logarithmic ? exp(x) : x;
    }
}

/* Makes number i, or pair i. */
static void write(struct source *s, size_t i)
{
    switch (s->kind) {
    case RAND_BITS: ((uint32_t *)s->result)[i] = bits(s); break;
    case RAND_UNIFORM_F32: ((float *)s->result)[i] = narrow_uniform(s); break;
    case RAND_UNIFORM_F64: ((double *)s->result)[i] = uniform(s); break;
    case RAND_POISSON: ((uint32_t *)s->result)[i] = discrete(s->table, uniform(s)); break;
    default: write_pair(s, i);
    }
}

/* Loads or stores a stream's state, whose words lie in separate rows. */
static void move(uint32_t *words, unsigned streams, unsigned s, struct source *source, bool load)
{
    for (unsigned w = 0; w < RAND_STATE_WORDS; w++) {
        uint32_t *far = &words[w * streams + s], *near;
        if (source->type == RAND_MRG32K3A)
            near = w < 3 ? &source->mrg.a[w] : &source->mrg.b[w - 3];
        else
            near = w < 5 ? &source->xorwow.v[w] : &source->xorwow.d;
        if (load)
            *near = *far;
        else
            *far = *near;
    }
}

void host_numbers(struct rand *rand, enum rand_kind kind, void *result, size_t count, double mean, double deviation)
{
    struct rand_streams *r = &rand->streams;
    struct source source = {.type = rand->type,
                            .seed = rand->seed,
                            .at = rand->offset + rand->used,
                            .kind = kind,
                            .result = result,
                            .mean = mean,
                            .deviation = deviation,
                            .table = &rand->table};
    size_t groups = rand_in_pairs(kind) ? count / 2 : count;
    if (rand->type == RAND_PHILOX) {
        for (size_t i = 0; i < groups; i++)
            write(&source, i);
        return;
    }
    for (unsigned s = 0; s < r->count; s++) {
        size_t i = s >= r->first ? s - r->first : s + r->count - r->first;
        if (i >= groups)
            continue;
        move(r->host, r->count, s, &source, true);
        for (; i < groups; i += r->count)
            write(&source, i);
        move(r->host, r->count, s, &source, false);
    }
}
