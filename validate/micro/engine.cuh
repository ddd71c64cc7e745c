// The engine for bulk copies (TMA): a chain of copies, each of 16 bytes that say where the next is, and a stream.

__device__ __forceinline__ void barrier_begin(u32 barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void copy_begin(u32 to, u64 from, u32 bytes, u32 barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

__device__ __forceinline__ void copy_wait(u32 barrier, u32 parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n}" ::"r"(barrier), "r"(parity)
                 : "memory");
}

KERNEL chase_bulk(const __grid_constant__ chase p)
{
    __shared__ __align__(16) u64 line[2];
    __shared__ u64 object;
    u32 sum = 0, barrier = shared_address(&object), to = shared_address(line), parity = 0;
    for (u32 i = threadIdx.x; i < p.pages; i += blockDim.x)
        sum ^= load_words<CACHE_L2, 1>(p.base + ((u64)i << 21));
    for (u32 pass = 0; pass < p.warm; pass++)
        for (u32 i = threadIdx.x; i <= p.mask; i += blockDim.x) {
            u32 place = place_of(i, p.mask);
            if (place < p.lines)
                sum ^= load_words<CACHE_L2, 1>(p.base + (u64)place * p.stride);
        }
    u64 *out = (u64 *)p.out;
    use(sum, out);
    if (threadIdx.x == 0)
        barrier_begin(barrier);
    __syncthreads();
    if (threadIdx.x)
        return;
    u64 at = p.first;
    TWICE(round)
    {
        u64 begin = clock_after(at, out + 1);
#pragma unroll 1
        for (u32 i = 0; i < (round ? p.hops : p.lap); i++) {
            copy_begin(to, at, 16, barrier);
            copy_wait(barrier, parity);
            parity ^= 1;
            at = *(volatile u64 *)line;
        }
        out[0] = clock_after(at, out + 1) - begin;
    }
}

struct bulk_stream {
    u64 base, out; // out: first and last clock of each CTA
    u32 bytes;     // that a CTA reads, a multiple of the piece
    u32 piece;     // of one copy
};

enum { BULK_STAGES = 4 };

// Each CTA reads its bytes twice, a ring of copies under way; the second time counts.
KERNEL stream_bulk(const __grid_constant__ bulk_stream p)
{
    __shared__ u64 object[BULK_STAGES];
    u32 barrier = shared_address(object), to = shared_address(space), count = p.bytes / p.piece;
    if (threadIdx.x)
        return;
    to = (to + 127) & ~127u;
    for (u32 s = 0; s < BULK_STAGES; s++)
        barrier_begin(barrier + 8 * s);
    u64 *out = (u64 *)p.out + 2 * blockIdx.x, from = p.base + (u64)blockIdx.x * p.bytes;
    u32 turn = 0;
    for (u32 round = 0; round < 2; round++) {
        out[0] = clock64();
#pragma unroll 1
        for (u32 i = 0; i < count + BULK_STAGES; i++) {
            u32 s = i % BULK_STAGES;
            if (i >= BULK_STAGES)
                copy_wait(barrier + 8 * s, (turn + i / BULK_STAGES - 1) & 1);
            if (i < count)
                copy_begin(to + s * p.piece, from + (u64)i * p.piece, p.piece, barrier + 8 * s);
        }
        turn += count / BULK_STAGES;
        out[1] = clock64();
    }
}
