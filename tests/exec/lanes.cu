// Lanes of a warp that store to one address with one instruction, or change it with one atomic. tests/exec/lanes.c has
// the expected values. Made by
//   ../../tools/cubins.sh cubin lanes.cu lanes 70 75 80 90 120

enum { PAIRS = 16, WIDE = 8, EXCHANGED = 48, OLD = 64, OLD_SHARED = 96, GENERIC = 40 };

extern "C" __global__ void global_stores(int *out)
{
    volatile int *word = out;
    int t = threadIdx.x;
    word[0] = t + 1;
    if (t >= 5)
        word[1] = t + 1;
    if (t % 4 == 3)
        word[2] = t + 1;
    ((volatile char *)out)[12] = (char)(t + 1);
    ((volatile short *)out)[8] = (short)(t + 1);
    *(volatile long long *)(out + 6) = t + 1 | (long long)(t + 1) << 32;
    *reinterpret_cast<int4 *>(out + WIDE) = make_int4(t + 1, t + 2, t + 3, t + 4);
    word[PAIRS + t / 2] = t + 1;
}

extern "C" __global__ void shared_stores(int *out)
{
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = 0;
    s[0] = t + 1;
    if (t >= 5)
        s[1] = t + 1;
    if (t % 4 == 3)
        s[2] = t + 1;
    ((volatile char *)s)[12] = (char)(t + 1);
    ((volatile short *)s)[8] = (short)(t + 1);
    *(volatile long long *)(s + 6) = t + 1 | (long long)(t + 1) << 32;
    s[PAIRS + t / 2] = t + 1;
    __syncwarp();
    out[t] = s[t];
}

// Odd lanes store to shared memory, even ones to global memory.
extern "C" __global__ void generic_stores(int *out)
{
    __shared__ int s;
    int t = threadIdx.x;
    volatile int *place = t % 2 ? &s : out + GENERIC;
    *place = t + 1;
    __syncwarp();
    out[t] = *(volatile int *)&s;
}

extern "C" __global__ void exchanges(int *out)
{
    __shared__ int s;
    int t = threadIdx.x;
    s = 0;
    __syncwarp();
    out[OLD + t] = atomicExch(out + EXCHANGED, t + 1);
    out[OLD_SHARED + t] = atomicExch(&s, t + 1);
}
