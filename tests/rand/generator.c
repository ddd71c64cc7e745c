/* Random numbers: published words of Philox, sequences that calls share, distributions, and wrong arguments. */
#include "tests/rand/rig.h"

enum { COUNT = 40000 };

static generator_t generator(void) { return generator_of(RAND_PHILOX); }

static void *room(void) { return room_of(COUNT * 8); }

/* The test vector of Philox's authors for a counter and a key of zeros. */
static void a_seed_of_zero_begins_with_the_published_words(void **state)
{
    (void)state;
    generator_t g = generator();
    unsigned *device = room(), found[4];
    GOOD(curandSetPseudoRandomGeneratorSeed(g, 0));
    GOOD(curandGenerate(g, device, 4));
    fetch(found, device, sizeof found);
    assert_true(found[0] == 0x6627e8d5 && found[1] == 0xe169c58d && found[2] == 0xbc57ac4c && found[3] == 0x9b00dbd8);
    release(device);
    GOOD(curandDestroyGenerator(g));
}

static void calls_go_on_where_the_one_before_has_ended(void **state)
{
    (void)state;
    generator_t g = generator();
    unsigned *device = room(), *one = malloc(4 * COUNT), *parts = malloc(4 * COUNT), other;
    assert_true(one != NULL && parts != NULL);
    GOOD(curandSetPseudoRandomGeneratorSeed(g, 1234567890123ull));
    GOOD(curandGenerate(g, device, COUNT));
    fetch(one, device, 4 * COUNT);
    GOOD(curandSetPseudoRandomGeneratorSeed(g, 1234567890123ull));
    GOOD(curandGenerate(g, device, 1001));
    GOOD(curandGenerate(g, device + 1001, COUNT - 1001));
    fetch(parts, device, 4 * COUNT);
    assert_memory_equal(one, parts, 4 * COUNT);
    GOOD(curandSetGeneratorOffset(g, 777));
    GOOD(curandGenerate(g, device, 1));
    fetch(&other, device, 4);
    assert_true(other == one[777]);
    GOOD(curandSetPseudoRandomGeneratorSeed(g, 1234567890124ull));
    GOOD(curandGenerate(g, device, 1));
    fetch(&other, device, 4);
    assert_true(other != one[777]);
    free(one), free(parts);
    release(device);
    GOOD(curandDestroyGenerator(g));
}

/* Mean, variance, and the moment of order four beside the variance's square. */
struct moments {
    double mean, variance, fourth, least, most;
};

static struct moments moments_of(const void *device, bool wide)
{
    double *x = malloc(COUNT * sizeof *x);
    float *narrow = malloc(COUNT * sizeof *narrow);
    assert_true(x != NULL && narrow != NULL);
    fetch(wide ? (void *)x : narrow, device, COUNT * (wide ? sizeof *x : sizeof *narrow));
    struct moments m = {.least = HUGE_VAL, .most = -HUGE_VAL};
    for (int i = 0; i < COUNT; i++) {
        x[i] = wide ? x[i] : (double)narrow[i];
        m.mean += x[i] / COUNT;
        m.least = fmin(m.least, x[i]);
        m.most = fmax(m.most, x[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        m.variance += pow(x[i] - m.mean, 2) / COUNT;
        m.fourth += pow(x[i] - m.mean, 4) / COUNT;
    }
    m.fourth /= m.variance * m.variance;
    free(x), free(narrow);
    return m;
}

static void check_moments(int type)
{
    generator_t g = generator_of(type);
    void *device = room();
    for (int wide = 0; wide < 2; wide++) {
        GOOD(curandSetPseudoRandomGeneratorSeed(g, 42));
        GOOD(wide ? curandGenerateUniformDouble(g, device, COUNT) : curandGenerateUniform(g, device, COUNT));
        struct moments m = moments_of(device, wide);
        assert_true(m.least > 0 && m.most <= 1 && m.least < 1e-3 && m.most > 0.999);
        assert_true(fabs(m.mean - 0.5) < 0.008 && fabs(m.variance - 1.0 / 12) < 0.002 && fabs(m.fourth - 1.8) < 0.03);
        GOOD(wide ? curandGenerateNormalDouble(g, device, COUNT, 3, 2) : curandGenerateNormal(g, device, COUNT, 3, 2));
        m = moments_of(device, wide);
        assert_true(fabs(m.mean - 3) < 0.05 && fabs(m.variance - 4) < 0.15 && fabs(m.fourth - 3) < 0.15);
        GOOD(wide ? curandGenerateLogNormalDouble(g, device, COUNT, 0, 0.5)
                  : curandGenerateLogNormal(g, device, COUNT, 0, 0.5f));
        m = moments_of(device, wide); /* exp(1/8), and exp(1/4) (exp(1/4) - 1) */
        assert_true(m.least > 0 && fabs(m.mean - 1.1331) < 0.015 && fabs(m.variance - 0.3647) < 0.03);
    }
    release(device);
    GOOD(curandDestroyGenerator(g));
}

static void distributions_have_their_moments(void **state)
{
    (void)state;
    check_moments(RAND_PHILOX);
    check_moments(RAND_XORWOW);
    check_moments(RAND_MRG32K3A);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    generator_t g = generator(), other = NULL;
    float *device = room();
    int number = 0;
    assert_int_equal(curandCreateGenerator(NULL, RAND_PHILOX), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandCreateGenerator(&other, 141), CURAND_STATUS_TYPE_ERROR);
    assert_int_equal(curandCreateGenerator(&other, -1), CURAND_STATUS_TYPE_ERROR);
    assert_int_equal(curandCreateGeneratorHost(NULL, RAND_XORWOW), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandCreateGeneratorHost(&other, 201), CURAND_STATUS_TYPE_ERROR);
    assert_int_equal(curandDestroyGenerator(NULL), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandGenerateUniform(NULL, device, 4), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandGenerateUniform(g, NULL, 4), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandGenerateNormal(g, device, 5, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    assert_int_equal(curandGenerateNormal(g, device, 4, 0, -1), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandSetGeneratorOrdering(g, 99), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandSetPseudoRandomGeneratorSeed(NULL, 1), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandGetProperty(3, &number), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandGenerateSeeds(NULL), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandGenerateLongLong(NULL, NULL, 1), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandGenerateLongLong(g, NULL, 1), CURAND_STATUS_TYPE_ERROR);
    assert_int_equal(curandSetQuasiRandomGeneratorDimensions(NULL, 1), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandSetQuasiRandomGeneratorDimensions(g, 0), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandSetQuasiRandomGeneratorDimensions(g, 2), CURAND_STATUS_TYPE_ERROR);
    GOOD(curandCreateGeneratorHost(&other, RAND_XORWOW));
    assert_int_equal(curandSetGeneratorOrdering(other, RAND_DYNAMIC), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandGenerateNormal(other, (float[3]){0}, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    assert_int_equal(curandGenerate(other, NULL, 3), CURAND_STATUS_OUT_OF_RANGE);
    GOOD(curandDestroyGenerator(other));
    GOOD(curandGetVersion(&number));
    assert_int_equal(number, 10400);
    GOOD(curandSetGeneratorOrdering(g, RAND_BEST));
    GOOD(curandGenerateSeeds(g));
    GOOD(curandGenerateUniform(g, NULL, 0));
    release(device);
    GOOD(curandDestroyGenerator(g));
}

UNIT_TESTS(UNIT(a_seed_of_zero_begins_with_the_published_words), UNIT(calls_go_on_where_the_one_before_has_ended),
           UNIT(distributions_have_their_moments), UNIT(wrong_arguments_have_the_documented_status))
