// Barrier objects, copies by tensor maps, and descriptors of tiles, which wgmma and tcgen05 have in common.
#ifndef SUBCORE_BLAS_KERNELS_ASYNC_CUH
#define SUBCORE_BLAS_KERNELS_ASYNC_CUH

#include <cstdint>

#include "gemm.h"
#include "gemm_async.h"

enum { DEPTH = GEMM_ASYNC_DEPTH, ROWS = GEMM_ASYNC_ROWS, COLUMNS = GEMM_ASYNC_COLUMNS, BOX_BYTES = 64 * DEPTH * 2 };

static __device__ inline uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __device__ inline void barrier_init(uint64_t *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

static __device__ inline void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

// Arrives at the object at the same place in a block of the cluster.
static __device__ inline void barrier_arrive(uint64_t *barrier, uint32_t rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

static __device__ inline void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
                     shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

// The same two if only tensor memory is passed on, which tcgen05.fence orders.
static __device__ inline void barrier_arrive_relaxed(uint64_t *barrier, uint32_t rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

static __device__ inline void barrier_wait_relaxed(uint64_t *barrier, uint32_t parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
                     shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

static __device__ inline void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

static __device__ inline uint32_t cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// One box, to this block or to the same place in all blocks of the mask.
static __device__ inline void copy_box(uint16_t mask, uint32_t to, const void *map, uint64_t *barrier, uint32_t column,
                                       uint32_t row, uint32_t z)
{
    if (mask == 0)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
                     "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(z)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
                     "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(z), "h"(mask)
                     : "memory");
}

// V vectors from v on, DEPTH deep from l on, in boxes of 64 vectors: each copy brings one box.
template <int V, bool ALONG>
static __device__ inline void copy_tile(uint16_t mask, uint32_t to, const void *map, uint64_t *barrier, uint32_t v,
                                        uint32_t l, uint32_t z)
{
    if (ALONG)
        copy_box(mask, to, map, barrier, l, v, z);
    else
#pragma unroll
        for (int i = 0; i < V / 64; i++)
            copy_box(mask, to + i * BOX_BYTES, map, barrier, v + i * 64, l, z);
}

// The place and layout of a tile: rows along the sum have 128 bytes, in groups of 8. With rows across the sum, a box
// has 64 vectors. `kind` has the upper bits of the descriptor.
template <bool ALONG> static __device__ inline uint64_t describe(uint32_t tile, uint64_t kind)
{
    uint64_t apart = ALONG ? 1 : BOX_BYTES >> 4;
    return (uint64_t)((tile & 0x3ffff) >> 4) | apart << 16 | (uint64_t)(1024 >> 4) << 32 | kind;
}

// Sixteen further along the sum, in units of 16 bytes.
template <bool ALONG> static __device__ inline constexpr uint32_t sixteen() { return ALONG ? 2 : 16 * 128 >> 4; }

#endif
