// arch: 90a 100a 120a
// build plain:
typedef unsigned long long u64;
typedef unsigned u32;
typedef unsigned short u16;
#define ONE if (threadIdx.x == 0)
#define BAR ".mbarrier::complete_tx::bytes"
__global__ void bulk(char *g, u32 s, u32 bar, u32 n, u16 mask, u64 hint)
{
    ONE
    {
        asm volatile("cp.async.bulk.shared::cluster.global" BAR " [%0], [%1], %2, [%3];" ::"r"(s), "l"(g), "r"(n),
                     "r"(bar)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global" BAR
                     ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(s),
                     "l"(g), "r"(n), "r"(bar), "h"(mask)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global" BAR ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(s),
                     "l"(g), "r"(n), "r"(bar), "l"(hint)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cta.global" BAR " [%0], [%1], 4096, [%2];" ::"r"(s), "l"(g), "r"(bar)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.shared::cta" BAR " [%0], [%1], %2, [%3];" ::"r"(s + 4096), "r"(s),
                     "r"(n), "r"(bar)
                     : "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(g), "r"(s), "r"(n) : "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(g), "r"(s),
                     "r"(n), "l"(hint)
                     : "memory");
#if __CUDA_ARCH__ >= 1000
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;" ::"l"(g), "r"(s), "r"(n),
                     "h"(mask)
                     : "memory");
        asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(s), "l"((u64)n) : "memory");
#endif
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(g), "r"(n) : "memory");
        asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(g), "r"(n), "l"(hint)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        g[1] = 1;
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        g[2] = 3;
    }
}
#define RED(op)                                                                                                        \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], %2;" ::"l"(g), "r"(s), "r"(n)  \
                 : "memory");
__global__ void reductions(char *g, u32 s, u32 bar, u32 n, u64 hint)
{
    ONE
    {
        RED("add.u32")
        RED("add.s32") RED("add.u64") RED("add.f32") RED("add.f64") RED("add.noftz.f16") RED("add.noftz.bf16") RED(
            "min.u32") RED("max.s32") RED("min.s64") RED("max.u64") RED("min.f16") RED("max.bf16") RED("and.b32")
            RED("or.b64") RED("xor.b32") RED("inc.u32") RED("dec.u32") asm volatile(
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [%0], [%1], %2, %3;" ::"l"(
                    g),
                "r"(s), "r"(n), "l"(hint)
                : "memory");
#define REDS(op)                                                                                                       \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta" BAR "." op                                         \
                 " [%0], [%1], %2, [%3];" ::"r"(s + 1024),                                                             \
                 "r"(s), "r"(n), "r"(bar)                                                                              \
                 : "memory");
        REDS("add.u32")
        REDS("add.s32") REDS("min.u32") REDS("max.s32") REDS("and.b32") REDS("or.b32") REDS("xor.b32") REDS("inc.u32")
            REDS("dec.u32") REDS("add.u64")
    }
}
#define C1 "{%2}"
#define C2 "{%2,%3}"
#define C3 "{%2,%3,%4}"
#define C4 "{%2,%3,%4,%5}"
#define C5 "{%2,%3,%4,%5,%6}"
#define XYZ "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
#define ARGS const void *map, u32 s, u32 bar, int x, int y, int z, int w, int v, u16 mask, u64 hint, u16 i0, u16 i1
#define LOAD(n)                                                                                                        \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile" BAR " [%0], [%1, " C##n                    \
                 "], [%7];" ::"r"(s),                                                                                  \
                 "l"(map), XYZ, "r"(bar)                                                                               \
                 : "memory");
#define CAST(n)                                                                                                        \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile" BAR ".multicast::cluster [%0], [%1, " C##n \
                 "], [%7], %8;" ::"r"(s),                                                                              \
                 "l"(map), XYZ, "r"(bar), "h"(mask)                                                                    \
                 : "memory");
#define HINT(n)                                                                                                        \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile" BAR                                        \
                 ".multicast::cluster.L2::cache_hint [%0], [%1, " C##n "], [%7], %8, %9;" ::"r"(s),                    \
                 "l"(map), XYZ, "r"(bar), "h"(mask), "l"(hint)                                                         \
                 : "memory");
#define STORE(n)                                                                                                       \
    asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%1, " C##n "], [%0];" ::"r"(s),     \
                 "l"(map), XYZ                                                                                         \
                 : "memory");
#define PREF(n)                                                                                                        \
    asm volatile("cp.async.bulk.prefetch.tensor." #n "d.L2.global.tile [%1, " C##n "];" ::"r"(s), "l"(map), XYZ        \
                 : "memory");
#define RTEN(n, op)                                                                                                    \
    asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." op ".tile.bulk_group [%1, " C##n            \
                 "], [%0];" ::"r"(s),                                                                                  \
                 "l"(map), XYZ                                                                                         \
                 : "memory");
#define EACH(f) f(1) f(2) f(3) f(4) f(5)
__global__ void loads(ARGS)
{
    ONE { EACH(LOAD) EACH(CAST) EACH(HINT) }
}
__global__ void stores(ARGS)
{
    ONE
    {
        EACH(STORE)
        EACH(PREF) asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%1, {%2,%3}], [%0], %4;" ::"r"(
                s),
            "l"(map), "r"(x), "r"(y), "l"(hint)
            : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [%0, {%1,%2}], %3;" ::"l"(map),
                     "r"(x), "r"(y), "l"(hint)
                     : "memory");
    }
}
__global__ void tensor_reductions(ARGS)
{
    ONE
    {
        RTEN(1, "add")
        RTEN(2, "min") RTEN(3, "max") RTEN(4, "inc") RTEN(5, "dec") RTEN(1, "and") RTEN(2, "or")
            RTEN(3, "xor") asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group.L2::"
                                        "cache_hint [%1, {%2,%3}], [%0], %4;" ::"r"(s),
                                        "l"(map), "r"(x), "r"(y), "l"(hint)
                                        : "memory");
    }
}
__global__ void im2col(ARGS)
{
    ONE
    {
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col" BAR
                     " [%0], [%1, {%2,%3,%4}], [%5], {%6};" ::"r"(s),
                     "l"(map), "r"(x), "r"(y), "r"(z), "r"(bar), "h"(i0)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col" BAR
                     ".multicast::cluster [%0], [%1, {%2,%3,%4,%4}], [%5], {%6,%7}, %8;" ::"r"(s),
                     "l"(map), "r"(x), "r"(y), "r"(z), "r"(bar), "h"(i0), "h"(i1), "h"(mask)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col" BAR
                     " [%0], [%1, {%2,%3,%4,%4,%3}], [%5], {%6,%7,%7};" ::"r"(s),
                     "l"(map), "r"(x), "r"(y), "r"(z), "r"(bar), "h"(i0), "h"(i1)
                     : "memory");
        asm volatile(
            "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%1, {%2,%3,%4}], [%0];" ::"r"(s),
            "l"(map), "r"(x), "r"(y), "r"(z)
            : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%0, {%1,%2,%3,%3}], {%4,%5};" ::"l"(map),
                     "r"(x), "r"(y), "r"(z), "h"(i0), "h"(i1)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group [%1, "
                     "{%2,%3,%4,%4}], [%0];" ::"r"(s),
                     "l"(map), "r"(x), "r"(y), "r"(z)
                     : "memory");
    }
}
__global__ void maps(char *g, u32 s, void *h, u32 v)
{
    ONE
    {
        asm volatile("prefetch.tensormap [%0];" ::"l"(g) : "memory");
        asm volatile("prefetch.param.tensormap [%0];" ::"l"(g) : "memory");
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(g) : "memory");
        asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
        asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(g) : "memory");
        asm volatile("fence.proxy.tensormap::generic.release.cta;" ::: "memory");
        g[3] = 1;
    }
#define REP(f, t, r, x)                                                                                                \
    asm volatile("tensormap.replace.tile." f ".shared::cta.b1024." t " [%0], " x ";" ::"r"(s), r : "memory");
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(s), "l"(h) : "memory");
    asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(s), "r"(v) : "memory");
    asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s), "r"(v) : "memory");
    asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 2, %1;" ::"l"(g), "r"(v) : "memory");
    asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 1, %1;" ::"r"(s), "l"((u64)h)
                 : "memory");
    asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 3, %1;" ::"r"(s), "r"(v)
                 : "memory");
    asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 6;" ::"r"(s) : "memory");
    asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 1;" ::"r"(s) : "memory");
    asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;" ::"r"(s) : "memory");
    asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;" ::"r"(s) : "memory");
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
            g),
        "r"(s)
        : "memory");
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned [%0], [%1], 128;" ::"l"(
            g),
        "r"(s)
        : "memory");
}
#if __CUDA_ARCH__ >= 1000
__global__ void work_stealing(u32 *out, u32 s, u32 bar)
{
    ONE
    {
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta" BAR ".b128 [%0], [%1];" ::"r"(s), "r"(bar)
                     : "memory");
    }
    u64 a, b;
    asm volatile("ld.shared.v2.b64 {%0,%1}, [%2];" : "=l"(a), "=l"(b) : "r"(s));
    u32 p, x, y, z, w;
    asm volatile(
        "{.reg .b128 h; .reg .pred q; mov.b128 h, {%5,%6}; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 q, "
        "h; selp.u32 %0, 1, 0, q; @q clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1,%2,%3,%4}, h;}"
        : "=r"(p), "=r"(x), "=r"(y), "=r"(z), "=r"(w)
        : "l"(a), "l"(b));
    out[threadIdx.x] = p + x * y + z;
}
__global__ void work_cast(u32 s, u32 bar)
{
    ONE asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta" BAR
                     ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(s),
                     "r"(bar)
                     : "memory");
}
#endif
#if __CUDA_ARCH__ == 1000
#define G4 "[%1, {%2,%3,%4,%5,%6}]"
__global__ void gathers(ARGS)
{
    ONE
    {
        asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4" BAR " [%0], " G4 ", [%7];" ::"r"(s),
                     "l"(map), XYZ, "r"(bar)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4" BAR ".multicast::cluster [%0], " G4
                     ", [%7], %8;" ::"r"(s),
                     "l"(map), XYZ, "r"(bar), "h"(mask)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group " G4 ", [%0];" ::"r"(s),
                     "l"(map), XYZ
                     : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 " G4 ";" ::"r"(s), "l"(map), XYZ
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile" BAR
                     ".cta_group::2 [%0], [%1, {%2,%3}], [%4];" ::"r"(s),
                     "l"(map), "r"(x), "r"(y), "r"(bar)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile" BAR
                     ".multicast::cluster.cta_group::2 [%0], [%1, {%2,%3,%3}], [%4], %5;" ::"r"(s),
                     "l"(map), "r"(x), "r"(y), "r"(bar), "h"(mask)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w" BAR
                     " [%0], [%1, {%2,%3,%3}], [%4], {%5,%6};" ::"r"(s),
                     "l"(map), "r"(x), "r"(y), "r"(bar), "h"(i0), "h"(i1)
                     : "memory");
    }
}
#endif
