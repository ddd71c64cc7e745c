// Where a word of eight letters begins in a text: a bit for each place, 32 places a word.

constexpr unsigned THREADS = 256, LETTERS = 8;

// Letter by letter, until one differs.
extern "C" __global__ void match_letters(const unsigned char *__restrict__ text,
                                         const unsigned char *__restrict__ pattern, unsigned *found)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    unsigned n = 0;
    while (n < LETTERS && text[i + n] == pattern[n])
        n++;
    const unsigned all = __ballot_sync(0xffffffffu, n == LETTERS);
    if (threadIdx.x % 32 == 0)
        found[i / 32] = all;
}

// A thread has 16 letters in registers and looks at all places of them at once.
extern "C" __global__ void match_words(const uint4 *__restrict__ text, uint2 pattern, unsigned short *found)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const uint4 own = text[i];
    const uint2 more = *reinterpret_cast<const uint2 *>(text + i + 1);
    const unsigned word[6] = {own.x, own.y, own.z, own.w, more.x, more.y};
    unsigned bits = 0;
#pragma unroll
    for (int at = 0; at < 16; at++) {
        const int w = at / 4, shift = at % 4 * 8;
        const unsigned low = __funnelshift_r(word[w], word[w + 1], shift);
        const unsigned high = __funnelshift_r(word[w + 1], word[min(w + 2, 5)], shift);
        bits |= (unsigned)(low == pattern.x && high == pattern.y) << at;
    }
    found[i] = bits;
}
