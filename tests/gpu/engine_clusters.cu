// tools/cubins.sh tests/gpu/cubin tests/gpu/engine_clusters.cu engine_clusters 90a
//
// Copies by the engine to other CTAs of a cluster.
#include <stdint.h>

struct alignas(128) map_bytes { uint64_t word[16]; };

enum { BYTES = 2048, WORDS = BYTES / 4 };

__device__ static uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ static uint32_t rank()
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ static void meet()
{
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ static uint32_t of(uint32_t address, uint32_t rank)
{
    uint32_t to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address), "r"(rank));
    return to;
}
__device__ static void begin(uint32_t *tile, uint64_t *barrier, uint32_t bytes, uint32_t value)
{
    for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x)
        tile[i] = value;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(barrier)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     ::"r"(at(barrier)), "r"(bytes) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    meet();
}
__device__ static void wait(uint64_t *barrier)
{
    uint32_t done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at(barrier)) : "memory");
}
__device__ static void end(const uint32_t *tile, uint32_t *out)
{
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x)
        out[blockIdx.x * WORDS + i] = tile[i];
    meet();
}

// CTA 0 copies to those of the mask.
extern "C" __global__ void __cluster_dims__(4) multicast(const uint32_t *in, uint32_t *out, uint32_t mask)
{
    __shared__ alignas(128) uint32_t tile[WORDS];
    __shared__ uint64_t barrier;
    begin(tile, &barrier, BYTES, 0xcccccccc);
    if (rank() == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(at(tile)), "l"(in), "r"(BYTES), "r"(at(&barrier)), "h"((uint16_t)mask)
                     : "memory");
    if (mask >> rank() & 1)
        wait(&barrier);
    end(tile, out);
}

// Each CTA copies its tile to that of the next one, and waits for that of the one before.
extern "C" __global__ void __cluster_dims__(4) ring(const uint32_t *in, uint32_t *out, uint32_t step)
{
    __shared__ alignas(128) uint32_t tile[WORDS], from[WORDS];
    __shared__ uint64_t barrier;
    for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x)
        from[i] = in[blockIdx.x * WORDS + i];
    begin(tile, &barrier, BYTES, 0);
    if (threadIdx.x == 0) {
        uint32_t to = (rank() + step) % 4;
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(
                         of(at(tile), to)), "r"(at(from)), "r"(BYTES), "r"(of(at(&barrier), to))
                     : "memory");
    }
    wait(&barrier);
    end(tile, out);
}

// All CTAs add to the tile of CTA 0.
extern "C" __global__ void __cluster_dims__(4) gather(const uint32_t *in, uint32_t *out, uint32_t unused)
{
    __shared__ alignas(128) uint32_t tile[WORDS], from[WORDS];
    __shared__ uint64_t barrier;
    for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x)
        from[i] = in[blockIdx.x * WORDS + i];
    begin(tile, &barrier, rank() ? 0 : 4 * BYTES, 7);
    if (threadIdx.x == 0)
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], "
                     "[%1], "
                     "%2, [%3];" ::"r"(of(at(tile), 0)), "r"(at(from)), "r"(BYTES), "r"(of(at(&barrier), 0))
                     : "memory");
    wait(&barrier);
    end(tile, out);
}

// Each CTA loads a quarter of a box and sends it to all.
extern "C" __global__ void __cluster_dims__(4) quarters(const __grid_constant__ map_bytes map, uint32_t *out)
{
    __shared__ alignas(128) uint32_t tile[WORDS];
    __shared__ uint64_t barrier;
    begin(tile, &barrier, BYTES, 0xcccccccc);
    uint32_t r = rank();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at(tile + r * WORDS / 4)), "l"(&map), "r"(0), "r"(r * 8),
                     "r"(at(&barrier)), "h"((uint16_t)0xf)
                     : "memory");
    wait(&barrier);
    end(tile, out);
}

// CTA 0 copies to a CTA that has exited.
extern "C" __global__ void __cluster_dims__(2) late(const uint32_t *in, uint32_t *out, uint32_t mask)
{
    __shared__ alignas(128) uint32_t tile[WORDS];
    __shared__ uint64_t barrier;
    begin(tile, &barrier, BYTES, 0);
    if (rank() == 1)
        return;
    for (uint64_t start = clock64(); clock64() - start < 3000;)
        ;
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(at(tile)), "l"(in), "r"(BYTES), "r"(at(&barrier)), "h"((uint16_t)mask)
                     : "memory");
    wait(&barrier);
    for (uint64_t start = clock64(); clock64() - start < 3000;)
        ;
    out[threadIdx.x] = tile[threadIdx.x];
}
