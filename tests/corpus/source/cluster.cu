// arch: 90a 100a 120a
// build plain:
// build debug: -G only=90a
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
typedef unsigned long long u64;
typedef unsigned u32;
__global__ void __cluster_dims__(2, 1, 1) neighbours(int *out)
{
    __shared__ int s[32];
    auto c = cg::this_cluster();
    s[threadIdx.x] = threadIdx.x * 3;
    c.sync();
    int *far = c.map_shared_rank(s, c.block_rank() ^ 1);
    out[threadIdx.x] = far[threadIdx.x] + c.num_blocks();
    atomicAdd(far + 1, 5);
    far[3] = 4;
    c.barrier_arrive();
    out[77] = 3;
    c.barrier_wait();
    out[threadIdx.x + 32] = s[1] + c.query_shared_rank(far);
}
__global__ void arrival(int *x)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    x[0] = 1;
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    x[1] = 1;
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    x[2] = 1;
    if (x[threadIdx.x] > 2) {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        asm volatile("barrier.cluster.wait;" ::: "memory");
    }
    x[3] = 4;
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__global__ void mapped(u32 *out, u32 rank)
{
    __shared__ u32 s[8];
    u32 a, b;
    u64 p;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"((u32)__cvta_generic_to_shared(s)), "r"(rank));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(b) : "r"(a));
    asm("mapa.u64 %0, %1, 3;" : "=l"(p) : "l"(s));
    out[0] = b;
    out[1] = *(u32 *)p;
    asm("getctarank.u64 %0, %1;" : "=r"(b) : "l"(p));
    out[2] = b;
    asm volatile("ld.shared::cluster.u32 %0, [%1+4];" : "=r"(b) : "r"(a));
    out[3] = b;
    asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(a), "r"(b), "r"(rank));
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(b) : "r"(a), "r"(rank));
    out[4] = b;
    asm volatile("red.relaxed.cluster.global.add.u32 [%0], %1;" ::"l"(out), "r"(b));
    asm volatile("ld.acquire.cluster.u32 %0, [%1];" : "=r"(b) : "l"(out));
    out[5] = b + __isClusterShared((void *)p);
    asm volatile("st.release.cluster.global.u32 [%0], %1;" ::"l"(out + 9), "r"(b));
    asm volatile("atom.acq_rel.cluster.global.cas.b32 %0, [%1], %2, 7;" : "=r"(b) : "l"(out), "r"(rank));
    out[6] = b;
}
__global__ void remote(u32 a, u32 bar, u32 v, u64 w)
{
    v += threadIdx.x;
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(a), "r"(v),
                 "r"(bar)
                 : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0+8], %1, [%2];" ::"r"(a), "l"(w),
                 "r"(bar)
                 : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0+16], {%1,%1}, [%2];" ::"r"(a),
                 "l"(w), "r"(bar)
                 : "memory");
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0+32], {%1,%1,%1,%1}, [%2];" ::"r"(a),
        "r"(v), "r"(bar)
        : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0+64], {%1,%1}, [%2];" ::"r"(a),
                 "f"((float)v), "r"(bar)
                 : "memory");
#define RA(op, t, r, x)                                                                                                \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." #op "." #t                  \
                 " [%0], %1, [%2];" ::"r"(a),                                                                          \
                 r(x), "r"(bar)                                                                                        \
                 : "memory");
    RA(inc, u32, "r", v)
    RA(dec, u32, "r", v) RA(min, u32, "r", v) RA(max, s32, "r", v) RA(add, u32, "r", v) RA(and, b32, "r", v)
        RA(or, b32, "r", v) RA(xor, b32, "r", v) RA(add, u64, "l", w) RA(min, s32, "r", v)
}
__global__ void dependent(int *x)
{
    x[0] = 1;
    asm volatile("griddepcontrol.launch_dependents;");
    x[1] = 2;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    x[2] = x[3];
}
__global__ void multimem(u32 *p, u32 v, u64 w)
{
    u32 d, e, f, g;
    u64 q;
    float a, b, c, h;
#define MLD(sem, op, t, r, to)                                                                                         \
    asm volatile("multimem.ld_reduce." sem ".global." #op "." #t " %0, [%1];" : "=" r(to) : "l"(p) : "memory");        \
    p[threadIdx.x] = (u32)to;
    MLD("weak", add, u32, "r", d)
    MLD("relaxed.gpu", min, s32, "r", d) MLD("acquire.sys", and, b32, "r", d) MLD("weak", max, u64, "l", q)
        MLD("relaxed.cta", or, b64, "l", q) MLD("weak", add, f32, "f", a) MLD("weak", xor, b32, "r", d)
            MLD("weak", add, f16x2, "r", d) MLD("weak", min, bf16x2, "r", d) asm volatile(
                "multimem.ld_reduce.weak.global.add.v4.f32 {%0,%1,%2,%3}, [%4];"
                : "=f"(a), "=f"(b), "=f"(c), "=f"(h)
                : "l"(p));
    p[threadIdx.x] = a + b + c + h;
    asm volatile("multimem.ld_reduce.weak.global.add.acc::f32.v4.bf16x2 {%0,%1,%2,%3}, [%4];"
                 : "=r"(d), "=r"(e), "=r"(f), "=r"(g)
                 : "l"(p));
    p[threadIdx.x] = d + e + f + g;
    asm volatile("multimem.ld_reduce.weak.global.max.v4.f16x2 {%0,%1,%2,%3}, [%4];"
                 : "=r"(d), "=r"(e), "=r"(f), "=r"(g)
                 : "l"(p));
    p[threadIdx.x] = d + e + f + g;
    asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    asm volatile("multimem.red.release.sys.global.or.b64 [%0], %1;" ::"l"(p), "l"(w) : "memory");
    asm volatile("multimem.red.relaxed.cta.global.add.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(p), "f"(a) : "memory");
    asm volatile("multimem.red.relaxed.sys.global.add.v2.f16x2 [%0], {%1,%1};" ::"l"(p), "r"(v) : "memory");
    asm volatile("multimem.st.weak.global.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    asm volatile("multimem.st.release.gpu.global.b64 [%0], %1;" ::"l"(p), "l"(w) : "memory");
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(p), "f"(a) : "memory");
}
