// arch: 100a
// build plain:
typedef unsigned long long u64;
typedef unsigned u32;
typedef unsigned short u16;
#define ONE if (threadIdx.x == 0)
__global__ void allocations(u32 s, u32 t, u32 n)
{
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(s), "r"(n) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(t), "r"(n) : "memory");
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(s) : "memory");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 512;" ::"r"(t) : "memory");
}
__global__ void __cluster_dims__(2, 1, 1) allocations2(u32 s, u32 t, u32 n)
{
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(s), "r"(n) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 64;" ::"r"(t) : "memory");
}
#define P "{.reg .pred q; setp.ne.b32 q, "
#define PLAIN(g, kind)                                                                                                 \
    __global__ void mma_##kind##_##g(u32 d, u32 a, u64 da, u64 db, u32 idesc, u32 keep, u32 m0, u32 m1, u32 m2,        \
                                     u32 m3)                                                                           \
    {                                                                                                                  \
        ONE                                                                                                            \
        {                                                                                                              \
            asm volatile(P "%4, 0; tcgen05.mma.cta_group::" #g ".kind::" #kind " [%0], %1, %2, %3, q;}" ::"r"(d),      \
                         "l"(da), "l"(db), "r"(idesc), "r"(keep)                                                       \
                         : "memory");                                                                                  \
            asm volatile(P "%4, 0; tcgen05.mma.cta_group::" #g ".kind::" #kind " [%0], [%1], %2, %3, q;}" ::"r"(d),    \
                         "r"(a), "l"(db), "r"(idesc), "r"(keep)                                                        \
                         : "memory");                                                                                  \
            asm volatile(P "%4, 0; tcgen05.mma.cta_group::" #g ".kind::" #kind                                         \
                           ".collector::a::fill [%0], %1, %2, %3, q;}" ::"r"(d),                                       \
                         "l"(da), "l"(db), "r"(idesc), "r"(keep)                                                       \
                         : "memory");                                                                                  \
            asm volatile(P "%4, 0; tcgen05.mma.cta_group::" #g ".kind::" #kind                                         \
                           ".collector::a::use [%0], %1, %2, %3, q;}" ::"r"(d),                                        \
                         "l"(da), "l"(db), "r"(idesc), "r"(keep)                                                       \
                         : "memory");                                                                                  \
            asm volatile(P "%4, 0; tcgen05.mma.cta_group::" #g ".kind::" #kind                                         \
                           ".collector::a::lastuse [%0], [%1], %2, %3, q;}" ::"r"(d),                                  \
                         "r"(a), "l"(db), "r"(idesc), "r"(keep)                                                        \
                         : "memory");                                                                                  \
        }                                                                                                              \
    }
PLAIN(1, f16)
PLAIN(1, tf32)
PLAIN(1, f8f6f4)
PLAIN(1, i8)
PLAIN(2, f16)
PLAIN(2, tf32)
PLAIN(2, f8f6f4)
PLAIN(2, i8)
__global__ void masked(u32 d, u32 a, u64 da, u64 db, u32 idesc, u32 keep, u32 m0, u32 m1, u32 m2, u32 m3)
{
    ONE
    {
        asm volatile(P "%4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, {%5,%6,%7,%8}, q;}" ::"r"(d),
                     "l"(da), "l"(db), "r"(idesc), "r"(keep), "r"(m0), "r"(m1), "r"(m2), "r"(m3)
                     : "memory");
        asm volatile(P "%4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, {%5,%6,%7,%8}, q, 3;}" ::"r"(d),
                     "r"(a), "l"(db), "r"(idesc), "r"(keep), "r"(m0), "r"(m1), "r"(m2), "r"(m3)
                     : "memory");
        asm volatile(P "%4, 0; tcgen05.mma.cta_group::1.kind::tf32 [%0], %1, %2, %3, q, 15;}" ::"r"(d), "l"(da),
                     "l"(db), "r"(idesc), "r"(keep)
                     : "memory");
        asm volatile("tcgen05.mma.cta_group::1.kind::f16.ashift [%0], [%1], %2, %3, 1;" ::"r"(d), "r"(a), "l"(db),
                     "r"(idesc)
                     : "memory");
    }
}
__global__ void masked2(u32 d, u64 da, u64 db, u32 idesc, u32 keep, u32 m0, u32 m1, u32 m2, u32 m3)
{
    u32 a = 0;
    ONE
    {
        asm volatile(
            P "%4, 0; tcgen05.mma.cta_group::2.kind::i8 [%0], %1, %2, %3, {%5,%6,%7,%8,%8,%7,%6,%5}, q;}" ::"r"(d),
            "l"(da), "l"(db), "r"(idesc), "r"(keep), "r"(m0), "r"(m1), "r"(m2), "r"(m3)
            : "memory");
    }
}
#define SCALED(g, name, kind)                                                                                          \
    __global__ void scaled_##name##_##g(u32 d, u32 a, u64 da, u64 db, u32 idesc, u32 keep, u32 sa, u32 sb)             \
    {                                                                                                                  \
        ONE                                                                                                            \
        {                                                                                                              \
            asm volatile(P "%4, 0; tcgen05.mma.cta_group::" #g ".kind::" kind                                          \
                           " [%0], %1, %2, %3, [%5], [%6], q;}" ::"r"(d),                                              \
                         "l"(da), "l"(db), "r"(idesc), "r"(keep), "r"(sa), "r"(sb)                                     \
                         : "memory");                                                                                  \
            asm volatile(P "%4, 0; tcgen05.mma.cta_group::" #g ".kind::" kind                                          \
                           " [%0], [%1], %2, %3, [%5], [%6], q;}" ::"r"(d),                                            \
                         "r"(a), "l"(db), "r"(idesc), "r"(keep), "r"(sa), "r"(sb)                                      \
                         : "memory");                                                                                  \
        }                                                                                                              \
    }
SCALED(1, mxf8, "mxf8f6f4.block_scale.scale_vec::1X")
SCALED(1, mxf4, "mxf4.block_scale.scale_vec::2X")
SCALED(1, nv2, "mxf4nvf4.block_scale.scale_vec::2X")
SCALED(1, nv4, "mxf4nvf4.block_scale.scale_vec::4X")
SCALED(2, mxf8, "mxf8f6f4.block_scale.scale_vec::1X")
SCALED(2, nv4, "mxf4nvf4.block_scale.scale_vec::4X")
#define WS(name, kind, col)                                                                                            \
    __global__ void ws_##name(u32 d, u32 a, u64 da, u64 db, u32 idesc, u32 keep, u64 zero)                             \
    {                                                                                                                  \
        ONE                                                                                                            \
        {                                                                                                              \
            asm volatile(P "%4, 0; tcgen05.mma.ws.cta_group::1.kind::" kind col " [%0], %1, %2, %3, q;}" ::"r"(d),     \
                         "l"(da), "l"(db), "r"(idesc), "r"(keep)                                                       \
                         : "memory");                                                                                  \
            asm volatile(P "%4, 0; tcgen05.mma.ws.cta_group::1.kind::" kind col                                        \
                           " [%0], [%1], %2, %3, q, %5;}" ::"r"(d),                                                    \
                         "r"(a), "l"(db), "r"(idesc), "r"(keep), "l"(zero)                                             \
                         : "memory");                                                                                  \
        }                                                                                                              \
    }
WS(f16, "f16", "")
WS(tf32, "tf32", ".collector::b0::fill")
WS(f8, "f8f6f4", ".collector::b1::use")
WS(i8, "i8", ".collector::b2::lastuse")
WS(f16d, "f16", ".collector::b3::discard")
#define SP(name, kind)                                                                                                 \
    __global__ void sp_##name(u32 d, u32 a, u64 da, u64 db, u32 meta, u32 idesc, u32 keep)                             \
    {                                                                                                                  \
        ONE                                                                                                            \
        {                                                                                                              \
            asm volatile(P "%5, 0; tcgen05.mma.sp.cta_group::1.kind::" kind " [%0], %1, %2, [%3], %4, q;}" ::"r"(d),   \
                         "l"(da), "l"(db), "r"(meta), "r"(idesc), "r"(keep)                                            \
                         : "memory");                                                                                  \
            asm volatile(P "%5, 0; tcgen05.mma.ws.sp.cta_group::1.kind::" kind                                         \
                           " [%0], %1, %2, [%3], %4, q;}" ::"r"(d),                                                    \
                         "l"(da), "l"(db), "r"(meta), "r"(idesc), "r"(keep)                                            \
                         : "memory");                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    __global__ void sp2_##name(u32 d, u32 a, u64 db, u32 meta, u32 idesc, u32 keep)                                    \
    {                                                                                                                  \
        ONE                                                                                                            \
        {                                                                                                              \
            asm volatile(P "%5, 0; tcgen05.mma.sp.cta_group::2.kind::" kind " [%0], [%1], %2, [%3], %4, q;}" ::"r"(d), \
                         "r"(a), "l"(db), "r"(meta), "r"(idesc), "r"(keep)                                             \
                         : "memory");                                                                                  \
        }                                                                                                              \
    }
SP(f16, "f16")
SP(tf32, "tf32")
SP(f8, "f8f6f4")
SP(i8, "i8")
#define CP(g, shape) asm volatile("tcgen05.cp.cta_group::" #g "." shape " [%0], %1;" ::"r"(t), "l"(desc) : "memory");
#define CPS(g)                                                                                                         \
    __global__ void copies_##g(u32 t, u64 desc)                                                                        \
    {                                                                                                                  \
        ONE                                                                                                            \
        {                                                                                                              \
            CP(g, "128x256b")                                                                                          \
            CP(g, "4x256b") CP(g, "128x128b") CP(g, "64x128b.warpx2::02_13") CP(g, "64x128b.warpx2::01_23")            \
                CP(g, "32x128b.warpx4") CP(g, "128x256b.b8x16.b4x16_p64") CP(g, "128x128b.b8x16.b6x16_p32")            \
                    CP(g, "32x128b.warpx4.b8x16.b6x16_p32") CP(g, "4x256b.b8x16.b4x16_p64")                            \
                        CP(g, "64x128b.warpx2::02_13.b8x16.b6x16_p32") asm volatile("tcgen05.shift.cta_group::" #g     \
                                                                                    ".down [%0];" ::"r"(t)             \
                                                                                    : "memory");                       \
        }                                                                                                              \
    }
CPS(1)
CPS(2)
__global__ void commits(u32 bar, u16 mask, u64 wide)
{
    ONE
    {
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar)
                     : "memory");
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                bar),
            "h"(mask)
            : "memory");
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%0];" ::"l"(wide) : "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
__global__ void __cluster_dims__(2, 1, 1) commits2(u32 bar, u16 mask)
{
    ONE
    {
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar)
                     : "memory");
        asm volatile(
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                bar),
            "h"(mask)
            : "memory");
    }
}
#define WAITS asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#define LD1(shape, n, pack, tail)                                                                                      \
    asm volatile("tcgen05.ld.sync.aligned." shape "." n pack ".b32 {%0}, [%1]" tail ";"                                \
                 : "=r"(v[0])                                                                                          \
                 : "r"(t)                                                                                              \
                 : "memory");                                                                                          \
    WAITS out[threadIdx.x] = v[0];
#define LD2(shape, n, pack, tail)                                                                                      \
    asm volatile("tcgen05.ld.sync.aligned." shape "." n pack ".b32 {%0,%1}, [%2]" tail ";"                             \
                 : "=r"(v[0]), "=r"(v[1])                                                                              \
                 : "r"(t)                                                                                              \
                 : "memory");                                                                                          \
    WAITS out[threadIdx.x] = v[0] + v[1];
#define LD4(shape, n, pack, tail)                                                                                      \
    asm volatile("tcgen05.ld.sync.aligned." shape "." n pack ".b32 {%0,%1,%2,%3}, [%4]" tail ";"                       \
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])                                                      \
                 : "r"(t + 16)                                                                                         \
                 : "memory");                                                                                          \
    WAITS out[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
#define LD8(shape, n, pack, tail)                                                                                      \
    asm volatile("tcgen05.ld.sync.aligned." shape "." n pack ".b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]" tail ";"           \
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7])      \
                 : "r"(t)                                                                                              \
                 : "memory");                                                                                          \
    WAITS out[threadIdx.x] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
#define O4(i) "=r"(v[i]), "=r"(v[i + 1]), "=r"(v[i + 2]), "=r"(v[i + 3])
#define O16(i) O4(i), O4(i + 4), O4(i + 8), O4(i + 12)
#define I4(i) "r"(v[i]), "r"(v[i + 1]), "r"(v[i + 2]), "r"(v[i + 3])
#define I16(i) I4(i), I4(i + 4), I4(i + 8), I4(i + 12)
#define T16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define T32 T16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define T64                                                                                                            \
    T32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%"   \
        "58,%59,%60,%61,%62,%63"
#define SUM(n)                                                                                                         \
    {                                                                                                                  \
        u32 s = 0;                                                                                                     \
        for (int i = 0; i < n; i++)                                                                                    \
            s ^= v[i] + i;                                                                                             \
        out[threadIdx.x] = s;                                                                                          \
    }
__global__ void loads(u32 *out, u32 t)
{
    u32 v[64];
    LD1("16x64b", "x1", "", "")
    LD2("16x64b", "x2", "", "") LD4("16x64b", "x4", "", "") LD8("16x64b", "x8", "", "") LD2("16x128b", "x1", "", "")
        LD4("16x128b", "x2", "", "") LD8("16x128b", "x4", "", "") LD4("16x256b", "x1", "", "")
            LD8("16x256b", "x2", "", "") LD1("32x32b", "x1", "", "") LD2("32x32b", "x2", "", "")
                LD4("32x32b", "x4", "", "") LD8("32x32b", "x8", "", "") LD1("32x32b", "x1", ".pack::16b", "")
                    LD4("16x64b", "x4", ".pack::16b", "") LD8("16x256b", "x2", ".pack::16b", "")
                        LD4("16x128b", "x2", ".pack::16b", "") LD1("16x32bx2", "x1", "", ", 2")
                            LD2("16x32bx2", "x2", "", ", 4") LD8("16x32bx2", "x8", ".pack::16b", ", 16") asm volatile(
                                "tcgen05.ld.sync.aligned.32x32b.x16.b32 {" T16 "}, [%16];"
                                : O16(0)
                                : "r"(t)
                                : "memory");
    WAITS SUM(16) asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {" T32 "}, [%32];"
                               : O16(0), O16(16)
                               : "r"(t)
                               : "memory");
    WAITS SUM(32) asm volatile("tcgen05.ld.sync.aligned.16x256b.x16.b32 {" T64 "}, [%64];"
                               : O16(0), O16(16), O16(32), O16(48)
                               : "r"(t)
                               : "memory");
    WAITS SUM(64) asm volatile("tcgen05.ld.sync.aligned.16x128b.x16.b32 {" T32 "}, [%32];"
                               : O16(0), O16(16)
                               : "r"(t)
                               : "memory");
    WAITS SUM(32) asm volatile("tcgen05.ld.sync.aligned.32x32b.x64.b32 {" T64 "}, [%64];"
                               : O16(0), O16(16), O16(32), O16(48)
                               : "r"(t)
                               : "memory");
    WAITS SUM(64)
}
#define ST1(shape, n, un, imm)                                                                                         \
    asm volatile("tcgen05.st.sync.aligned." shape "." n un ".b32 [%1]" imm ", {%0};" ::"r"(v[0]), "r"(t) : "memory");
#define ST2(shape, n, un, imm)                                                                                         \
    asm volatile("tcgen05.st.sync.aligned." shape "." n un ".b32 [%2]" imm ", {%0,%1};" ::"r"(v[0]), "r"(v[1]), "r"(t) \
                 : "memory");
#define ST4(shape, n, un, imm)                                                                                         \
    asm volatile("tcgen05.st.sync.aligned." shape "." n un ".b32 [%4]" imm ", {%0,%1,%2,%3};" ::I4(0), "r"(t)          \
                 : "memory");
#define ST8(shape, n, un, imm)                                                                                         \
    asm volatile("tcgen05.st.sync.aligned." shape "." n un ".b32 [%8]" imm ", {%0,%1,%2,%3,%4,%5,%6,%7};" ::I4(0),     \
                 I4(4), "r"(t)                                                                                         \
                 : "memory");
__global__ void stores(const u32 *in, u32 t)
{
    u32 v[64];
    for (int i = 0; i < 64; i++)
        v[i] = in[i * 32 + threadIdx.x];
    ST1("16x64b", "x1", "", "")
    ST2("16x64b", "x2", "", "") ST4("16x64b", "x4", "", "") ST2("16x128b", "x1", "", "") ST4("16x128b", "x2", "", "")
        ST4("16x256b", "x1", "", "") ST8("16x256b", "x2", "", "") ST1("32x32b", "x1", "", "")
            ST2("32x32b", "x2", "", "") ST4("32x32b", "x4", "", "") ST8("32x32b", "x8", "", "")
                ST4("32x32b", "x4", ".unpack::16b", "") ST8("16x256b", "x2", ".unpack::16b", "")
                    ST1("16x32bx2", "x1", "", ", 2") ST4("16x32bx2", "x4", ".unpack::16b", ", 8") asm volatile(
                        "tcgen05.st.sync.aligned.32x32b.x16.b32 [%16], {" T16 "};" ::I16(0), "r"(t)
                        : "memory");
    asm volatile("tcgen05.st.sync.aligned.32x32b.x32.b32 [%32], {" T32 "};" ::I16(0), I16(16), "r"(t) : "memory");
    asm volatile("tcgen05.st.sync.aligned.16x64b.x64.b32 [%64], {" T64 "};" ::I16(0), I16(16), I16(32), I16(48), "r"(t)
                 : "memory");
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
__global__ void fp(float *out, u32 t)
{
    u32 v[4];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(t + (threadIdx.x / 32 << 21))
                 : "memory");
    WAITS for (int i = 0; i < 4; i++) out[i * 128 + threadIdx.x] = __uint_as_float(v[i]) * 0.5f + 1.f;
}
