// arch: 90a
// build plain:
typedef unsigned long long u64;
#define L4 "%0,%1,%2,%3"
#define L8 L4 ",%4,%5,%6,%7"
#define L16 L8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define L32 L16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define L64                                                                                                            \
    L32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%"   \
        "58,%59,%60,%61,%62,%63"
#define O2(c, i) "+" c(d[i]), "+" c(d[i + 1])
#define O4(c, i) O2(c, i), O2(c, i + 2)
#define O8(c, i) O4(c, i), O4(c, i + 4)
#define O16(c, i) O8(c, i), O8(c, i + 8)
#define O32(c, i) O16(c, i), O16(c, i + 16)
#define O64(c, i) O32(c, i), O32(c, i + 32)
#define GO "wgmma.fence.sync.aligned;"
#define DONE "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
/* A and B in shared memory, then A in registers. `a`, `b`, `p` ... are the positions of the operands after D. */
#define SS(name, T, c, n, ptx, a, b, p, tail)                                                                          \
    __global__ void ss_##name(T *out, u64 da, u64 db, int keep)                                                        \
    {                                                                                                                  \
        T d[n];                                                                                                        \
        for (int i = 0; i < n; i++)                                                                                    \
            d[i] = out[i * 128 + threadIdx.x];                                                                         \
        asm volatile("{.reg .pred q; setp.ne.b32 q, " p ", 0;" GO "wgmma.mma_async.sync.aligned." ptx " {" L##n        \
                     "}, " a ", " b ", q" tail ";" DONE "}"                                                            \
                     : O##n(c, 0)                                                                                      \
                     : "l"(da), "l"(db), "r"(keep));                                                                   \
        for (int i = 0; i < n; i++)                                                                                    \
            out[i * 128 + threadIdx.x] = d[i];                                                                         \
    }
#define RS(name, T, c, n, ptx, a0, a1, a2, a3, b, p, tail)                                                             \
    __global__ void rs_##name(T *out, const unsigned *x, u64 db, int keep)                                             \
    {                                                                                                                  \
        T d[n];                                                                                                        \
        for (int i = 0; i < n; i++)                                                                                    \
            d[i] = out[i * 128 + threadIdx.x];                                                                         \
        unsigned r[4];                                                                                                 \
        for (int i = 0; i < 4; i++)                                                                                    \
            r[i] = x[i * 128 + threadIdx.x];                                                                           \
        asm volatile("{.reg .pred q; setp.ne.b32 q, " p ", 0;" GO "wgmma.mma_async.sync.aligned." ptx " {" L##n        \
                     "}, {" a0 "," a1 "," a2 "," a3 "}, " b ", q" tail ";" DONE "}"                                    \
                     : O##n(c, 0)                                                                                      \
                     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(db), "r"(keep));                                \
        for (int i = 0; i < n; i++)                                                                                    \
            out[i * 128 + threadIdx.x] = d[i];                                                                         \
    }
#define F4(name, ptx, ts, tr)                                                                                          \
    SS(name##_n8, float, "f", 4, "m64n8" ptx, "%4", "%5", "%6", ts)                                                    \
    RS(name##_n8, float, "f", 4, "m64n8" ptx, "%4", "%5", "%6", "%7", "%8", "%9", tr)
#define F16(name, ptx, ts, tr)                                                                                         \
    SS(name##_n32, float, "f", 16, "m64n32" ptx, "%16", "%17", "%18", ts)                                              \
    RS(name##_n32, float, "f", 16, "m64n32" ptx, "%16", "%17", "%18", "%19", "%20", "%21", tr)
#define F64(name, ptx, ts, tr)                                                                                         \
    SS(name##_n128, float, "f", 64, "m64n128" ptx, "%64", "%65", "%66", ts)                                            \
    RS(name##_n128, float, "f", 64, "m64n128" ptx, "%64", "%65", "%66", "%67", "%68", "%69", tr)
F4(f16, "k16.f32.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0")
F4(f16neg, "k16.f32.f16.f16", ", -1, 1, 1, 0", ", -1, -1, 1")
F16(f16t, "k16.f32.f16.f16", ", 1, -1, 0, 1", ", 1, -1, 1")
F64(f16, "k16.f32.f16.f16", ", 1, 1, 1, 1", ", 1, 1, 0")
F4(bf16, "k16.f32.bf16.bf16", ", 1, 1, 0, 0", ", 1, 1, 1")
F16(bf16, "k16.f32.bf16.bf16", ", 1, 1, 1, 0", ", 1, 1, 0")
F64(bf16, "k16.f32.bf16.bf16", ", 1, 1, 0, 0", ", 1, 1, 1")
F4(tf32, "k8.f32.tf32.tf32", ", 1, 1", ", 1, -1")
F16(tf32, "k8.f32.tf32.tf32", ", 1, 1", ", -1, 1")
F64(tf32, "k8.f32.tf32.tf32", ", 1, 1", ", 1, 1")
F4(e4m3, "k32.f32.e4m3.e4m3", ", 1, 1", ", 1, 1")
F16(e45, "k32.f32.e4m3.e5m2", ", 1, -1", ", 1, 1")
F4(e54, "k32.f32.e5m2.e4m3", ", 1, 1", ", 1, 1")
F64(e5m2, "k32.f32.e5m2.e5m2", ", 1, 1", ", 1, 1")
#define H4(name, ptx, ts, tr)                                                                                          \
    SS(name##_h16, unsigned, "r", 4, "m64n16" ptx, "%4", "%5", "%6", ts)                                               \
    RS(name##_h16, unsigned, "r", 4, "m64n16" ptx, "%4", "%5", "%6", "%7", "%8", "%9", tr)
H4(half, "k16.f16.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0")
H4(half2, "k16.f16.f16.f16", ", -1, 1, 1, 1", ", 1, -1, 1")
H4(qhalf, "k32.f16.e4m3.e5m2", ", 1, 1", ", 1, 1")
#define I4(name, ptx)                                                                                                  \
    SS(name##_i8, int, "r", 4, "m64n8k32.s32." ptx, "%4", "%5", "%6", "")                                              \
    RS(name##_i8, int, "r", 4, "m64n8k32.s32." ptx, "%4", "%5", "%6", "%7", "%8", "%9", "")
I4(ss, "s8.s8")
I4(su, "s8.u8")
I4(us, "u8.s8")
I4(uu, "u8.u8")
SS(sat_i32, int, "r", 16, "m64n32k32.s32.s8.s8.satfinite", "%16", "%17", "%18", "")
RS(sat_i32, int, "r", 16, "m64n32k32.s32.u8.s8.satfinite", "%16", "%17", "%18", "%19", "%20", "%21", "")
SS(bits, int, "r", 4, "m64n8k256.s32.b1.b1.and.popc", "%4", "%5", "%6", "")
RS(bits, int, "r", 16, "m64n32k256.s32.b1.b1.and.popc", "%16", "%17", "%18", "%19", "%20", "%21", "")
#define SPARSE(name, ptx, e, q, tail)                                                                                  \
    __global__ void sp_##name(float *out, u64 da, u64 db, unsigned meta, int keep)                                     \
    {                                                                                                                  \
        float d[4];                                                                                                    \
        for (int i = 0; i < 4; i++)                                                                                    \
            d[i] = out[i * 128 + threadIdx.x];                                                                         \
        meta += threadIdx.x;                                                                                           \
        asm volatile("{.reg .pred q; setp.ne.b32 q, %7, 0;" GO "wgmma.mma_async.sp.sync.aligned." ptx                  \
                     " {%0,%1,%2,%3}, %4, %5, %6, " e ", q" tail ";" DONE "}"                                          \
                     : O4("f", 0)                                                                                      \
                     : "l"(da), "l"(db), "r"(meta), "r"(keep));                                                        \
        for (int i = 0; i < 4; i++)                                                                                    \
            out[i * 128 + threadIdx.x] = d[i];                                                                         \
    }
SPARSE(f16, "m64n8k32.f32.f16.f16", "0", q, ", 1, 1, 0, 0")
SPARSE(f16_1, "m64n8k32.f32.f16.f16", "1", q, ", 1, -1, 1, 0")
SPARSE(tf32, "m64n8k16.f32.tf32.tf32", "1", q, ", 1, 1")
SPARSE(f8, "m64n8k64.f32.e4m3.e5m2", "0", q, ", 1, 1")
__global__ void __launch_bounds__(256) pipelined(float *out, u64 da, u64 db, int n)
{
    float d[64] = {};
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        for (int k = 0; k < n; k++) {
            asm volatile(GO ::: "memory");
            for (int j = 0; j < 4; j++)
                asm volatile(
                    "{.reg .pred q; setp.ne.b32 q, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" L64
                    "}, %64, %65, q, 1, 1, 0, 0;}"
                    : O64("f", 0)
                    : "l"(da + 2 * j), "l"(db + 2 * j), "r"(j));
            asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;" ::: "memory");
            da += 64;
            db += 64;
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        for (int i = 0; i < 64; i++)
            out[i * 128 + threadIdx.x] = d[i];
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        out[threadIdx.x] = n;
    }
}
