#include <math.h>

#include "host.h"
#include "workloads.h"

enum { THREADS = 256 };

static void philox(uint32_t *counter, uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        const uint64_t product0 = 0xd2511f53ull * counter[0], product1 = 0xcd9e8d57ull * counter[2];
        counter[0] = (uint32_t)(product1 >> 32) ^ counter[1] ^ key0;
        counter[1] = (uint32_t)product1;
        counter[2] = (uint32_t)(product0 >> 32) ^ counter[3] ^ key1;
        counter[3] = (uint32_t)product0;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
}

static struct example_result pi(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    struct {
        uint64_t hits;
        uint32_t key;
    } params = {.key = 67};
    int32_t want = 0;
    for (uint32_t i = 0; i < ctas * THREADS; i++)
        for (uint32_t n = 0; n < 2; n++) {
            uint32_t random[4] = {i, n, 0, 0};
            philox(random, params.key, 0);
            for (int k = 0; k < 4; k++) {
                const uint64_t x = random[k] & 0xffff, y = random[k] >> 16;
                want += x * x + y * y < 0x100000000ull;
            }
        }
    params.hits = run_output(&run, 1);
    run_write_word(&run, params.hits, 0);
    host_launch(&run, "pi_philox", ctas, THREADS, &params, sizeof params);
    run_check_ints(&run, "hits", run_download(&run, params.hits, 1), &want, 1);
    return run_finish(&run, "%d of %u points are in the circle", (int)want, 8 * ctas * THREADS);
}

static double uniform(uint32_t *state) { return ((double)(random_next(state) >> 9) + 0.5) * 0x1p-23; }

static double path(uint32_t i, double drift, double volatility, double strike)
{
    uint32_t state = i * 2654435761u ^ 0x5bd1e995u;
    if (state == 0)
        state = 1;
    double price = 100, sum = 0;
    for (int step = 0; step < 3; step++) {
        const double radius = sqrt(-2 * log(uniform(&state))), angle = 6.283185307179586 * (uniform(&state) - 0.5);
        price *= exp(drift + volatility * radius * sin(angle));
        sum += price;
        price *= exp(drift + volatility * radius * cos(angle));
        sum += price;
    }
    return fmax(sum / 6 - strike, 0);
}

static struct example_result asian(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t paths = (size_t)ctas * THREADS;
    double *want = run_memory(&run, paths, sizeof *want);
    struct {
        uint64_t payoff;
        float drift, volatility, strike;
    } params = {.drift = 0.001f, .volatility = 0.05f, .strike = 98};
    if (run.failed)
        return run_finish(&run, " ");
    for (uint32_t i = 0; i < paths; i++)
        want[i] = path(i, (double)params.drift, (double)params.volatility, (double)params.strike);
    params.payoff = run_output(&run, paths);
    host_launch(&run, "asian_paths", ctas, THREADS, &params, sizeof params);
    /* Prices of some hundred. Near one, MUFU.LG2 is good to 2^-22, which the root of twice the logarithm, 2^-11 at the
     * least, makes 2^-12; times the volatility that is 2^-16 of a price. */
    host_check_near(&run, "payoff", run_download(&run, params.payoff, paths), want, paths, 5e-3);
    return run_finish(&run, "the payoffs of %zu paths are right", paths);
}

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static struct example_result black_scholes(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t options = (size_t)ctas * THREADS, bytes = options * sizeof(float);
    uint32_t seed = 68;
    float *price = host_units(&run, &seed, options), *strike = host_units(&run, &seed, options);
    float *years = host_units(&run, &seed, options);
    double *call = run_memory(&run, options, sizeof *call), *put = run_memory(&run, options, sizeof *put);
    if (run.failed)
        return run_finish(&run, " ");
    struct {
        uint64_t price, strike, years, call, put;
        float rate, volatility;
    } params = {.rate = 0.02f, .volatility = 0.3f};
    const double rate = (double)params.rate, volatility = (double)params.volatility;
    for (size_t i = 0; i < options; i++) {
        price[i] = 20 + 10 * price[i];
        strike[i] = 50 + 45 * strike[i];
        years[i] = 5 + 4.75f * years[i];
        const double s = (double)price[i], x = (double)strike[i], t = (double)years[i];
        const double spread = volatility * sqrt(t);
        const double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread;
        call[i] = s * normal(d1) - x * exp(-rate * t) * normal(d1 - spread);
        put[i] = call[i] + x * exp(-rate * t) - s;
    }
    params.price = run_upload(&run, price, bytes);
    params.strike = run_upload(&run, strike, bytes);
    params.years = run_upload(&run, years, bytes);
    params.call = run_output(&run, options);
    params.put = run_output(&run, options);
    host_launch(&run, "black_scholes", ctas, THREADS, &params, sizeof params);
    /* The polynomial is good to 7.5e-8, single precision to as much, of prices below a hundred. */
    host_check_near(&run, "call", run_download(&run, params.call, options), call, options, 5e-5);
    host_check_near(&run, "put", run_download(&run, params.put, options), put, options, 5e-5);
    return run_finish(&run, "the prices of %zu options are right", options);
}

const struct workload workload_pi = {
    .name = "pi",
    .module = "finance",
    .class = "monte carlo",
    .summary = "points in a circle from Philox (IMAD.WIDE)",
    .arch = 60,
    .run = pi,
};

const struct workload workload_asian_option = {
    .name = "asian-option",
    .module = "finance",
    .class = "monte carlo",
    .summary = "paths of prices with normal steps (MUFU)",
    .arch = 60,
    .run = asian,
};

const struct workload workload_black_scholes = {
    .name = "black-scholes",
    .module = "finance",
    .class = "finance",
    .summary = "prices of options: logarithms, exponentials, divisions",
    .arch = 60,
    .run = black_scholes,
};
