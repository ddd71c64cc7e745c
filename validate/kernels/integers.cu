// Whole numbers: a hash and a sieve.

__constant__ const unsigned ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned turn(unsigned x, int by) { return __funnelshift_r(x, x, by); }

// SHA-256 of one block a thread: its number, then zeros; FIPS 180-4 has the names. The block is not padded as a message
// is. Sixteen words of the schedule are in registers.
extern "C" __global__ void sha256(uint4 *digest)
{
    const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[16] = {i}, s[8];
    for (int k = 0; k < 8; k++)
        s[k] = start[k];
#pragma unroll 1
    for (int round = 0; round < 64; round += 16) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const unsigned e = s[4], a = s[0];
            const unsigned t1 =
                s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + ROUND[round + k] + w[k];
            const unsigned t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
            for (int n = 7; n > 0; n--)
                s[n] = s[n - 1];
            s[4] += t1;
            s[0] = t1 + t2;
        }
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const unsigned x = w[(k + 1) % 16], y = w[(k + 14) % 16];
            w[k] += (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[(k + 9) % 16] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
    }
    digest[2 * i] = make_uint4(s[0] + start[0], s[1] + start[1], s[2] + start[2], s[3] + start[3]);
    digest[2 * i + 1] = make_uint4(s[4] + start[4], s[5] + start[5], s[6] + start[6], s[7] + start[7]);
}

constexpr unsigned SEGMENT = 16384, THREADS = 256;

// The count of numbers in each segment that no prime divides. A warp takes a prime at a time and marks its multiples in
// shared memory, a byte for each number.
extern "C" __global__ void sieve(const unsigned *__restrict__ primes, unsigned count, unsigned *left)
{
    __shared__ __align__(16) unsigned char marked[SEGMENT];
    __shared__ unsigned unmarked;
    for (unsigned i = threadIdx.x; i < SEGMENT / 16; i += THREADS)
        reinterpret_cast<uint4 *>(marked)[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0)
        unmarked = 0;
    __syncthreads();
    const unsigned first = blockIdx.x * SEGMENT;
    for (unsigned n = threadIdx.x / 32; n < count; n += THREADS / 32) {
        const unsigned prime = primes[n], start = (prime - first % prime) % prime;
        for (unsigned i = start + prime * (threadIdx.x % 32); i < SEGMENT; i += prime * 32)
            marked[i] = 1;
    }
    __syncthreads();
    unsigned own = 0;
    for (unsigned i = threadIdx.x; i < SEGMENT / 4; i += THREADS)
        own += 4 - __popc(reinterpret_cast<const unsigned *>(marked)[i]);
    atomicAdd(&unmarked, own);
    __syncthreads();
    if (threadIdx.x == 0)
        left[blockIdx.x] = unmarked;
}
