/* A kernel's code as the SM needs it: per instruction the static facts, 64 bytes, resolved against the configuration
 * once at launch and shared by all SMs. */
#ifndef SUBCORE_SM_CODE_H
#define SUBCORE_SM_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "isa/contract.h"
#include "sm/units.def"

/* Which resource an instruction needs at issue. One bit set of warps is kept for each, so that a busy unit masks out
 * all its candidates at once. */
enum issue_class {
    CLASS_FE,
    CLASS_ALU,
    CLASS_ALU_EITHER, /* additions of two numbers, moves, comparisons, where both FP32 groups can do them */
    CLASS_FMA,
    CLASS_FMAHEAVY,
    CLASS_FP16, /* packed halves, and packed FP32 where both take the same lanes */
    CLASS_TENSOR,
    CLASS_WARPGROUP,
    CLASS_TENSOR_ENGINE, /* products of tcgen05, copies and commits: the queue of the engine */
    CLASS_UNIFORM,
    CLASS_CBU,
#define X(name, class, ...) CLASS_##class,
    QUEUED_UNITS(X)
#undef X
        CLASS_LG, /* local and global memory */
    CLASS_ENGINE, /* bulk and tensor copies */
    CLASS_TEX,    /* textures and surfaces */
    CLASS_MIO,    /* shared memory, constants by LDC, shuffles and other operations of the memory queue */
    CLASS_COUNT
};

enum code_flag {
    CODE_FIXED = 1 << 0, /* goes through ALLOCATE to its unit */
    CODE_BRANCH = 1 << 1,
    CODE_DEPBAR = 1 << 2,
    CODE_MEMBAR = 1 << 3,
    CODE_ASYNC_GROUP = 1 << 4,    /* LDGDEPBAR */
    CODE_CONSTANT = 1 << 5,       /* has an operand in the fixed-latency constant cache */
    CODE_VECTOR_ADDRESS = 1 << 6, /* memory address from per-lane registers */
    CODE_WIDE_IMAD = 1 << 7,
    CODE_IN_ORDER = 1 << 8,        /* strong load in the scope of the SM: completes in the order of issue */
    CODE_COMPARE = 1 << 9,         /* atomic compare and swap in shared memory */
    CODE_INVALIDATE = 1 << 10,     /* CCTL.IVALL: empties the L1 */
    CODE_QUEUED = 1 << 11,         /* goes to the queue of a unit that is no memory unit */
    CODE_UNIFORM_RESULT = 1 << 12, /* one result a warp */
    CODE_BYPASS = 1 << 13,         /* LDGSTS.BYPASS: past the L1 */
    CODE_ONE_PASS = 1 << 14,       /* lanes of one word: ATOMS.POPC.INC counts them, of ATOMS.CAST.SPIN one wins */
    CODE_CACHE_POLICY = 1 << 15    /* an access to global memory with a descriptor */
};

/* Beyond enum isa_memory: passes the memory queue and brings a value back, but accesses no memory and exchanges nothing
 * (S2R, MATCH, QSPC, CCTL). LANES: each lane gets its own value (S2R, place in the CTA). VALUES: takes as long as lanes
 * have different values (MATCH.ANY). */
enum { CODE_QUEUE_ONLY = ISA_MEM_SHUFFLE + 1, CODE_QUEUE_LANES, CODE_QUEUE_VALUES };
_Static_assert(ISA_MEM_SHUFFLE > ISA_MEM_ASYNC_COPY, "kinds without an access are the last");

/* Operations on barrier objects in shared memory. */
enum code_mbarrier {
    CODE_MBARRIER_NONE,
    CODE_MBARRIER_OPERATION, /* arrives, writes or reads an object */
    CODE_MBARRIER_WAIT,      /* tests one, and may wait there */
    CODE_MBARRIER_COPIES,    /* arrives when the copies to shared memory before it have landed */
    CODE_MBARRIER_STORE      /* stores to shared memory, and completes its bytes at an object (STAS, REDAS) */
};

/* Roles of an instruction in warpgroup products. */
enum code_warpgroup {
    CODE_NO_PRODUCT,
    CODE_PRODUCT,
    CODE_LAST_PRODUCT, /* ends a group */
    CODE_PRODUCT_WAIT  /* waits until at most depbar_max groups are pending */
};

/* Roles of an instruction in tensor memory. */
enum code_tensor {
    CODE_NO_TENSOR,
    CODE_TENSOR_LOAD,
    CODE_TENSOR_STORE,
    CODE_TENSOR_WAIT, /* waits for the stores of its warp (FENCE.VIEW.ASYNC.T) */
    CODE_TENSOR_MAP,  /* operates on the map of columns (UTCATOMSWS) */
    CODE_TENSOR_PAIR  /* on those of both SMs in a pair */
};

/* Roles of an instruction for the tensor engine, in `transfer`: these, and enum isa_engine_kind above. */
enum code_engine {
    CODE_ENGINE_PAIR = 1 << 0, /* of two CTAs */
    CODE_ENGINE_A_SHARED = 1 << 1,
    CODE_ENGINE_STATIONARY = 1 << 2,
    CODE_ENGINE_SCALED = 1 << 3, /* with scale factors */
    CODE_ENGINE_KIND = 4         /* lowest bit of the kind */
};

/* Usual cases, for which the host has shorter ways. */
enum code_plain {
    CODE_PLAIN_READS = 1 << 0, /* its reads are single registers, and no two the same */
    CODE_PLAIN_ISSUE = 1 << 1  /* arithmetic of fixed latency that names no dependence counter: its issue has the
                                * consequences that every issue has, unless the source says more */
};

enum { CODE_READS = 4 };

/* From issue to the queue of the shared FP64 unit, when the operands can begin to move. */
enum { FP64_HAND_OVER = 2 };

struct code_read {
    uint8_t first, words;
    uint8_t position; /* in the register-file cache (RFC_POSITIONS: none) */
    bool reuse;
};

struct code {
    uint16_t op;               /* enum isa_op */
    uint16_t flags;            /* enum code_flag */
    uint8_t class;             /* enum issue_class */
    uint8_t pipe;              /* enum isa_pipe */
    uint16_t interval;         /* cycles for which the unit is held */
    uint16_t pipe_cycles;      /* the same as sub-core cycles of the pipe */
    uint16_t latency;          /* fixed or simple variable latency, issue to issue of a consumer */
    uint16_t result_latency;   /* the same of the value that takes a place in the result queue */
    uint8_t result_parts;      /* cycles in which its result leaves the result queue (0: no result) */
    uint8_t result_banks;      /* register banks that the last part goes to (0: no register) */
    uint8_t window;            /* cycles in which it reads its operands; legacy core: enum legacy_unit */
    uint8_t transfer;          /* cycles for which its operands hold the path to a shared unit, or the port of shared
                                * memory; of CLASS_TENSOR_ENGINE: enum code_engine */
    uint8_t queued_reads[2];   /* registers to read in each bank, each once */
    uint8_t stall;             /* effective: yield and special encodings resolved (0: issues with the next one) */
    uint8_t wait;              /* mask of counters that must be 0 */
    uint8_t write_sb, read_sb; /* ISA_NO_SB: none */
    uint8_t depbar_sb, depbar_max, depbar_list;
    uint8_t memory, space; /* enum isa_memory or CODE_QUEUE_..., enum isa_space */
    uint8_t write_first, write_words;
    uint8_t reads;
    uint8_t plain;       /* enum code_plain */
    uint8_t plain_run;   /* instructions from here on that issue plainly, at most 255 */
    uint8_t fence;       /* MEMBAR: enum fence_scope */
    uint8_t matrices;    /* LDSM, STSM: groups of 8 rows, else 0 */
    uint8_t mbarrier;    /* enum code_mbarrier */
    uint8_t warpgroup;   /* enum code_warpgroup */
    uint8_t tensor;      /* enum code_tensor */
    uint16_t data_words; /* registers a lane loads or stores */
    struct code_read read[CODE_READS];
    uint8_t keep, policy; /* enum l1_keep, enum request_policy */
    uint8_t fetch;        /* sectors that a miss of the L2 should bring, as struct request has it */
    uint8_t constant_bank;
    uint32_t constant_offset;
};

/* Tells whether an instruction passes the memory queue without an access to memory. */
static inline bool code_only_passes(const struct code *code) { return code->memory >= ISA_MEM_SHUFFLE; }

/* Tells whether it passes the array of shared memory, from which its lanes get their values: SHFL, S2R of SR_TID. */
static inline bool code_passes_array(const struct code *code)
{
    return code->memory == ISA_MEM_SHUFFLE || code->memory == CODE_QUEUE_LANES;
}

/* Tells whether an instruction operates on barrier objects alone. */
static inline bool code_operates(const struct code *code)
{
    return code->mbarrier != CODE_MBARRIER_NONE && code->mbarrier != CODE_MBARRIER_STORE;
}

/* Returns the enum isa_engine_kind of a CLASS_TENSOR_ENGINE instruction. */
static inline unsigned code_engine_kind(const struct code *code) { return code->transfer >> CODE_ENGINE_KIND; }

/* Fills one entry. `inst` may be ISA_INVALID: it issues as a no-operation, and the source refuses to execute it. */
void code_build(struct code *out, const struct isa_inst *inst, const struct config *config);

/* Fills the derived fields: the way it goes, the window, parts of the result, reads by bank. code_build does it. */
void code_derive(struct code *code, const struct config_core *config);

#endif
