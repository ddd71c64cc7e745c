// Kernels whose warps wait for each other at barrier objects in shared memory: tests/gpu/pipelines.c has the expected
// values. Made by
//   for a in 90 100 120; do nvcc -std=c++17 -cubin -arch=sm_${a}a -o cubin/pipelines.sm_$a.cubin pipelines.cu; done
#include <cstdint>

using u32 = unsigned;
using u64 = unsigned long long;

static __device__ u32 address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

static __device__ void init(u64 *bar, u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory");
}

static __device__ u64 arrive(u64 *bar)
{
    u64 state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(address(bar)) : "memory");
    return state;
}

static __device__ void expect(u64 *bar, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory");
}

static __device__ bool try_parity(u64 *bar, u32 parity)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ok)
                 : "r"(address(bar)), "r"(parity)
                 : "memory");
    return ok;
}

static __device__ bool try_parity_for(u64 *bar, u32 parity, u32 ns)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ok)
                 : "r"(address(bar)), "r"(parity), "r"(ns)
                 : "memory");
    return ok;
}

static __device__ bool test_state(u64 *bar, u64 state)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ok)
                 : "r"(address(bar)), "l"(state)
                 : "memory");
    return ok;
}

static __device__ void wait(u64 *bar, u32 parity)
{
    while (!try_parity(bar, parity)) {
    }
}

enum { STAGES = 3, LANES = 32 };

// Warp 0 of four writes a stage, warps 1 to 3 read it: each word that is read is added to out.
extern "C" __global__ void __launch_bounds__(128) stores(u32 *out, u32 rounds)
{
    __shared__ u64 full[STAGES], empty[STAGES];
    __shared__ u32 data[STAGES][LANES];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (u32 s = 0; s < STAGES; s++) {
            init(&full[s], 32);
            init(&empty[s], 3 * 32);
        }
    __syncthreads();
    u32 sum = 0;
    for (u32 r = 0; r < rounds; r++) {
        u32 s = r % STAGES, parity = r / STAGES % 2;
        if (warp == 0) {
            wait(&empty[s], parity ^ 1);
            data[s][lane] = r * 1000 + lane;
            arrive(&full[s]);
        } else {
            wait(&full[s], parity);
            sum += data[s][(lane + warp) % LANES];
            arrive(&empty[s]);
        }
    }
    out[threadIdx.x] = sum;
}

// The same with cp.async; `noinc`: the arrivals of copies are among those that the object expects.
template <bool NOINC> static __device__ void copy_stages(u32 *out, const u32 *in, u32 rounds)
{
    __shared__ u64 full[STAGES], empty[STAGES];
    __shared__ __align__(16) u32 data[STAGES][LANES * 4];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (u32 s = 0; s < STAGES; s++) {
            init(&full[s], 32);
            init(&empty[s], 64);
        }
    __syncthreads();
    u32 sum = 0;
    for (u32 r = 0; r < rounds; r++) {
        u32 s = r % STAGES, parity = r / STAGES % 2;
        if (warp == 0) {
            wait(&empty[s], parity ^ 1);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&data[s][4 * lane])),
                         "l"(in + r * LANES * 4 + 4 * lane)
                         : "memory");
            if (NOINC) {
                asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address(&full[s]))
                             : "memory");
            } else {
                asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(address(&full[s])) : "memory");
                arrive(&full[s]);
            }
        } else {
            wait(&full[s], parity);
            sum += data[s][(lane * 4 + warp) % (LANES * 4)];
            arrive(&empty[s]);
        }
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(96) copies(u32 *out, const u32 *in, u32 rounds)
{
    copy_stages<false>(out, in, rounds);
}

extern "C" __global__ void __launch_bounds__(96) copies_noinc(u32 *out, const u32 *in, u32 rounds)
{
    copy_stages<true>(out, in, rounds);
}

// Tokens and tests of one warp, and a second warp that arrives late: out has the answer of each form.
extern "C" __global__ void __launch_bounds__(64) forms(u32 *out)
{
    __shared__ u64 one, many, drop;
    u32 t = threadIdx.x;
    if (t == 0) {
        init(&one, 1);
        init(&many, 33);
        init(&drop, 32);
    }
    __syncthreads();
    if (t < 32) {
        u64 state;
        asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 1;"
                     : "=l"(state)
                     : "r"(address(&many))
                     : "memory");
        u32 pending;
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        out[t] = pending;
    }
    __syncthreads();
    if (t < 8) {
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(address(&drop)) : "memory");
    } else if (t < 32) {
        arrive(&drop);
    }
    __syncthreads();
    if (t < 24) { // the next phase expects 24
        u64 state = arrive(&drop);
        out[32 + t] = 0;
        while (!test_state(&drop, state))
            out[32 + t]++;
    }
    __syncthreads();
    if (t < 32) {
        out[64 + t] = try_parity(&drop, 0) * 4 + try_parity(&drop, 1) * 2 + try_parity_for(&one, 0, 200);
    }
    __syncthreads();
    if (t < 32) {
        wait(&one, 0);
        out[96 + t] = 1;
    } else if (t == 32) {
        __nanosleep(3000);
        arrive(&one);
    }
    __syncthreads();
    if (t == 0)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address(&one)) : "memory");
}

// How long a warp waits, and whether a wait with a long limit ends when the phase does.
extern "C" __global__ void __launch_bounds__(64) late(u32 *out, u32 after)
{
    __shared__ u64 bar;
    if (threadIdx.x == 0)
        init(&bar, 1);
    __syncthreads();
    u32 begin = clock();
    if (threadIdx.x == 32) {
        __nanosleep(after);
        arrive(&bar);
        out[1] = clock() - begin;
    } else if (threadIdx.x == 0) {
        while (!try_parity_for(&bar, 0, 10000000)) {
        }
        out[0] = clock() - begin;
    }
}

// Nobody arrives.
extern "C" __global__ void __launch_bounds__(64) stuck(u32 *out)
{
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 2);
        expect(&bar, 4096);
    }
    __syncthreads();
    wait(&bar, 0);
    out[threadIdx.x] = 1;
}

// Arrivals too many.
extern "C" __global__ void __launch_bounds__(32) crowded(u32 *out)
{
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 2);
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 3;" ::"r"(address(&bar)) : "memory");
    }
    out[threadIdx.x] = 1;
}

// One warpgroup gives registers up, two get them: with `keep` registers kept. Consumers use many.
template <u32 KEEP> static __device__ void registers(u32 *out, const u32 *in)
{
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(KEEP));
        out[threadIdx.x] = in[threadIdx.x];
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    u32 v[160];
#pragma unroll
    for (u32 i = 0; i < 160; i++)
        v[i] = in[i * 384 + threadIdx.x];
    u32 sum = 0;
#pragma unroll
    for (u32 i = 0; i < 160; i++)
        sum = sum * 3 + v[(i * 7 + 3) % 160];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(384, 1) registers_fit(u32 *out, const u32 *in) { registers<24>(out, in); }
extern "C" __global__ void __launch_bounds__(384, 1) registers_lack(u32 *out, const u32 *in) { registers<32>(out, in); }

// elect.sync, and the instructions of programmatic launches, which do nothing here.
extern "C" __global__ void __launch_bounds__(64) elects(u32 *out)
{
    u32 leader, is;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("{\n.reg .pred p;\nelect.sync %0|p, 0xffffffff;\nselp.u32 %1, 1, 0, p;\n}" : "=r"(leader), "=r"(is));
    out[threadIdx.x] = leader * 16 + is;
    if (threadIdx.x % 32 >= 20) {
        asm volatile("{\n.reg .pred p;\nelect.sync %0|p, 0xfff00000;\nselp.u32 %1, 1, 0, p;\n}"
                     : "=r"(leader), "=r"(is));
        out[64 + threadIdx.x] = leader * 16 + is;
    }
}

// Round trips between two warps: out[0] cycles of each.
extern "C" __global__ void __launch_bounds__(32) round_trip(u32 *out, u32 rounds)
{
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        u32 begin = clock();
        for (u32 r = 0; r < rounds; r++) {
            arrive(&bar);
            wait(&bar, r % 2);
        }
        out[0] = clock() - begin;
    }
}

// A ring of a cluster: each CTA arrives at the next one's object, after it has sent it data by st.async and red.async.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64) ring(u32 *out, u32 rounds)
{
    __shared__ u64 full, empty;
    __shared__ u32 box[64], count;
    u32 rank, size;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 64);
        count = 0;
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    u32 next = (rank + 1) % size, before = (rank + size - 1) % size, to, object, counter, back;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address(&box[threadIdx.x])), "r"(next));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(object) : "r"(address(&full)), "r"(next));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(counter) : "r"(address(&count)), "r"(next));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(back) : "r"(address(&empty)), "r"(before));
    u32 sum = 0;
    for (u32 r = 0; r < rounds; r++) {
        if (threadIdx.x == 0)
            expect(&full, 64 * 8); // a word and a count from each thread
        wait(&empty, r % 2 ^ 1);   // the next CTA has read the round before
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
                     "r"(1000 * rank + 100000 * r + threadIdx.x), "r"(object)
                     : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                     ::"r"(counter), "r"(threadIdx.x), "r"(object)
                     : "memory");
        wait(&full, r % 2);
        sum += box[threadIdx.x ^ 5];
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(back) : "memory");
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
    if (threadIdx.x == 0)
        out[256 + blockIdx.x] = count;
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// Each CTA of a cluster tells all four, itself included, by one instruction whose lanes go to different CTAs.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64) spread(u32 *out, u32 rounds)
{
    __shared__ u64 all;
    __shared__ u32 seen;
    if (threadIdx.x == 0) {
        init(&all, 4);
        seen = 0;
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    u32 to;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address(&all)), "r"(threadIdx.x % 4));
    for (u32 r = 0; r < rounds; r++) {
        if (threadIdx.x < 4)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(to) : "memory");
        wait(&all, r % 2);
        if (threadIdx.x == 40)
            seen++;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = seen;
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
