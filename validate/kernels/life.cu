// A generation in Conway's game of life on a torus, 32 cells a word: neighbours are counted for a word at a time, in
// sums of which each word holds one bit.

struct Sum {
    unsigned low, high;
};

__device__ Sum add(unsigned a, unsigned b, unsigned c) { return {a ^ b ^ c, (a & b) | (c & (a | b))}; }

// The cells west and east of each cell in `here`.
__device__ unsigned west(unsigned left, unsigned here) { return __funnelshift_l(left, here, 1); }
__device__ unsigned east(unsigned here, unsigned right) { return __funnelshift_r(here, right, 1); }

extern "C" __global__ void life(const unsigned *__restrict__ from, unsigned *__restrict__ to, int words, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = i % words, y = i / words;
    if (y >= height)
        return;
    const int left = x ? x - 1 : words - 1, right = x + 1 < words ? x + 1 : 0;
    const unsigned *up = from + (y ? y - 1 : height - 1) * words, *row = from + y * words;
    const unsigned *down = from + (y + 1 < height ? y + 1 : 0) * words;
    const unsigned u = up[x], c = row[x], d = down[x];
    const Sum top = add(west(up[left], u), u, east(u, up[right]));
    const Sum bottom = add(west(down[left], d), d, east(d, down[right]));
    const Sum ones = add(top.low, bottom.low, west(row[left], c));
    const unsigned last = east(c, row[right]);
    const unsigned bit0 = ones.low ^ last;
    const Sum twos = add(top.high, bottom.high, ones.high);
    const unsigned carry = ones.low & last;
    const unsigned bit1 = twos.low ^ carry, four = twos.high | (twos.low & carry);
    to[i] = bit1 & ~four & (bit0 | c);
}
