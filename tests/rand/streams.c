/* XORWOW and MRG32k3a against their published recurrences: seeds, streams, offsets, orderings, and distributions. */
#include "tests/rand/reference.h"
#include "tests/rand/rig.h"

enum { COUNT = 20000 };

/* A generator, and the place in its sequence that its documentation gives for number n. */
struct form {
    int type, ordering;
    unsigned streams;
};

static const struct form forms[] = {
    {RAND_XORWOW, RAND_IN_ORDER, 4096}, {RAND_XORWOW, RAND_LEGACY, 4096},      {RAND_XORWOW, RAND_BEST, 4096},
    {RAND_MRG32K3A, RAND_LEGACY, 4096}, {RAND_MRG32K3A, RAND_IN_ORDER, 81920}, {RAND_MRG32K3A, RAND_BEST, 81920},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* One of both recurrences. */
struct source {
    bool mrg;
    struct xorwow x;
    struct mrg m;
};

static const struct polynomial *modulus(void)
{
    static struct polynomial found;
    if (found.c[0] == 0)
        found = xorwow_polynomial();
    return &found;
}

/* Goes to element n of a call, which belongs to stream n mod streams and takes `each` numbers there. Streams are 2^67
 * or 2^76 numbers apart. */
static struct source source_at(const struct form *f, uint64_t seed, uint64_t n, unsigned each)
{
    struct source s = {.mrg = f->type == RAND_MRG32K3A};
    uint64_t stream = n % f->streams, within = n / f->streams * each;
    if (s.mrg) {
        s.m = mrg_seeded(seed);
        mrg_skip(&s.m, stream << 12, within);
    } else {
        s.x = xorwow_seeded(seed);
        xorwow_skip(&s.x, modulus(), stream << 3, within);
    }
    return s;
}

static uint32_t bits(struct source *s)
{
    return s->mrg ? (uint32_t)((double)mrg_step(&s->m) * 1.000000048662) : xorwow_step(&s->x);
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* The first numbers of NVIDIA's library for a seed of zero, as a user printed them in NVIDIA's forum ("XORWOW Generator
 * Understanding in CURAND", 2016). */
static void a_seed_of_zero_gives_the_numbers_of_the_original(void **state)
{
    (void)state;
    static const unsigned right[] = {3179217846, 3955638199, 167591721, 4161663997, 3973448494,
                                     1917059131, 2866113984, 472148682, 2019573489, 2204150021};
    unsigned found[10], *device;
    generator_t g = generator_of(RAND_DEFAULT);
    device = room_of(sizeof found);
    GOOD(curandGenerate(g, device, 10));
    fetch(found, device, sizeof found);
    assert_memory_equal(found, right, sizeof right);
    release(device);
    GOOD(curandDestroyGenerator(g));
}

static void check_bits(const struct form *f, uint64_t seed, uint64_t offset, size_t count)
{
    static const size_t places[] = {0, 1, 2, 3, 77, 4095, 4096, 4097, 8191, 8192, 12345, 19999, 81919, 81920, 90000};
    generator_t g = generator_of(f->type);
    unsigned *device = room_of(count * sizeof *device), *found = malloc(count * sizeof *found);
    assert_non_null(found);
    GOOD(curandSetGeneratorOrdering(g, f->ordering));
    GOOD(curandSetPseudoRandomGeneratorSeed(g, seed));
    GOOD(curandSetGeneratorOffset(g, offset));
    GOOD(curandGenerate(g, device, count));
    fetch(found, device, count * sizeof *found);
    for (size_t k = 0; k < sizeof places / sizeof places[0] && places[k] < count; k++) {
        struct source s = source_at(f, seed, offset + places[k], 1);
        if (found[places[k]] != bits(&s))
            fail_msg("type %d, seed %llu: number %zu is wrong", f->type, (unsigned long long)seed, places[k]);
    }
    free(found);
    release(device);
    GOOD(curandDestroyGenerator(g));
}

static void numbers_come_from_the_documented_places_of_the_sequence(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        check_bits(&forms[f], 0, 0, f == 4 ? 100000 : COUNT);
        check_bits(&forms[f], 1234, 0, COUNT);
        check_bits(&forms[f], 0xfedcba9876543210u, 0, 5000);
    }
}

static void an_offset_skips_numbers(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {1, 4095, 4096, 100003, 0x123456789abcdefu, UINT64_MAX - 30000};
    for (size_t f = 0; f < FORMS; f++)
        for (size_t k = 0; k < 6; k++)
            check_bits(&forms[f], 99, offsets[k], 5000);
}

/* ---- calls after each other -------------------------------------------------------------------------------------- */

static void calls_go_on_where_the_one_before_has_ended(void **state)
{
    (void)state;
    static const size_t parts[] = {2, 4094, 6, 10000, 5898};
    char *one = malloc(8 * COUNT), *other = malloc(8 * COUNT);
    assert_true(one != NULL && other != NULL);
    for (size_t f = 0; f < FORMS; f++)
        for (enum rand_kind kind = RAND_BITS; kind <= RAND_POISSON; kind++) {
            generator_t g = generator_of(forms[f].type);
            char *device = room_of(8 * COUNT);
            size_t size = size_of(kind), done = 0;
            GOOD(curandSetGeneratorOrdering(g, forms[f].ordering));
            GOOD(curandSetPseudoRandomGeneratorSeed(g, 5));
            make(g, kind, device, COUNT);
            fetch(one, device, size * COUNT);
            GOOD(curandSetPseudoRandomGeneratorSeed(g, 5));
            for (size_t k = 0; k < 5; done += parts[k], k++)
                make(g, kind, device + done * size, parts[k]);
            assert_int_equal(done, COUNT);
            fetch(other, device, size * COUNT);
            assert_memory_equal(one, other, size * COUNT);
            release(device);
            GOOD(curandDestroyGenerator(g));
        }
    free(one), free(other);
}

/* ---- distributions ----------------------------------------------------------------------------------------------- */

/* Returns a number of (0, 1] and, for FP32, rounds it as the documentation's formulas do. */
static double uniform(struct source *s, bool wide)
{
    if (s->mrg)
        return (double)mrg_step(&s->m) * 2.3283065498378288e-10;
    if (!wide)
        return ((double)xorwow_step(&s->x) + 0.5) * 0x1p-32;
    uint64_t low = xorwow_step(&s->x), high = xorwow_step(&s->x);
    return ((double)(low ^ high << 21) + 0.5) * 0x1p-53;
}

/* Returns the number that belongs to element n, which is one of a pair for normal numbers, and its allowed error. */
static double expected(const struct form *f, enum rand_kind kind, size_t n, double *allowed)
{
    bool pairs = rand_in_pairs(kind), wide = size_of(kind) == 8;
    unsigned each = (pairs ? 2u : 1u) * (wide && f->type == RAND_XORWOW ? 2u : 1u);
    struct source s = source_at(f, 7, pairs ? n / 2 : n, each);
    double u = uniform(&s, wide);
    *allowed = wide ? 0x1p-50 : 0x1p-23;
    if (!pairs)
        return u;
    double angle = 2 * 3.14159265358979323846 * uniform(&s, wide), size = sqrt(-2 * log(u));
    double x = 3 + 0.5 * size * (n % 2 == 0 ? sin(angle) : cos(angle));
    *allowed = (1 + size) * (wide ? 0x1p-48 : 0x1p-19); /* sines are fast ones in FP32 */
    if (kind < RAND_LOGNORMAL_F32)
        return x;
    *allowed *= exp(x) * 2;
    return exp(x);
}

static void distributions_follow_the_documented_formulas(void **state)
{
    (void)state;
    enum { SOME = 9000 };
    void *found = malloc(8 * SOME);
    assert_non_null(found);
    for (size_t f = 0; f < FORMS; f++)
        for (enum rand_kind kind = RAND_UNIFORM_F32; kind <= RAND_LOGNORMAL_F64; kind++) {
            generator_t g = generator_of(forms[f].type);
            void *device = room_of(8 * SOME);
            GOOD(curandSetGeneratorOrdering(g, forms[f].ordering));
            GOOD(curandSetPseudoRandomGeneratorSeed(g, 7));
            make(g, kind, device, SOME);
            fetch(found, device, size_of(kind) * SOME);
            for (size_t n = 0; n < SOME; n += n < 12 ? 1 : 997) {
                double allowed, right = expected(&forms[f], kind, n, &allowed), x = number(found, kind, n);
                if (!(fabs(x - right) <= allowed))
                    fail_msg("type %d, kind %d: number %zu is %.17g instead of %.17g", forms[f].type, (int)kind, n, x,
                             right);
            }
            release(device);
            GOOD(curandDestroyGenerator(g));
        }
    free(found);
}

/* ---- generators on the host -------------------------------------------------------------------------------------- */

static void a_generator_on_the_host_makes_the_same_numbers(void **state)
{
    (void)state;
    static const int types[] = {RAND_XORWOW, RAND_MRG32K3A, RAND_PHILOX};
    void *here = malloc(8 * COUNT), *there = malloc(8 * COUNT);
    assert_true(here != NULL && there != NULL);
    for (int t = 0; t < 3; t++)
        for (enum rand_kind kind = RAND_BITS; kind <= RAND_POISSON; kind++) {
            generator_t g = generator_of(types[t]), host;
            char *device = room_of(8 * COUNT);
            size_t size = size_of(kind);
            bool exact = !rand_in_pairs(kind);
            GOOD(curandCreateGeneratorHost(&host, types[t]));
            GOOD(curandSetPseudoRandomGeneratorSeed(g, 321));
            GOOD(curandSetPseudoRandomGeneratorSeed(host, 321));
            GOOD(curandSetGeneratorOffset(g, 10));
            GOOD(curandSetGeneratorOffset(host, 10));
            make(g, kind, device, COUNT);
            make(host, kind, here, 7000);
            make(host, kind, (char *)here + 7000 * size, COUNT - 7000);
            fetch(there, device, size * COUNT);
            for (size_t i = 0; i < COUNT; i++) {
                double a = number(here, kind, i), b = number(there, kind, i);
                assert_true(exact ? a == b : fabs(a - b) <= (size == 8 ? 1e-12 : 1e-4) * (1 + fabs(b)));
            }
            release(device);
            GOOD(curandDestroyGenerator(g));
            GOOD(curandDestroyGenerator(host));
        }
    free(here), free(there);
}

/* ---- seeded streams ---------------------------------------------------------------------------------------------- */

static void seeded_streams_follow_the_recurrence(void **state)
{
    (void)state;
    enum { STREAMS = 4096, LONG = 8 * STREAMS };
    unsigned *found = malloc(LONG * sizeof *found), later;
    generator_t g = generator_of(RAND_XORWOW);
    unsigned *device = room_of(LONG * sizeof *device);
    assert_non_null(found);
    GOOD(curandSetGeneratorOrdering(g, RAND_SEEDED));
    GOOD(curandSetPseudoRandomGeneratorSeed(g, 11));
    GOOD(curandGenerate(g, device, LONG));
    fetch(found, device, LONG * sizeof *found);
    struct xorwow first = xorwow_seeded(11);
    for (int k = 0; k < 8; k++) {
        assert_int_equal(found[k * STREAMS], xorwow_step(&first));
        for (int s = 1; s < STREAMS; s++)
            assert_true(found[k * STREAMS + s] != found[k * STREAMS + s - 1]);
    }
    GOOD(curandSetGeneratorOffset(g, 5 * STREAMS + 7));
    GOOD(curandGenerate(g, device, 1));
    fetch(&later, device, sizeof later);
    assert_int_equal(later, found[5 * STREAMS + 7]);
    free(found);
    release(device);
    GOOD(curandDestroyGenerator(g));
}

UNIT_TESTS(UNIT(a_seed_of_zero_gives_the_numbers_of_the_original),
           UNIT(numbers_come_from_the_documented_places_of_the_sequence), UNIT(an_offset_skips_numbers),
           UNIT(calls_go_on_where_the_one_before_has_ended), UNIT(distributions_follow_the_documented_formulas),
           UNIT(a_generator_on_the_host_makes_the_same_numbers), UNIT(seeded_streams_follow_the_recurrence))
