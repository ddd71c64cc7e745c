/* One warp instruction as the timing model sees it: the only bridge between execution (or replay) and timing. Static
 * facts (control bits, registers, pipe) come from the decoded code. This record holds the facts that only execution
 * knows. */
#ifndef SUBCORE_ISA_ISSUED_H
#define SUBCORE_ISA_ISSUED_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum issued_flow {
    ISSUED_NEXT,      /* the warp continues at pc + 16 */
    ISSUED_JUMP,      /* it continues at next_pc: a taken branch, or another divergent path of the warp */
    ISSUED_EXITED,    /* the last thread of the warp has exited */
    ISSUED_AT_BARRIER /* every live thread of the warp waits at the CTA barrier. Goes on at next_pc when released */
};

/* A transfer: one instruction lets an engine move a part of a tensor, while the warp continues (TMA; a bulk copy is one
 * row). Elements of dimension 0 are side by side in device memory and make a *row*. The others number the rows. In
 * shared memory the elements of a row are side by side, and the rows follow each other. The executing machine resolves
 * coordinates: it says where rows are, and which of them the tensor does not have.
 *
 * Row r has the digits of start + r in a number whose digits run in 0 .. extent - 1, dimension 1 first. A row is
 * present if each digit is in from .. to - 1. A tile begins at 0 and does not carry beyond its box. A column of im2col
 * begins anywhere and wraps around at the ends of its bounding box.
 *
 * A transfer whose extent[1] is 0 has rows that the program names one by one, four at most: row r is row start[r + 1]
 * of dimension 1, a signed number, and is present if bit r of from[1] is set. */
enum { TRANSFER_DIMENSIONS = 5 };

enum transfer_kind {
    TRANSFER_NONE,      /* nothing: the instruction issues once more */
    TRANSFER_LOAD,      /* device memory to shared memory */
    TRANSFER_STORE,     /* shared memory to device memory */
    TRANSFER_REDUCTION, /* the same, added to the old value, or otherwise combined with it */
    TRANSFER_PREFETCH,  /* device memory to the L2 */
    TRANSFER_SHARED,    /* shared memory to shared memory */
    TRANSFER_MAP,       /* the tensor map alone, into the engine's cache */
    TRANSFER_FORGET,    /* out of that cache */
    TRANSFER_GROUP,     /* closes the group of the stores and reductions before it */
    TRANSFER_WORK       /* asks the CTA scheduler for a cluster that has not begun. Its answer comes to shared memory */
};

struct transfer {
    uint64_t base;                        /* device address of the first element in a row of digits 0 */
    uint64_t stride[TRANSFER_DIMENSIONS]; /* bytes from one digit to the next; [0]: from an element to the next */
    uint32_t extent[TRANSFER_DIMENSIONS]; /* [0]: elements of a row that the tensor has; others: digits */
    uint32_t start[TRANSFER_DIMENSIONS];  /* digits of row 0; [0] is not used, nor below */
    uint32_t from[TRANSFER_DIMENSIONS], to[TRANSFER_DIMENSIONS];
    uint64_t map; /* device address of the tensor map (0: none) */
    uint32_t rows;
    uint32_t bytes;         /* that count at the mbarrier, those outside of the tensor included */
    uint32_t element_bytes; /* 1 .. 16 */
    uint32_t shared;        /* byte offset of row 0 in the CTA's shared memory */
    uint32_t barrier;       /* byte offset of the mbarrier that counts the bytes, in the same */
    uint16_t targets;       /* loads: the CTAs of the cluster that receive the data, a bit for each rank */
    uint16_t signals;       /* CTAs at whose barrier the bytes of their pair's other CTA count, too. At those of
                             * that CTA they do not */
    uint8_t kind;           /* enum transfer_kind */
    uint8_t fetch;          /* sectors that a miss should bring, as struct request has it (0: as usual) */
};

/* Finds a row, from 0 on: returns false if the tensor does not have it, else sets *address to that of its first
 * element. */
static inline bool transfer_row(const struct transfer *t, uint32_t row, uint64_t *address)
{
    uint64_t at = t->base, number = row;
    bool present = t->extent[0] != 0;
    if (t->extent[1] == 0) {
        *address = at + (uint64_t)(int64_t)(int32_t)t->start[row + 1] * t->stride[1];
        return present && t->from[1] >> row & 1;
    }
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++) {
        uint64_t digit = number + t->start[d];
        number = 0;
        if (digit >= t->extent[d]) {
            number = digit / t->extent[d];
            digit %= t->extent[d];
        }
        present = present && digit >= t->from[d] && digit < t->to[d];
        at += digit * t->stride[d];
    }
    *address = at;
    return present;
}

/* Returns whether the bytes that the CTA of this rank gets count at the barrier of its pair's other CTA. */
static inline bool transfer_signals_other(const struct transfer *t, unsigned rank)
{
    return t->signals >> (rank ^ 1) & 1;
}

/* Returns the bytes in device memory from the first element of a row to its last. */
static inline uint64_t transfer_span(const struct transfer *t)
{
    return t->extent[0] ? (t->extent[0] - 1) * t->stride[0] + t->element_bytes : 0;
}

struct issued {
    uint32_t pc;
    uint32_t next_pc;
    uint32_t path;          /* lanes on the executing path */
    uint32_t active;        /* of these, lanes whose guard holds */
    uint8_t flow;           /* enum issued_flow */
    uint8_t barrier;        /* AT_BARRIER: its number, 0..15; 16: the cluster's */
    bool barrier_arrive;    /* the instruction was BAR.ARV: counts as an arrival, does not wait */
    bool deferred;          /* the result comes from the L2 slice: the source must be told when it is there */
    uint16_t barrier_warps; /* warps the barrier waits for (0: all of the CTA that have not exited) */
    uint8_t space;          /* enum isa_space of this access, generic already resolved */
    uint8_t bytes;          /* a lane accesses (0: a barrier object in shared memory) */
    uint16_t sleep;         /* NANOSLEEP, YIELD: cycles the warp asks to rest; 0 none */
    bool wakes;             /* NANOSLEEP.SYNCS: the rest ends when the phase of a barrier object does */
    bool retries;           /* USETMAXREG.TRY_ALLOC: there were no registers, and the warp asks again */
    uint8_t values;         /* MATCH.ANY: different values that its lanes have (0: not known) */
    uint32_t zero_fill;     /* LDGSTS: lanes that write zeros and do not read global memory; generic addresses: lanes
                             * that are elsewhere */
    uint64_t address[32];   /* of active lanes: global device address, byte offset in shared memory, constant bank times
                             * 64 KiB and offset; local: the interleaved physical address in device memory */
    uint32_t shared[32];    /* LDGSTS: destination offset in shared memory */
    /* Operations on barrier objects (issued_has_operand): the operation or test of each active lane on its object.
     * Textures: issued_pack_texture. Others do not write it. */
    uint64_t operand[32];
    uint64_t cache_policy; /* global and generic addresses: contents of their descriptor, 0 without one */
    /* Of an instruction for an engine (ISA_WAY_ENGINE). Others do not write it, and it has anything there: readers ask
     * the way first. */
    struct transfer transfer;
};

/* Sets all fields but those of addresses, operands and transfers, which the instruction does not have. It goes on to
 * the next one with these lanes, and all are active. */
static inline void issued_set_plain(struct issued *out, uint32_t pc, uint32_t lanes)
{
    out->pc = pc;
    out->next_pc = pc + 16;
    out->path = out->active = lanes;
    out->flow = ISSUED_NEXT;
    out->barrier = 0;
    out->barrier_arrive = out->deferred = false;
    out->barrier_warps = 0;
    out->space = ISA_SPACE_NONE;
    out->bytes = 0;
    out->sleep = 0;
    out->wakes = out->retries = false;
    out->values = 0;
    out->zero_fill = 0;
    out->cache_policy = 0;
}

/* An operand of SYNCS.ARRIVE: arrivals, how many of these are not expected in later phases, each below 2^20. Bytes that
 * are expected from now on or, below 0, completed, at most 2^20 - 1 of them. */
struct issued_arrival {
    uint32_t count, dropped;
    int32_t bytes;
};

enum {
    ISSUED_ARRIVAL_BITS = 20,
    ISSUED_BYTES_BITS = 22,
    ISSUED_PARITY = 1, /* operand of SYNCS.PHASECHK: the phase that has to end, odd or not; */
    ISSUED_WAITS = 2   /* it has ended, or the warp may be held until it has */
};

static inline uint64_t issued_pack_arrival(struct issued_arrival a)
{
    uint64_t bytes = (uint64_t)a.bytes & ((UINT64_C(1) << ISSUED_BYTES_BITS) - 1);
    return a.count | (uint64_t)a.dropped << ISSUED_ARRIVAL_BITS | bytes << 2 * ISSUED_ARRIVAL_BITS;
}

static inline struct issued_arrival issued_unpack_arrival(uint64_t operand)
{
    const uint32_t ones = (UINT32_C(1) << ISSUED_ARRIVAL_BITS) - 1, sign = UINT32_C(1) << (ISSUED_BYTES_BITS - 1);
    uint32_t bytes = (uint32_t)(operand >> 2 * ISSUED_ARRIVAL_BITS) & (2 * sign - 1);
    return (struct issued_arrival){(uint32_t)operand & ones, (uint32_t)(operand >> ISSUED_ARRIVAL_BITS) & ones,
                                   (int32_t)(bytes ^ sign) - (int32_t)sign};
}

/* An operand of UTCBAR: the offset of barrier objects in shared memory, and the ranks of the CTAs that have them, a bit
 * each. That of UTC*MMA is the instruction descriptor. All active lanes have the same (issued_note). */
static inline uint64_t issued_pack_commit(uint32_t offset, uint16_t ranks) { return offset | (uint64_t)ranks << 32; }

/* An operand of TEX, TXD, TLD and TLD4: the texels that the filter takes, at most 16. Whether they lie in three
 * dimensions, and become fractions of 1; the distance in bytes from the lane's address to a texel in another sector of
 * memory (0: there is none). Of several others it is one. */
struct issued_texture {
    int64_t distance;
    uint8_t texels;
    bool volume, fractions;
};

static inline uint64_t issued_pack_texture(struct issued_texture t)
{
    return (uint64_t)t.distance << 8 | (uint64_t)t.fractions << 6 | (uint64_t)t.volume << 5 | (t.texels & 0x1f);
}

static inline int64_t issued_texture_distance(uint64_t operand) { return (int64_t)operand >> 8; }
static inline uint32_t issued_texture_texels(uint64_t operand) { return operand & 0x1f; }
static inline bool issued_texture_volume(uint64_t operand) { return operand >> 5 & 1; }
static inline bool issued_texture_fractions(uint64_t operand) { return operand >> 6 & 1; }

/* Returns true of fetches by whole numbers. */
static inline bool issued_is_fetch(enum isa_op op) { return op == ISA_OP_TLD; }

static inline bool issued_is_texture(enum isa_op op)
{
    return op == ISA_OP_TEX || op == ISA_OP_TXD || op == ISA_OP_TLD || op == ISA_OP_TLD4;
}

/* Returns true of instructions with issued.operand, except textures (issued_is_texture). That of SYNCS.EXCH is the new
 * object; that of STAS and REDAS the address of the object, with its rank. */
static inline bool issued_has_operand(enum isa_op op)
{
    return op == ISA_OP_SYNCS_ARRIVE || op == ISA_OP_SYNCS_PHASECHK || op == ISA_OP_SYNCS_EXCH || op == ISA_OP_STAS ||
           op == ISA_OP_REDAS || op == ISA_OP_UTCBAR || op == ISA_OP_UTCHMMA || op == ISA_OP_UTCQMMA ||
           op == ISA_OP_UTCIMMA || op == ISA_OP_UTCOMMA;
}

/* Notes the operand of an instruction for the tensor engine as traces keep it: that of an access to an mbarrier. */
static inline void issued_note(struct issued *out, uint32_t active, uint32_t offset, uint64_t operand)
{
    out->space = ISA_SPACE_SHARED;
    for (unsigned lane = 0; lane < 32; lane++) {
        out->address[lane] = offset;
        out->operand[lane] = active >> lane & 1 ? operand : 0;
    }
}

/* Each lane's address is `bytes` behind that of the lane before: the usual case, for which others have shorter ways. */
static inline bool issued_in_a_row(const uint64_t address[32], unsigned bytes)
{
    uint64_t other = (address[31] - address[30]) ^ bytes;
    for (unsigned lane = 0; lane < 30; lane += 3)
        other |= ((address[lane + 1] - address[lane]) ^ bytes) | ((address[lane + 2] - address[lane + 1]) ^ bytes) |
                 ((address[lane + 3] - address[lane + 2]) ^ bytes);
    return other == 0;
}

#endif
