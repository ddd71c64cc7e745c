/* Kernels of clusters.c. Made by
 *   tools/cubins.sh cubin clusters.cu clusters 90 100 120 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ static unsigned window(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* The facts that a thread can ask about its cluster: 16 words for each CTA. */
extern "C" __global__ void identity(unsigned *out)
{
    unsigned v[16] = {0};
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[0]));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[1]));
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[2]));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v[3]));
    asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(v[4]));
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v[5]));
    asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v[6]));
    asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(v[7]));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(v[8]));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(v[9]));
    asm("mov.u32 %0, %%clusterid.z;" : "=r"(v[10]));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v[11]));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(v[12]));
    asm("mov.u32 %0, %%nclusterid.z;" : "=r"(v[13]));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(v[14]));
    asm("mov.u32 %0, %%smid;" : "=r"(v[15]));
    unsigned cta = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    for (unsigned i = 0; i < 16; i++)
        out[16 * cta + i] = v[i];
}

/* Addresses: of each rank as mapa gives it, its rank again, and in which windows it is. */
extern "C" __global__ void addresses(unsigned *out)
{
    extern __shared__ unsigned s[];
    unsigned own = window(s), rank = threadIdx.x, mapped, back, cta, cluster;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(own), "r"(rank));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(back) : "r"(mapped));
    unsigned long long generic, wide;
    asm("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(s), "r"(rank));
    asm("cvta.shared::cluster.u64 %0, %1;" : "=l"(wide) : "l"((unsigned long long)mapped));
    asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(cta) : "l"(generic));
    asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(cluster) : "l"(generic));
    unsigned *to = out + 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    to[0] = own;
    to[1] = mapped;
    to[2] = back;
    to[3] = generic == wide;
    to[4] = cta;
    to[5] = cluster;
}

/* Each CTA reads the words of the next one in the cluster, in words of several widths, and passes it on. */
extern "C" __global__ void ring(unsigned *out, unsigned rounds)
{
    __shared__ uint4 s[64];
    cg::cluster_group c = cg::this_cluster();
    unsigned next = (c.block_rank() + 1) % c.num_blocks(), t = threadIdx.x, sum = 0;
    s[t] = make_uint4(blockIdx.x, t, blockIdx.x * 64 + t, 7);
    c.sync();
    for (unsigned i = 0; i < rounds; i++) {
        const uint4 *from = c.map_shared_rank(s, next);
        uint4 v = from[t ^ i];
        sum += v.x * 3 + v.y * 5 + v.z * 7 + v.w + ((const unsigned short *)from)[t] + ((const signed char *)from)[t];
        sum += ((const uint2 *)from)[t].y;
        c.sync();
        v.w += sum & 15;
        s[t] = v;
        c.sync();
    }
    out[blockIdx.x * blockDim.x + t] = sum;
    c.sync();
}

/* Stores to the next CTA, of every width. The place is the thread's own. */
extern "C" __global__ void stores(unsigned *out)
{
    __shared__ __align__(16) unsigned char s[64 * 32];
    cg::cluster_group c = cg::this_cluster();
    unsigned next = (c.block_rank() + 1) % c.num_blocks(), t = threadIdx.x;
    for (unsigned i = 0; i < 8; i++)
        ((unsigned *)s)[t * 8 + i] = 0;
    c.sync();
    unsigned char *to = c.map_shared_rank(s, next) + 32 * t;
    unsigned v = blockIdx.x * 1000 + t;
    *(uint4 *)to = make_uint4(v, v + 1, v + 2, v + 3);
    *(uint2 *)(to + 16) = make_uint2(v + 4, v + 5);
    *(unsigned *)(to + 24) = v + 6;
    *(unsigned short *)(to + 28) = (unsigned short)(v + 7);
    to[30] = (unsigned char)(v + 8);
    c.sync();
    for (unsigned i = 0; i < 8; i++)
        out[(blockIdx.x * 64 + t) * 8 + i] = ((const unsigned *)s)[t * 8 + i];
}

/* All threads in the cluster change words of rank 0. */
extern "C" __global__ void atomics(unsigned *out)
{
    __shared__ unsigned s[8];
    __shared__ unsigned long long w;
    __shared__ float f;
    cg::cluster_group c = cg::this_cluster();
    unsigned t = c.block_rank() * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8)
        s[threadIdx.x] = threadIdx.x == 3 ? ~0u : 0;
    w = 0;
    f = 0;
    c.sync();
    unsigned *z = c.map_shared_rank(s, 0);
    atomicAdd(&z[0], 1);
    unsigned old = atomicAdd(&z[1], 1);
    atomicMax(&z[2], t);
    atomicMin(&z[3], t + 5);
    atomicInc(&z[4], 9);
    atomicXor(&z[5], 1u << (t & 31));
    for (unsigned seen = z[6], was;; seen = was)
        if ((was = atomicCAS(&z[6], seen, seen * 3 + 1)) == seen)
            break;
    atomicAdd(c.map_shared_rank(&w, 0), 1ull << 32);
    atomicAdd(c.map_shared_rank(&f, 0), 1.0f);
    atomicAdd(&out[16 + (blockIdx.x / c.num_blocks()) * 4096 + old], 1);
    c.sync();
    unsigned *to = out + 32768 + 16 * (blockIdx.x / c.num_blocks());
    if (t < 8)
        to[t] = s[t];
    if (t == 0) {
        to[8] = (unsigned)(w >> 32);
        to[9] = __float_as_uint(f);
    }
    c.sync();
}

/* All threads in the cluster change 64-bit words of rank 0. */
extern "C" __global__ void wide_atomics(unsigned *out)
{
    __shared__ unsigned long long s[8];
    cg::cluster_group c = cg::this_cluster();
    unsigned long long t = c.block_rank() * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8)
        s[threadIdx.x] = threadIdx.x == 5 || threadIdx.x == 7 ? ~0ull : 0;
    c.sync();
    unsigned long long *z = c.map_shared_rank(s, 0);
#pragma unroll 1
    for (unsigned i = 0; i < 8; i++)
        atomicAdd(&z[(threadIdx.x + i) % 4], 0x100000001ull);
    atomicMax(&z[4], t << 33 | 1);
    atomicMin(&z[5], (t + 5) << 33);
    atomicXor(&z[6], 1ull << t % 64);
    atomicAnd(&z[7], ~(1ull << t % 64));
    c.sync();
    unsigned *to = out + 16 * (blockIdx.x / c.num_blocks());
    if (t < 8) {
        to[2 * t] = (unsigned)s[t];
        to[2 * t + 1] = (unsigned)(s[t] >> 32);
    }
    c.sync();
}

/* Warps leave one after the other; the others still meet. The count of phases is in the memory of rank 0. */
extern "C" __global__ void phases(unsigned *out, unsigned count)
{
    __shared__ unsigned s;
    cg::cluster_group c = cg::this_cluster();
    unsigned warp = c.block_rank() * (blockDim.x / 32) + threadIdx.x / 32;
    s = 0;
    c.sync();
    unsigned *z = c.map_shared_rank(&s, 0), wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        if (warp > 0 && warp == i)
            return;
        if (warp == 0 && threadIdx.x == 0)
            *(volatile unsigned *)z = i;
        asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
        wrong += c.block_rank() == 0 && *(volatile unsigned *)&s != i;
        asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    }
    if (threadIdx.x % 32 == 0 && warp == 0)
        out[blockIdx.x] = wrong + 1;
}

/* Rank 0 reads from a rank that has exited, that the cluster does not have, or beyond its memory. */
extern "C" __global__ void wrong(unsigned *out, unsigned rank, unsigned offset, unsigned wait)
{
    __shared__ unsigned s[32];
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = 1;
    c.sync();
    if (c.block_rank() != 0)
        return;
    for (unsigned i = 0; i < wait; i++)
        __nanosleep(100);
    unsigned long long p = (unsigned long long)c.map_shared_rank(s, 0) + ((unsigned long long)rank << 24) + offset;
    out[threadIdx.x] = *(volatile unsigned *)p;
}

/* All CTAs hold on while others still may ask. */
extern "C" __global__ void spin(unsigned *out)
{
    __shared__ unsigned s;
    cg::cluster_group c = cg::this_cluster();
    s = 0;
    c.sync();
    if (c.block_rank() == 1)
        *(volatile unsigned *)c.map_shared_rank(&s, 0) = 5;
    if (c.block_rank() == 0)
        while (*(volatile unsigned *)&s != 5)
            ;
    c.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = s;
}
