/* A SASS instruction: one decoded form for all architectures, the decoder that makes it, the disassembler that prints
 * it, and the facts about an opcode that timing and execution share.
 *
 *   128-bit word              127   125     105 104      91      72 71  64 63      40 39  32 31  24 23  16 15 12 11   0
 *                             +-----+---------+----------+---------+------+----------+------+------+------+-----+-----+
 *                             |     | control | modifiers, op[12]  |  Rc  | imm, off |  Rb  |  Ra  |  Rd  | @Pg | op  |
 *                             +-----+---------+----------+---------+------+----------+------+------+------+-----+-----+
 *
 * The tables behind it (opcodes.def, encodings.def, modifiers.def) say everything once: decoder, disassembler and
 * the tables' own tests expand from them. */
#ifndef SUBCORE_ISA_ISA_H
#define SUBCORE_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/status.h"

/* ---- opcodes ----------------------------------------------------------------------------------------------------- */

/* Functional unit that an opcode occupies, by the profiler's pipe names. */
#define ISA_PIPES(X)                                                                                                   \
    X(FE, "fe", "front end: no unit")                                                                                  \
    X(ALU, "alu", "integer, logic, compare, conversions of fixed latency")                                             \
    X(FMA, "fma", "FP32; on GA10x and later either of two groups")                                                     \
    X(FMAHEAVY, "fmaheavy", "integer multiply-add: the FP32 group that has a multiplier for integers")                 \
    X(FP16, "fp16", "packed half")                                                                                     \
    X(FP64, "fp64", "double precision")                                                                                \
    X(XU, "xu", "transcendental, population count, conversions of variable latency")                                   \
    X(TENSOR, "tensor", "matrix multiply-add")                                                                         \
    X(UNIFORM, "uniform", "one result a warp")                                                                         \
    X(CBU, "cbu", "branches and convergence barriers")                                                                 \
    X(ADU, "adu", "barriers, special registers, address divergence")                                                   \
    X(LSU, "lsu", "loads, stores, atomics, shuffles")                                                                  \
    X(TEX, "tex", "textures and surfaces")

enum isa_pipe {
#define X(id, name, text) ISA_PIPE_##id,
    ISA_PIPES(X)
#undef X
        ISA_PIPE_COUNT
};

/* The way of an instruction: its needs at issue and its unit. The pipe is where the profiler counts it. The way
 * tells apart instructions of one pipe that issue at other rates or through another queue, on some GPUs or on all.
 * sm/ways.def has the unit and the interval of each. */
#define ISA_WAYS(X)                                                                                                    \
    X(FE, "fe", "no unit")                                                                                             \
    X(ALU, "alu", "integer lanes")                                                                                     \
    X(ALU_EITHER, "alu, either", "integer lanes; where both FP32 groups do this, too, either of them")                 \
    X(FMA, "fma", "FP32 lanes; on GA10x and later either of two groups")                                               \
    X(FMA_PAIR, "fma, pair", "FP32 lanes of both groups (core.half_on_fp32)")                                          \
    X(FMAHEAVY, "fmaheavy", "the FP32 lanes that multiply integers")                                                   \
    X(FP16, "fp16", "lanes for packed halves")                                                                         \
    X(FP64, "fp64", "FP64 lanes of the sub-core, or the queue of the FP64 unit that sub-cores share")                  \
    X(FP64_HALF, "fp64, half", "packed halves in FP64 lanes; where sub-cores share an FP64 unit, in those for halves") \
    X(FP64_MATRIX, "fp64, matrix", "as FP64, for as long as the product has multiplications")                          \
    X(XU, "xu", "queue of the transcendental unit")                                                                    \
    X(CONVERSION, "xu, conversion", "as XU; from or to 64 bits as FP64 where sub-cores share an FP64 unit")            \
    X(TENSOR, "tensor", "tensor core, for as long as type and shape say")                                              \
    X(WARPGROUP, "warpgroup", "tensor cores of all sub-cores, for the products of four warps")                         \
    X(TENSOR_ENGINE, "tensor engine", "queue of the tensor cores, for products from shared and tensor memory")         \
    X(UNIFORM, "uniform", "uniform datapath")                                                                          \
    X(ENGINE, "engine", "queue of the engine for bulk and tensor copies, commands of uniform registers")               \
    X(REDUX, "redux", "uniform datapath, or the queue of the ADU (core.redux_interval)")                               \
    X(CBU, "cbu", "branch unit")                                                                                       \
    X(ADU, "adu", "queue of the unit for barriers and special registers")                                              \
    X(QUEUE_LG, "memory queue, lg", "memory queue, as local and global memory")                                        \
    X(QUEUE_MIO, "memory queue, mio", "memory queue, as shared memory and constants")                                  \
    X(QUEUE_SHUFFLE, "memory queue, shuffle", "memory queue; holds the data path (lsu.shuffle_interval)")              \
    X(QUEUE_MISC, "memory queue, misc", "memory queue without an access; holds the data path (lsu.misc_interval)")     \
    X(QUEUE_MATCH, "memory queue, match", "as QUEUE_MISC; of MATCH.ANY lsu.match_interval")                            \
    X(QUEUE_TENSOR, "memory queue, tensor", "memory queue, to tensor memory")                                          \
    X(QUEUE_TEX, "texture queue", "queue of the texture unit")

enum isa_way {
#define X(id, name, text) ISA_WAY_##id,
    ISA_WAYS(X)
#undef X
        ISA_WAY_COUNT
};

/* How long after issue a result can be used, and whether the compiler covers it with a stall count or with a dependence
 * counter: the classes are rows of contract.def, isa/contract.h reads them. The cycles of the timing model are
 * configuration (core.*_latency, lsu.*). */
#include "isa/contract.def"

enum isa_latency {
#define X(id, range, told, reuse, consumer, result, text) ISA_LATENCY_##id,
    ISA_LATENCIES(X)
#undef X
        ISA_LATENCY_COUNT
};

/* The memory access of an instruction, for the load/store unit. */
enum isa_memory {
    ISA_MEM_NONE,
    ISA_MEM_LOAD,
    ISA_MEM_STORE,
    ISA_MEM_ATOMIC,     /* atomic: returns a value */
    ISA_MEM_REDUCTION,  /* atomic without a result */
    ISA_MEM_ASYNC_COPY, /* LDGSTS: global to shared */
    ISA_MEM_SHUFFLE     /* uses the load/store data path, touches no memory */
};

enum isa_space {
    ISA_SPACE_NONE,
    ISA_SPACE_GLOBAL,
    ISA_SPACE_SHARED,
    ISA_SPACE_LOCAL,
    ISA_SPACE_CONSTANT,
    ISA_SPACE_GENERIC, /* decided lane by lane by the address */
    ISA_SPACE_CLUSTER  /* shared memory of another CTA in the cluster; of a generic access that has been resolved */
};

enum isa_flag {
    ISA_BRANCH = 1 << 0, /* may set the pc */
    ISA_EXIT = 1 << 1,
    ISA_BARRIER = 1 << 2, /* CTA barrier */
    ISA_UNIFORM = 1 << 3, /* executes once a warp. Its guard is a uniform predicate */
    ISA_MEMBAR = 1 << 4,
    ISA_DEPBAR = 1 << 5,
    ISA_SLEEP = 1 << 6,          /* NANOSLEEP, YIELD */
    ISA_NOT_EXECUTABLE = 1 << 7, /* decoded and printed, but execution stops with a named refusal */
    ISA_TWO_RESULTS = 1 << 8,    /* operand g is a second destination */
    ISA_KEEP = 1 << 10,          /* modifier CACHE says how long the caches keep its lines */
    ISA_256 = 1 << 11,           /* accesses 256 bits per lane */
    ISA_FRAGMENTS = 1 << 12      /* LDSM, STSM: rows of 16 bytes, whose addresses some lanes have for all */
};

/* Opcodes: X(id, name, pipe, issue way, latency class, memory kind, space, flags). The executor of an opcode is the
 * function exec_<id>. A missing one does not link. */
#include "isa/opcodes.def"

enum isa_op {
    ISA_INVALID,
#define X(id, name, pipe, way, latency, memory, space, flags) ISA_OP_##id,
    ISA_OPCODES(X)
#undef X
        ISA_OP_COUNT
};

struct isa_op_info {
    const char *name; /* mnemonic without modifiers: "IMAD" */
    enum isa_pipe pipe;
    enum isa_way way;
    enum isa_latency latency;
    enum isa_memory memory;
    enum isa_space space;
    uint32_t flags; /* enum isa_flag */
};

const struct isa_op_info *isa_op_info(enum isa_op op);
const char *isa_pipe_name(enum isa_pipe pipe);
const char *isa_way_name(enum isa_way way);

/* ---- decoded instruction ----------------------------------------------------------------------------------------- */

/* URZ is 255 in the decoded form on every architecture. */
enum { ISA_RZ = 255, ISA_URZ = 255, ISA_PT = 7, ISA_NO_SB = 7 };

/* Control bits 125:105. */
struct isa_control {
    uint8_t stall;    /* 0..15 cycles until the warp may issue again */
    bool yield;       /* true: let another warp issue next (stored inverted in bit 109) */
    uint8_t write_sb; /* dependence counter released when the result is written (ISA_NO_SB: none) */
    uint8_t read_sb;  /* dependence counter released when the sources are read (ISA_NO_SB: none) */
    uint8_t wait;     /* bit k: issue only when counter k is 0 */
    uint8_t reuse;    /* bit 0 A, 1 B, 2 C: keep the operand in the register-file cache */
};

enum isa_operand_kind {
    ISA_NONE,          /* the instruction has no such operand */
    ISA_REG,           /* general register; RZ reads 0 */
    ISA_UREG,          /* uniform register */
    ISA_IMM,           /* immediate in value (of FP64: the upper half); of two words: also in upper */
    ISA_CONST,         /* c[bank][value], value in bytes */
    ISA_CONST_BINDLESS /* cx[UR index][value] */
};

enum isa_operand_flag {
    ISA_NEG = 1 << 0, /* -x */
    ISA_ABS = 1 << 1, /* |x|, applied before the sign */
    ISA_INV = 1 << 2, /* ~x */
    ISA_WIDE = 1 << 3 /* printed with .64 */
};

struct isa_operand {
    uint8_t kind;     /* enum isa_operand_kind */
    uint8_t index;    /* register number */
    uint8_t flags;    /* enum isa_operand_flag */
    uint8_t words;    /* 32-bit registers read or written: 1, 2, 3, 4 */
    uint8_t bank;     /* constant bank */
    uint8_t swizzle;  /* half select or byte select, as encoded */
    uint8_t position; /* reuse-cache position of a source, also its bit in control.reuse: 0 A, 1 B, 2 C. It follows
                            * the name of the operand in its class (FADD reads A and C), not the bits it stands in */
    uint8_t reserved;
    uint32_t value; /* immediate, or constant offset in bytes (sign-extended where the field is signed) */
    uint32_t upper; /* upper word of a two-word immediate */
};

struct isa_predicate {
    uint8_t index; /* 0..7; 7 is PT (source: true; destination: discard) */
    bool inverted; /* source only */
    bool uniform;  /* UP instead of P */
    bool present;  /* the instruction has this operand at all */
};

/* Modifiers: one byte each, holding the field as encoded (documented at each entry of modifiers.def). A modifier that
 * the instruction does not have is 0. */
#include "isa/modifiers.def"

enum isa_modifier {
#define X(id, text) ISA_MOD_##id,
    ISA_MODIFIERS(X)
#undef X
        ISA_MOD_LIMIT
};

/* Values of modifiers: enum isa_order { ISA_ORDER_WEAK, ... } and others, from the rows that name them. Several tables
 * may name the values of one modifier, by opcode. */
#define NAMES(id, other, ...)
#define LIKE(id, base, other, ...)
#define VALUES(id, tag, other, ...) enum isa_##tag{__VA_ARGS__};
#define V(id, name) ISA_##id
#define AT(value, id, name) ISA_##id = (value)
#include "isa/enums.def"

struct isa_inst {
    struct word128 word;
    uint32_t pc;       /* byte offset in the kernel's code section */
    uint16_t op;       /* enum isa_op; ISA_INVALID when the word is not in the table */
    uint16_t encoding; /* row of encodings.def */
    struct isa_control control;
    struct isa_predicate guard; /* always present; PT when unguarded */
    /* Operands by role, not by place of printing:
     *   d  destination register (first of d.words)
     *   a, b, c  sources in the roles that the ISA reference gives them (FFMA: a*b+c; ISETP: a cmp b; STG: a address,
     *            b data; ATOMG: a address, b operand, c second operand of CAS; LDG: a address), whatever encoding slot
     *            the form puts them in (`position` keeps the slot)
     *   e, f, g  anything beyond (sparse metadata, handles)
     * LDGSTS has two addresses: global in a, `offset` and the descriptor; shared in b, with its byte offset in b.value
     * and, where c is a uniform register, that added. LDC and ULDC: b is the constant, a its index register if any.
     * Accesses of 256 bits have their upper half in e, which of a load is a destination. */
    struct isa_operand d, a, b, c, e, f, g;
    struct isa_predicate pu, pv;     /* destinations */
    struct isa_predicate pp, pq, pr; /* sources; of a select or carry-in: pp */
    uint8_t ureg_base;               /* uniform register added to an address (ISA_URZ: none) */
    uint8_t ureg_descriptor;         /* desc[UR] (ISA_URZ: none) */
    bool has_ureg_base, has_descriptor;
    int32_t offset;  /* byte offset of a memory operand */
    uint32_t target; /* branch target, byte offset in the code section; also BSSY's */
    uint8_t barrier; /* register of BSSY, BSYNC, BREAK, BMOV (16 and above: other state of the warp);
                                    * BAR: number of the CTA barrier when immediate, which is also in a */
    uint8_t mod[ISA_MOD_LIMIT];
};

/* Architectures with tables. */
bool isa_supported(unsigned sm);
/* Returns the architecture whose table decodes the code of `sm`, such as 100 for 103 (0: none does). */
unsigned isa_table(unsigned sm);

/* A decoder is the table of one architecture, indexed; built once, immutable afterwards and shared by threads. */
struct isa_decoder;
/* 70, 75, 80, 86, 89, 90, 100, 120, or one that isa_table has another's table for. */
struct isa_decoder *isa_decoder_create(unsigned sm, struct status *status);
void isa_decoder_destroy(struct isa_decoder *decoder);

/* Decodes one word at byte offset `pc`. Returns false if no row fits; *out then holds op ISA_INVALID, the word, pc and
 * control bits, so that a disassembler can go on. */
bool isa_decode(const struct isa_decoder *decoder, struct word128 word, uint32_t pc, struct isa_inst *out);

struct isa_control isa_control_decode(struct word128 word);

/* Text of an instruction as nvdisasm prints it, without address and trailing " ;". Unknown words give their bits. */
enum { ISA_TEXT = 256 };
void isa_print(const struct isa_inst *inst, char text[static ISA_TEXT]);
/* Control bits in the usual notation: [B--2---:R-:W0:-:S04] (wait mask, read, write, Y or -, stall). */
void isa_print_control(struct isa_control control, char text[static 32]);

/* ---- registers that an instruction touches, for dependence checks, ports and occupancy --------------------------- */

struct isa_reg_range {
    uint8_t first, words, position;
    bool reuse;
}; /* position as in isa_operand; never RZ */

struct isa_regs {
    uint8_t reads, writes; /* number of ranges */
    struct isa_reg_range read[7], write[2];
    uint8_t predicates_read, predicates_written; /* bit masks of P0..P6, the guard included */
};

void isa_registers(const struct isa_inst *inst, struct isa_regs *out);

#endif
