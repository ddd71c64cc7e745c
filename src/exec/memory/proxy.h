/* The checker of shared memory between the generic proxy (loads and stores of threads) and the asynchronous one (bulk
 * copies, tensor copies, operands of wgmma in shared memory). It keeps a shadow for each 16 bytes of a CTA's memory:
 *
 *   the last generic write     its instruction and warp, and whether a fence has come since
 *   the last asynchronous one  the transfer, and whether anybody has seen its barrier's phase end
 *   the last asynchronous read the transfer, and whether it is over
 *
 * and finds
 *
 *   PROXY    an asynchronous read of bytes that a thread has written, without FENCE.VIEW.ASYNC in between by the
 *            writer's warp or by the warp that starts the read (PTX ISA, memory consistency model, proxies)
 *   PHASE    a generic read of bytes that a transfer writes before a warp has seen its mbarrier's phase end
 *   OVERRUN  a write, of either proxy, where a transfer still writes or reads
 *   COMMIT   a read of tensor memory columns that a product writes (tcgen05.mma), before a warp has seen the end of
 *            the phase that a later commit completes
 *
 * It is lenient if it does not know: a warp that sees the phase end, or fences, does so for the whole CTA. Nothing is
 * found when exec_launch.findings is NULL, and the CTA then has no shadow. All functions may be called with NULL. */
#ifndef SUBCORE_EXEC_PROXY_H
#define SUBCORE_EXEC_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_core;
struct exec_cta;
struct exec_warp;

enum { PROXY_GRANULE = 16, PROXY_TRANSFERS = 256, PROXY_WARPS = 32, PROXY_COLUMNS = 512 };

/* The actor: the pc of an instruction and its warp in the CTA. */
struct proxy_place {
    uint32_t pc, warp;
};

struct proxy_granule {
    uint32_t write;              /* number of the last generic write (0: none) */
    uint32_t incoming, outgoing; /* numbers of the last transfers that write and read it (0: none) */
    struct proxy_place writer;
};

struct proxy_transfer {
    uint32_t number; /* 0: the entry is free. A transfer whose entry another has taken counts as over */
    struct proxy_place place;
    uint32_t barrier; /* byte offset of the mbarrier (UINT32_MAX: none) */
    uint8_t parity;   /* of the phase that ends with it */
    bool product;     /* of tensor cores: it is over when a later commit is */
    bool commit;
    bool over; /* a warp has seen that */
};

struct proxy_shadow {
    uint32_t number;             /* of the last event */
    uint32_t open;               /* transfers that are not over */
    uint32_t fence[PROXY_WARPS]; /* number of each warp's last fence */
    struct proxy_transfer transfer[PROXY_TRANSFERS];
    struct proxy_product {
        uint32_t number; /* of the last product that writes the column (0: none) */
        struct proxy_place place;
    } column[PROXY_COLUMNS];
    uint32_t committed; /* products below this number are over */
    uint32_t bytes;     /* of shared memory */
    struct proxy_granule granule[];
};

/* Returns the bytes of a shadow for so much shared memory, a multiple of 64. */
size_t proxy_bytes(uint32_t shared_bytes);
/* Empties a shadow. */
void proxy_begin(struct proxy_shadow *s, uint32_t shared_bytes);

/* The receiver of the checker's reports. TENSOR_NO_WAIT and TENSOR_LEAK are of tensor memory
 * (exec/tensor/tensor_watch.h). */
enum proxy_kind { PROXY_NO_FENCE, PROXY_BEFORE_PHASE, PROXY_OVERRUN, TENSOR_NO_WAIT, TENSOR_LEAK, PROXY_BEFORE_COMMIT };
struct proxy_sink {
    void *self;
    void (*found)(void *self, enum proxy_kind kind, struct proxy_place first, struct proxy_place second,
                  uint32_t offset);
};

/* A thread reads or writes `bytes` at an offset. */
void proxy_generic_read(struct proxy_shadow *s, struct proxy_place by, uint32_t offset, uint32_t bytes,
                        struct proxy_sink to);
void proxy_generic_write(struct proxy_shadow *s, struct proxy_place by, uint32_t offset, uint32_t bytes,
                         struct proxy_sink to);
/* FENCE.VIEW.ASYNC of shared memory. */
void proxy_fence(struct proxy_shadow *s, uint32_t warp);

/* An instruction starts an asynchronous operation that reads, or writes, boxes of shared memory. Returns its number,
 * for the boxes and for proxy_async_done. The bytes that it writes complete the phase of this parity, which is now the
 * unfinished one, at the mbarrier (UINT32_MAX: there is none). Returns 0 for NULL. */
uint32_t proxy_async_begin(struct proxy_shadow *s, struct proxy_place by, uint32_t barrier, unsigned parity);
/* It reads or writes these bytes. */
void proxy_async_read(struct proxy_shadow *s, uint32_t number, uint32_t offset, uint32_t bytes, struct proxy_sink to);
void proxy_async_write(struct proxy_shadow *s, uint32_t number, uint32_t offset, uint32_t bytes, struct proxy_sink to);
/* A product of tensor cores begins, which writes these columns of tensor memory and is over when a later commit is. */
uint32_t proxy_product_begin(struct proxy_shadow *s, struct proxy_place by, uint32_t column, uint32_t columns);
/* A commit of earlier work; it completes the phase of this parity at the mbarrier. */
void proxy_commit(struct proxy_shadow *s, struct proxy_place by, uint32_t barrier, unsigned parity);
/* A thread reads columns of tensor memory. `found` gets the number of the first column for an offset. */
void proxy_columns_read(struct proxy_shadow *s, struct proxy_place by, uint32_t column, uint32_t columns,
                        struct proxy_sink to);
/* Its warp has waited for it (bulk group, wgmma group). */
void proxy_async_done(struct proxy_shadow *s, uint32_t number);
/* A warp has seen that the phase of this parity has ended at the mbarrier. */
void proxy_phase_ended(struct proxy_shadow *s, uint32_t barrier, unsigned parity);

#endif
