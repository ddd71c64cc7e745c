/* Poisson numbers against their probabilities. */
#include "tests/rand/rig.h"

enum { COUNT = 60000, BINS = 400 };

/* The probability of k. */
static double probability(unsigned k, double lambda) { return exp(k * log(lambda) - lambda - lgamma(k + 1.0)); }

/* The sum of squared differences, each beside its expectation (Pearson). Numbers with few expected hits share a bin. */
static double chi_square(const unsigned *found, double lambda, int *freedom)
{
    unsigned least = lambda > 200 ? (unsigned)(lambda - 200) : 0;
    double expected = 0, hits = 0, sum = 0;
    unsigned count[BINS] = {0};
    for (int i = 0; i < COUNT; i++) {
        assert_true(found[i] >= least && found[i] < least + BINS);
        count[found[i] - least]++;
    }
    *freedom = -1;
    for (unsigned k = 0; k < BINS; k++) {
        expected += COUNT * probability(least + k, lambda);
        hits += count[k];
        if (expected >= 20) {
            sum += (hits - expected) * (hits - expected) / expected;
            expected = hits = 0;
            ++*freedom;
        }
    }
    return sum;
}

static void numbers_have_their_probabilities(void **state)
{
    (void)state;
    static const double means[] = {0.01, 0.7, 1, 3.5, 40, 1000};
    static const int types[] = {RAND_XORWOW, RAND_MRG32K3A, RAND_PHILOX};
    unsigned *found = malloc(COUNT * sizeof *found);
    assert_non_null(found);
    for (int t = 0; t < 3; t++) {
        generator_t g = generator_of(types[t]);
        unsigned *device = room_of(COUNT * sizeof *device);
        GOOD(curandSetPseudoRandomGeneratorSeed(g, 17));
        for (int k = 0; k < 6; k++) {
            int freedom;
            GOOD(curandGeneratePoisson(g, device, COUNT, means[k]));
            fetch(found, device, COUNT * sizeof *found);
            double sum = chi_square(found, means[k], &freedom);
            /* Mean and deviation of the sum are n and sqrt(2 n). */
            if (!(fabs(sum - freedom) <= 4 * sqrt(2.0 * freedom + 1)))
                fail_msg("type %d, mean %g: %g with %d degrees of freedom", types[t], means[k], sum, freedom);
        }
        release(device);
        GOOD(curandDestroyGenerator(g));
    }
    free(found);
}

static void large_means_have_their_moments(void **state)
{
    (void)state;
    static const double means[] = {5000, 400000};
    unsigned *found = malloc(COUNT * sizeof *found);
    generator_t g = generator_of(RAND_XORWOW);
    unsigned *device = room_of(COUNT * sizeof *device);
    assert_non_null(found);
    for (int k = 0; k < 2; k++) {
        double mean = 0, variance = 0;
        GOOD(curandGeneratePoisson(g, device, COUNT, means[k]));
        fetch(found, device, COUNT * sizeof *found);
        for (int i = 0; i < COUNT; i++)
            mean += (double)found[i] / COUNT;
        for (int i = 0; i < COUNT; i++)
            variance += ((double)found[i] - mean) * ((double)found[i] - mean) / COUNT;
        assert_true(fabs(mean - means[k]) <= 4 * sqrt(means[k] / COUNT));
        assert_true(fabs(variance - means[k]) <= 4 * means[k] * sqrt(2.0 / COUNT));
    }
    free(found);
    release(device);
    GOOD(curandDestroyGenerator(g));
}

static void wrong_means_have_the_documented_status(void **state)
{
    (void)state;
    generator_t g = generator_of(RAND_XORWOW);
    unsigned *device = room_of(16);
    assert_int_equal(curandGeneratePoisson(NULL, device, 4, 1), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandGeneratePoisson(g, device, 4, 0), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandGeneratePoisson(g, device, 4, -1), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandGeneratePoisson(g, device, 4, 400001), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandGeneratePoisson(g, device, 4, NAN), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandGeneratePoisson(g, NULL, 4, 1), CURAND_STATUS_OUT_OF_RANGE);
    GOOD(curandGeneratePoisson(g, NULL, 0, 1));
    release(device);
    GOOD(curandDestroyGenerator(g));
}

UNIT_TESTS(UNIT(numbers_have_their_probabilities), UNIT(large_means_have_their_moments),
           UNIT(wrong_means_have_the_documented_status))
