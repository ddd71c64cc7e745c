// The tests of tests.def, each a kernel that runs it many times with varied delays. build.sh compiles it.
#include "ops.h"

#define DEVICE __device__ __forceinline__

template <unsigned OP> DEVICE unsigned load(unsigned long long at)
{
    unsigned value = 0;
#define LOAD(order, scope, text)                                                                                       \
    if constexpr (LITMUS_ORDER(OP) == order && LITMUS_SCOPE(OP) == scope)                                              \
        asm volatile("ld." text ".global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    LOAD(RLX, CTA, "relaxed.cta")
    LOAD(RLX, GPU, "relaxed.gpu")
    LOAD(ACQ, CTA, "acquire.cta")
    LOAD(ACQ, GPU, "acquire.gpu")
    LOAD(ACQ, SYS, "acquire.sys")
    LOAD(VOL, SYS, "volatile")
    if constexpr (LITMUS_ORDER(OP) == WEAK)
        asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

template <unsigned OP> DEVICE void store(unsigned long long at)
{
#define STORE(order, scope, text)                                                                                      \
    if constexpr (LITMUS_ORDER(OP) == order && LITMUS_SCOPE(OP) == scope)                                              \
        asm volatile("st." text ".global.u32 [%0], %1;" ::"l"(at), "r"(LITMUS_VALUE(OP)) : "memory");
    STORE(RLX, CTA, "relaxed.cta")
    STORE(RLX, GPU, "relaxed.gpu")
    STORE(REL, CTA, "release.cta")
    STORE(REL, GPU, "release.gpu")
    STORE(REL, SYS, "release.sys")
    STORE(VOL, SYS, "volatile")
    if constexpr (LITMUS_ORDER(OP) == WEAK)
        asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(at), "r"(LITMUS_VALUE(OP)) : "memory");
}

template <unsigned OP> DEVICE unsigned exchange(unsigned long long at)
{
    unsigned value = 0;
#define EXCHANGE(order, scope, text)                                                                                   \
    if constexpr (LITMUS_ORDER(OP) == order && LITMUS_SCOPE(OP) == scope)                                              \
        asm volatile("atom." text ".global.exch.b32 %0, [%1], %2;"                                                     \
                     : "=r"(value)                                                                                     \
                     : "l"(at), "r"(LITMUS_VALUE(OP))                                                                  \
                     : "memory");
    EXCHANGE(RLX, CTA, "relaxed.cta")
    EXCHANGE(RLX, GPU, "relaxed.gpu")
    EXCHANGE(ACQ, CTA, "acquire.cta")
    EXCHANGE(ACQ, GPU, "acquire.gpu")
    EXCHANGE(REL, CTA, "release.cta")
    EXCHANGE(REL, GPU, "release.gpu")
    return value;
}

template <unsigned OP> DEVICE void fence()
{
#define FENCE(order, scope, text)                                                                                      \
    if constexpr (LITMUS_ORDER(OP) == order && LITMUS_SCOPE(OP) == scope)                                              \
        asm volatile("fence." text ";" ::: "memory");
    FENCE(AR, CTA, "acq_rel.cta")
    FENCE(AR, GPU, "acq_rel.gpu")
    FENCE(SC, CTA, "sc.cta")
    FENCE(SC, GPU, "sc.gpu")
}

// The operations of one thread from number I on. The reads so far are READS.
template <unsigned long long THREAD, int I, int READS>
DEVICE void run(unsigned long long at, unsigned stride, unsigned (&value)[LITMUS_READS])
{
    if constexpr (I < LITMUS_OPS) {
        constexpr unsigned op = LITMUS_AT(THREAD, I), kind = LITMUS_KIND(op);
        constexpr bool reads = kind == OP_LOAD || kind == OP_EXCHANGE;
        unsigned long long place = at + LITMUS_LOCATION(op) * stride;
        if constexpr (kind == OP_STORE)
            store<op>(place);
        if constexpr (kind == OP_LOAD)
            value[READS] = load<op>(place);
        if constexpr (kind == OP_EXCHANGE)
            value[READS] = exchange<op>(place);
        if constexpr (kind == OP_FENCE)
            fence<op>();
        run<THREAD, I + 1, READS + reads>(at, stride, value);
    }
}

DEVICE unsigned look(unsigned long long at)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

DEVICE void reduce(unsigned long long at)
{
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
}

// Reductions to the other sectors of one location's line, so that its slice is behind.
DEVICE void make_noise(const litmus_args &a, unsigned roles)
{
    for (;;) {
        unsigned k = look(a.sync) / roles;
        if (k >= a.iterations)
            return;
        if (!(k & 4))
            __nanosleep(200);
        unsigned long long number = k * LITMUS_LOCATIONS + k % LITMUS_LOCATIONS;
        unsigned long long line = a.locations + number * a.stride;
#pragma unroll 1
        for (unsigned i = 0; i < 6 * (k & 4); i++)
            reduce(line + 32 + 4 * ((threadIdx.x + i) % 24));
    }
}

DEVICE long long now()
{
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

// All roles leave at about the same time, `delay` cycles apart at most: the last one to come says when. (That clocks of
// different SMs agree is good for the test and not needed: a role that comes late goes at once.)
DEVICE void meet(const litmus_args &a, unsigned roles, unsigned k, unsigned role)
{
    enum { AHEAD = 2000 };
    unsigned before, start;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(a.sync) : "memory");
    if (before == (k + 1) * roles - 1)
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(a.sync + 128 + 4 * k), "r"((unsigned)now() + AHEAD | 1)
                     : "memory");
    while (!(start = look(a.sync + 128 + 4 * k)))
        __nanosleep(50);
    unsigned mixed = (a.seed + k * LITMUS_THREADS + role) * 2654435761u;
    start += (mixed >> 16) % a.delay;
    unsigned left = start - (unsigned)now();
    if (left > AHEAD + a.delay) // late, or another clock
        return;
    __nanosleep(left / 4); // less than that many cycles
    while ((int)(start - (unsigned)now()) > 0)
        ;
}

template <int ROLES, unsigned long long A, unsigned long long B, unsigned long long C, unsigned long long D>
DEVICE void litmus(const litmus_args &a)
{
    int role = -1;
    bool here = false;
    for (int i = 0; i < ROLES; i++) {
        here |= blockIdx.x == a.cta[i];
        if (blockIdx.x == a.cta[i] && threadIdx.x == a.thread[i])
            role = i;
    }
    if (role < 0) {
        if (here && a.noise && threadIdx.x >= a.noise)
            make_noise(a, ROLES);
        return;
    }
#pragma unroll 1
    for (unsigned k = 0; k < a.iterations; k++) {
        unsigned long long at = a.locations + k * LITMUS_LOCATIONS * (unsigned long long)a.stride;
        unsigned value[LITMUS_READS] = {0, 0};
        meet(a, ROLES, k, role);
        if (role == 0)
            run<A, 0, 0>(at, a.stride, value);
        else if (role == 1)
            run<B, 0, 0>(at, a.stride, value);
        else if (role == 2)
            run<C, 0, 0>(at, a.stride, value);
        else
            run<D, 0, 0>(at, a.stride, value);
        unsigned *out = (unsigned *)a.out + (k * LITMUS_THREADS + role) * LITMUS_READS;
        for (int i = 0; i < LITMUS_READS; i++)
            out[i] = value[i];
    }
}

#define LITMUS(name, roles, a, b, c, d)                                                                                \
    extern "C" __global__ void name(const litmus_args args) { litmus<roles, a, b, c, d>(args); }
#include "tests.def"
