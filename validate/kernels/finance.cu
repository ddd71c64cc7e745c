// Random numbers and prices.

constexpr unsigned THREADS = 256;

// Ten rounds of Philox (4 x 32 bits).
__device__ uint4 philox(uint4 counter, unsigned key0, unsigned key1)
{
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned low0 = 0xd2511f53u * counter.x, high0 = __umulhi(0xd2511f53u, counter.x);
        const unsigned low1 = 0xcd9e8d57u * counter.z, high1 = __umulhi(0xcd9e8d57u, counter.z);
        counter = make_uint4(high1 ^ counter.y ^ key0, low1, high0 ^ counter.w ^ key1, low0);
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return counter;
}

// Whether a point of 16 bits a side is in the quarter of a circle.
__device__ bool inside(unsigned word)
{
    const unsigned x = word & 0xffff, y = word >> 16;
    return (unsigned long long)x * x + (unsigned long long)y * y < 0x100000000ull;
}

// Eight points a thread. Those inside are counted by a warp together.
extern "C" __global__ void pi_philox(unsigned *hits, unsigned key)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    unsigned own = 0;
    for (unsigned n = 0; n < 2; n++) {
        const uint4 random = philox(make_uint4(i, n, 0, 0), key, 0);
        own += inside(random.x) + inside(random.y) + inside(random.z) + inside(random.w);
    }
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(0xffffffffu, own, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, own);
}

__device__ float uniform(unsigned *state)
{
    unsigned x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return ((float)(x >> 9) + 0.5f) * 0x1p-23f;
}

// The pay of an option on the mean of a path, a path a thread: three times two steps (Box and Muller).
extern "C" __global__ void asian_paths(float *payoff, float drift, float volatility, float strike)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    unsigned state = i * 2654435761u ^ 0x5bd1e995u;
    if (state == 0)
        state = 1;
    float price = 100.0f, sum = 0.0f;
    for (int step = 0; step < 3; step++) {
        const float radius = sqrtf(-2.0f * __logf(uniform(&state))),
                    angle = 6.28318531f * uniform(&state) - 3.14159265f;
        float sine, cosine;
        __sincosf(angle, &sine, &cosine);
        price *= __expf(drift + volatility * radius * sine);
        sum += price;
        price *= __expf(drift + volatility * radius * cosine);
        sum += price;
    }
    payoff[i] = fmaxf((1.0f / 6.0f) * sum - strike, 0.0f);
}

// The normal distribution, by a polynomial (Abramowitz and Stegun, 26.2.17).
__device__ float normal(float x)
{
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(x));
    const float sum =
        k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * __expf(-0.5f * x * x) * sum;
    return x > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float *__restrict__ price, const float *__restrict__ strike,
                                         const float *__restrict__ years, float *call, float *put, float rate,
                                         float volatility)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float n1 = normal(d1), n2 = normal(d1 - volatility * root), discounted = x * expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
