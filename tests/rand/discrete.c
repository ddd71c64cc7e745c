/* Poisson distributions for kernels of programs: the probabilities that their tables give, and wrong arguments. */
#include "rand/discrete.h"
#include "tests/rand/rig.h"

curandStatus_t curandCreatePoissonDistribution(double, void **);
curandStatus_t curandDestroyDistribution(void *);

/* A distribution's tables, copied from the device. */
struct copied {
    struct discrete discrete;
    struct discrete_shift shift;
    double *v;
    unsigned *k;
};

static struct copied copied(void *distribution)
{
    struct copied c;
    struct discrete_histogram histogram;
    fetch(&c.discrete, distribution, sizeof c.discrete);
    assert_int_equal(c.discrete.method, DISCRETE_SQUARE);
    fetch(&c.shift, c.discrete.square, sizeof c.shift);
    fetch(&histogram, c.shift.histogram, sizeof histogram);
    size_t count = c.shift.length + 1;
    c.v = malloc(count * sizeof *c.v);
    c.k = malloc(count * sizeof *c.k);
    assert_true(c.v != NULL && c.k != NULL);
    fetch(c.v, histogram.v, count * sizeof *c.v);
    fetch(c.k, histogram.k, count * sizeof *c.k);
    return c;
}

static void *made(double lambda)
{
    void *distribution = NULL;
    generator_t g = generator_of(RAND_PHILOX); /* chooses the GPU */
    GOOD(curandDestroyGenerator(g));
    GOOD(curandCreatePoissonDistribution(lambda, &distribution));
    assert_non_null(distribution);
    return distribution;
}

static void tables_give_the_probabilities(void **state)
{
    (void)state;
    static const double means[] = {0.001, 0.5, 1, 7.25, 100, 2000};
    for (int m = 0; m < 6; m++) {
        void *distribution = made(means[m]);
        struct copied c = copied(distribution);
        unsigned n = c.shift.length;
        double *p = calloc(n, sizeof *p);
        assert_non_null(p);
        assert_true(c.discrete.mean == means[m] && c.discrete.deviation == sqrt(means[m]));
        for (unsigned j = 0; j < n; j++) {
            /* [j / n, V) belongs to j, and [V, (j + 1) / n) to K. */
            assert_true(c.v[j] >= (double)j / n && c.v[j] <= (j + 1.0) / n && c.k[j] < n);
            p[j] += c.v[j] - (double)j / n;
            p[c.k[j]] += (j + 1.0) / n - c.v[j];
        }
        for (unsigned j = 0; j < n; j++) {
            double number = c.shift.shift + j;
            double right = exp(number * log(means[m]) - means[m] - lgamma(number + 1));
            assert_true(fabs(p[j] - right) <= 1e-11);
        }
        /* A draw of exactly 1 is possible, and gives a likely number. */
        assert_true(c.v[n] <= 1 && fabs(c.shift.shift + c.k[n] - means[m]) <= 1);
        free(p), free(c.v), free(c.k);
        GOOD(curandDestroyDistribution(distribution));
    }
}

static void a_large_mean_is_a_normal_distribution(void **state)
{
    (void)state;
    struct discrete discrete;
    void *distribution = made(40000);
    fetch(&discrete, distribution, sizeof discrete);
    assert_true(discrete.method != DISCRETE_SQUARE && discrete.mean == 40000 && discrete.deviation == 200);
    GOOD(curandDestroyDistribution(distribution));
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    void *distribution = made(3);
    assert_int_equal(curandCreatePoissonDistribution(1, NULL), CURAND_STATUS_NOT_INITIALIZED);
    void *other = NULL;
    assert_int_equal(curandCreatePoissonDistribution(0, &other), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandCreatePoissonDistribution(-2, &other), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandCreatePoissonDistribution(400000.5, &other), CURAND_STATUS_OUT_OF_RANGE);
    assert_int_equal(curandCreatePoissonDistribution(NAN, &other), CURAND_STATUS_OUT_OF_RANGE);
    assert_null(other);
    GOOD(curandDestroyDistribution(distribution));
    assert_int_equal(curandDestroyDistribution(NULL), CURAND_STATUS_NOT_INITIALIZED);
    assert_int_equal(curandDestroyDistribution(distribution), CURAND_STATUS_NOT_INITIALIZED); /* it is gone */
}

UNIT_TESTS(UNIT(tables_give_the_probabilities), UNIT(a_large_mean_is_a_normal_distribution),
           UNIT(wrong_arguments_have_the_documented_status))
