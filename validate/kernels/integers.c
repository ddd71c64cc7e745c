#include "host.h"
#include "workloads.h"

enum { SHA_THREADS = 128, SIEVE_THREADS = 256, SEGMENT = 16384, PRIMES = 32 };

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static bool is_prime(uint32_t n)
{
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return n > 1;
}

static uint32_t first_primes(uint32_t *to, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t n = 2; found < count; n++)
        if (is_prime(n))
            to[found++] = n;
    return found;
}

/* The first 32 fraction bits of the first primes' cube roots, found digit by digit: k^3 <= p 2^96. */
static void round_constants(uint32_t *to)
{
    uint32_t primes[64];
    first_primes(primes, 64);
    for (size_t i = 0; i < 64; i++) {
        uint64_t root = 0; /* of p, with 32 digits behind the point: below 2^35 */
        for (int bit = 34; bit >= 0; bit--) {
            const uint64_t next = root | 1ull << bit;
            const unsigned __int128 square = (unsigned __int128)next * next;
            if (square <= ((unsigned __int128)primes[i] << 96) / next)
                root = next;
        }
        to[i] = (uint32_t)root;
    }
}

static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* FIPS 180-4, 6.2.2, of the block that a thread has. */
static void sha_block(uint32_t number, const uint32_t *constant, uint32_t *digest)
{
    uint32_t w[64] = {number}, v[8];
    for (int t = 16; t < 64; t++)
        w[t] = (turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
               (turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
    for (int k = 0; k < 8; k++)
        v[k] = start[k];
    for (int t = 0; t < 64; t++) {
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t t1 = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + choice + constant[t] + w[t];
        const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t t2 = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + majority;
        for (int k = 7; k > 0; k--)
            v[k] = v[k - 1];
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++)
        digest[k] = v[k] + start[k];
}

static struct example_result sha256(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 2), blocks = ctas * SHA_THREADS;
    const size_t words = (size_t)8 * blocks;
    uint32_t *want = run_memory(&run, words, sizeof *want), constant[64];
    if (run.failed)
        return run_finish(&run, " ");
    round_constants(constant);
    for (uint32_t i = 0; i < blocks; i++)
        sha_block(i, constant, want + (size_t)8 * i);
    struct {
        uint64_t digest;
    } params = {run_output(&run, words)};
    host_launch(&run, "sha256", ctas, SHA_THREADS, &params, sizeof params);
    run_check_ints(&run, "word", run_download(&run, params.digest, words), (int32_t *)want, words);
    return run_finish(&run, "the hashes of %u blocks are right", blocks);
}

static struct example_result sieve(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 2);
    uint8_t *marked = run_memory(&run, ctas, SEGMENT);
    int32_t *want = run_memory(&run, ctas, sizeof *want);
    uint32_t primes[PRIMES];
    if (run.failed)
        return run_finish(&run, " ");
    struct {
        uint64_t primes;
        uint32_t count;
        uint64_t left;
    } params = {.count = first_primes(primes, PRIMES)};
    const size_t all = (size_t)ctas * SEGMENT;
    for (size_t n = 0; n < PRIMES; n++)
        for (size_t i = 0; i < all; i += primes[n])
            marked[i] = 1;
    for (size_t i = 0; i < all; i++)
        want[i / SEGMENT] += !marked[i];
    params.primes = run_upload(&run, primes, sizeof primes);
    params.left = run_output(&run, ctas);
    host_launch(&run, "sieve", ctas, SIEVE_THREADS, &params, sizeof params);
    run_check_ints(&run, "left", run_download(&run, params.left, ctas), want, ctas);
    return run_finish(&run, "the primes among %zu numbers are right", all);
}

const struct workload workload_sha256 = {
    .name = "sha256",
    .module = "integers",
    .class = "integers",
    .summary = "a block a thread: LOP3, SHF and IADD3 in long chains",
    .arch = 60,
    .run = sha256,
};

const struct workload workload_sieve = {
    .name = "sieve",
    .module = "integers",
    .class = "integers",
    .summary = "multiples of 32 primes marked in bytes of shared memory, with bank conflicts",
    .arch = 60,
    .run = sieve,
};
