// Asynchronous stores and reductions to device memory (st.async.release, red.async.release), which sm_100 does by
// uniform registers, thread by thread. tests/gpu/uniform_stores.c knows the right results. Made by
//   nvcc -O3 -std=c++17 -cubin -arch=sm_100a -o cubin/uniform_stores.sm_100a.cubin uniform_stores.cu
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;

// Of all CTAs: an element of a thread each, and sums over threads.
struct results {
    unsigned char *bytes;
    u16 *halves;
    u32 *words;
    u64 *doubles;
    u32 *count;  // of threads
    int *signs;  // minus the sum of all thread numbers
    u64 *sum;    // of all thread numbers << 32
};

#define STORE(order, type, with, at, v)                                                                                \
    asm volatile("st.async" order ".global." type " [%0], %1;" ::"l"(at), with(v) : "memory")
#define ADD(order, type, with, at, v)                                                                                  \
    asm volatile("red.async" order ".global.add." type " [%0], %1;" ::"l"(at), with(v) : "memory")

extern "C" __global__ void uniform_stores(results r)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 5 == 3)
        return;
    asm volatile("{\n.reg .b8 x;\ncvt.u8.u32 x, %1;\nst.async.release.gpu.global.b8 [%0], x;\n}" ::"l"(r.bytes + i),
                 "r"(i * 3 + 1)
                 : "memory");
    STORE(".release.sys", "b16", "h", r.halves + i, (u16)(i * 257 + 5));
    STORE(".mmio.release.sys", "b32", "r", r.words + i, i * 0x01010101u + 7);
    STORE(".release.gpu", "b64", "l", r.doubles + i, (u64)i << 40 | i);
    ADD(".mmio.release.sys", "u32", "r", r.count, 1u);
    ADD(".release.gpu", "s32", "r", r.signs, -(int)i);
    ADD(".release.sys", "u64", "l", r.sum, (u64)i << 32);
}
