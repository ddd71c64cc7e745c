// Locks, flags, barriers of the grid and a scan by look-back: threads that wait for others, in their own warp and on
// other SMs. Everything that they protect is read and written by weak accesses. build.sh compiles it.

struct args {
    unsigned *state;    // words, zero at first
    unsigned *data;     // the protected word, zero at first
    unsigned *out;
    unsigned n;         // rounds
};

#define KERNEL extern "C" __global__ void

__device__ __forceinline__ unsigned acquire(unsigned *at)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

__device__ __forceinline__ void release(unsigned *at, unsigned value)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

// ---- locks: every thread adds to the data, n times ------------------------------------------------------------------

__device__ void add(unsigned *data)
{
    for (int i = 0; i < 3; i++) // on three lines
        data[64 * i] = data[64 * i] + 1 + i;
}

// Test and set, with fences as the CUDA guide has them.
KERNEL lock_exchange(args a)
{
    for (unsigned i = 0; i < a.n; i++) {
        while (atomicExch(a.state, 1) != 0)
            ;
        __threadfence();
        add(a.data);
        __threadfence();
        atomicExch(a.state, 0);
    }
}

// Compare and swap with acquire, store with release; a thread that fails sleeps longer each time.
KERNEL lock_backoff(args a)
{
    for (unsigned i = 0; i < a.n; i++) {
        unsigned sleep = 20, held;
        for (;;) {
            asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(held) : "l"(a.state) : "memory");
            if (!held)
                break;
            __nanosleep(sleep);
            sleep = sleep < 1000 ? 2 * sleep : sleep;
        }
        add(a.data);
        release(a.state, 0);
    }
}

KERNEL lock_ticket(args a)
{
    for (unsigned i = 0; i < a.n; i++) {
        unsigned ticket = atomicAdd(&a.state[0], 1);
        while (acquire(&a.state[32]) != ticket)
            ;
        add(a.data);
        release(&a.state[32], ticket + 1);
    }
}

// A lock of each CTA: nothing leaves the SM.
KERNEL lock_of_the_cta(args a)
{
    unsigned *lock = a.state + 32 * blockIdx.x, *data = a.data + 256 * blockIdx.x;
    for (unsigned i = 0; i < a.n; i++) {
        unsigned held;
        do
            asm volatile("atom.acquire.cta.cas.b32 %0, [%1], 0, 1;" : "=r"(held) : "l"(lock) : "memory");
        while (held);
        add(data);
        asm volatile("st.release.cta.u32 [%0], 0;" ::"l"(lock) : "memory");
    }
}

// ---- flags ----------------------------------------------------------------------------------------------------------

// CTA 0 hands n blocks of 64 words to CTA 1, which hands their sums to CTA 2, through rings of two places each.
KERNEL pipeline(args a)
{
    enum { WORDS = 64, PLACES = 2, RING = 256 };
    __shared__ unsigned sums[WORDS];
    unsigned *full = a.state, *empty = a.state + 64, t = threadIdx.x, stage = blockIdx.x;
    if (stage > 2)
        return;
    for (unsigned i = 0; i < a.n; i++) {
        unsigned place = i % PLACES, *in = a.data + (stage - 1) * RING + place * WORDS;
        if (stage > 0) {
            if (t == 0)
                while (acquire(&full[32 * (stage - 1)]) <= i)
                    ;
            __syncthreads();
            sums[t] = in[t] + (stage == 1 ? in[(t + 1) % WORDS] : 0);
            __syncthreads();
            if (t == 0)
                release(&empty[32 * (stage - 1)], i + 1);
        } else {
            sums[t] = i * 1000 + t;
        }
        if (stage == 2) {
            a.out[i * WORDS + t] = sums[t];
            continue;
        }
        if (t == 0)
            while (acquire(&empty[32 * stage]) + PLACES <= i)
                ;
        __syncthreads();
        a.data[stage * RING + place * WORDS + t] = sums[t];
        __syncthreads();
        if (t == 0)
            release(&full[32 * stage], i + 1);
    }
}

// ---- barriers of the grid -------------------------------------------------------------------------------------------

// The counter's highest bit flips when the last CTA has come.
__device__ void barrier_by_bit(unsigned *counter)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned step = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        __threadfence();
        unsigned before = atomicAdd(counter, step);
        while (!((before ^ acquire(counter)) & 0x80000000u))
            ;
        __threadfence();
    }
    __syncthreads();
}

__device__ void barrier_by_sense(unsigned *count, unsigned *sense, unsigned mine)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned before;
        asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
        if (before == gridDim.x - 1) {
            *count = 0;
            release(sense, mine);
        } else {
            while (acquire(sense) != mine)
                ;
        }
    }
    __syncthreads();
}

// Each round every thread writes a word that a thread of the next CTA reads in the next round. out[0]: cycles of all
// barriers as CTA 0 sees them.
template <bool BIT> __device__ void rounds(const args &a)
{
    unsigned t = threadIdx.x, threads = blockDim.x, words = gridDim.x * threads, wrong = 0, cycles = 0;
    for (unsigned i = 0; i < a.n; i++) {
        unsigned *now = a.data + i % 2 * words;
        now[blockIdx.x * threads + t] = i * words + blockIdx.x * threads + t;
        unsigned begin = clock();
        if (BIT)
            barrier_by_bit(a.state);
        else
            barrier_by_sense(a.state, a.state + 32, ~i & 1);
        cycles += clock() - begin;
        unsigned other = (blockIdx.x + 1) % gridDim.x * threads + (threads - 1 - t);
        wrong += now[other] != i * words + other;
    }
    if (wrong)
        atomicAdd(&a.out[1], wrong);
    if (blockIdx.x == 0 && t == 0)
        a.out[0] = cycles;
}

KERNEL grid_barrier_bit(args a) { rounds<true>(a); }
KERNEL grid_barrier_sense(args a) { rounds<false>(a); }

// ---- scan by look-back (Merrill and Garland, 2016) ------------------------------------------------------------------

// out[i] = data[0] + ... + data[i]. A CTA takes n words, one a thread. state[0] deals the parts. Of part p the words
// 32 + 2 p and the next hold a status (1: its own sum, 2: the sum of all up to it) and the value.
KERNEL look_back(args a)
{
    __shared__ unsigned part, before, sums[256];
    unsigned t = threadIdx.x;
    if (t == 0)
        part = atomicAdd(a.state, 1);
    __syncthreads();
    unsigned i = part * blockDim.x + t;
    sums[t] = a.data[i];
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        unsigned more = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += more;
    }
    __syncthreads();
    if (t == 0) {
        unsigned *mine = a.state + 32 + 4 * part, total = sums[blockDim.x - 1], sum = 0;
        mine[1] = total; // published by the release
        release(mine, 1);
        for (int p = (int)part - 1; p >= 0; p--) {
            unsigned *other = a.state + 32 + 4 * p, status;
            while ((status = acquire(other)) == 0)
                ;
            sum += other[status];
            if (status == 2)
                break;
        }
        mine[2] = sum + total;
        release(mine, 2);
        before = sum;
    }
    __syncthreads();
    a.out[i] = before + sums[t];
}

// ---- times ----------------------------------------------------------------------------------------------------------

// out[0]: cycles of n operations (16, 32, ...), one after the other, by one thread.
#define MEASURE(name, setup, operation)                                                                                \
    KERNEL name(args a)                                                                                                \
    {                                                                                                                  \
        unsigned value = 0;                                                                                            \
        setup;                                                                                                         \
        for (unsigned warm = 0; warm < 2; warm++) {                                                                    \
            unsigned begin = clock();                                                                                  \
            _Pragma("unroll 1") for (unsigned j = 0; j < a.n; j += 16)\
                _Pragma("unroll") for (unsigned i = 0; i < 16; i++) { operation; }                                     \
            a.out[0] = clock() - begin;                                                                                \
        }                                                                                                              \
        a.out[1] = value;                                                                                              \
    }
MEASURE(time_nothing, , asm volatile(""))
MEASURE(time_fence_sc_cta, , asm volatile("fence.sc.cta;" ::: "memory"))
MEASURE(time_fence_gpu, , asm volatile("fence.acq_rel.gpu;" ::: "memory"))
MEASURE(time_fence_sc_gpu, , asm volatile("fence.sc.gpu;" ::: "memory"))
MEASURE(time_fence_sys, , asm volatile("fence.acq_rel.sys;" ::: "memory"))
MEASURE(time_store_fence_gpu, , a.data[i] = i; asm volatile("fence.acq_rel.gpu;" ::: "memory"))
MEASURE(time_load_relaxed_gpu, ,
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(a.data + value) : "memory"))
MEASURE(time_load_acquire_gpu, ,
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(a.data + value) : "memory"))
MEASURE(time_load_relaxed_cta, ,
        asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(value) : "l"(a.data + value) : "memory"))
MEASURE(time_atomic_add, , value = atomicAdd(a.data + value % 2, 2))
MEASURE(time_atomic_acq_rel, ,
        asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], 2;" : "=r"(value) : "l"(a.data + value % 2) : "memory"))
