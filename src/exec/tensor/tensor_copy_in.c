/* UTCCP (tcgen05.cp): rows of a matrix in shared memory become lanes of tensor memory, in whole or by 16 bytes that
 * become bytes of elements of 4 or 6 bits. UTCSHIFT (tcgen05.shift): rows of tensor memory move down by one.
 *
 * The rows are those of a K-major operand (PTX ISA, canonical layouts): without a swizzle row r begins at
 * (r mod 8) * 16 + (r div 8) * stride, and its second 16 bytes are `leading` behind; with one of S bytes at
 * (r mod 8) * S + (r div 8) * stride.
 *
 *   layout                rows   bytes   lanes of row r, from that of the address on
 *   (none)                128    32      r
 *   4dp256bit             4      32      32 r
 *   128dp128bit           128    16      r
 *   2x64dp..._lw02_lw13   64     16      r, r + 64
 *   2x64dp..._lw01_lw23   64     16      64 (r / 32) + r mod 32, and 32 more
 *   4x32dp128bit          32     16      r, r + 32, r + 64, r + 96
 *
 * What a pair of CTAs does each does with its own shared and tensor memory, by one descriptor and one address.
 *
 * Both operations are asynchronous, but their effect is here that of an operation that ends when it issues: programs
 * have to wait for it, and can't see more. */
#include <inttypes.h>
#include <string.h>

#include "exec/engine/swizzle.h"
#include "exec/executors.h"
#include "exec/memory/proxy_see.h"
#include "exec/tensor/tensor_memory.h"
#include "exec/tensor/tensor_pair.h"

enum { WHOLE, UNUSED, FOUR, NARROW, HALVES_02, HALVES_01, QUARTERS, LAYOUTS };
enum { AS_IS, FROM_4, FROM_6 }; /* of ELEMENT */
enum { CHUNK = 16, ATOM = 8, GRAIN = 4, SHIFT_COLUMNS = 8, QUARTER = 32 };
enum { ADDRESS, LOW, HIGH }; /* words of an operation by a pair */

static const struct layout {
    uint8_t rows, chunks, copies;
} layouts[LAYOUTS] = {
    [WHOLE] = {128, 2, 1},    [FOUR] = {4, 2, 1},       [NARROW] = {128, 1, 1},
    [HALVES_02] = {64, 1, 2}, [HALVES_01] = {64, 1, 2}, [QUARTERS] = {32, 1, 4},
};

static unsigned lane_of(unsigned layout, unsigned row, unsigned copy)
{
    switch (layout) {
    case FOUR: return QUARTER * row;
    case HALVES_02: return row + 2 * QUARTER * copy;
    case HALVES_01: return 2 * QUARTER * (row / QUARTER) + row % QUARTER + QUARTER * copy;
    case QUARTERS: return row + QUARTER * copy;
    default: return row;
    }
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

struct source {
    const struct exec_core *core;
    struct exec_cta *cta;
    uint32_t start, leading, stride, base, pitch;
    enum swizzle swizzle;
    uint32_t number;  /* for the checker */
    uint32_t outside; /* the lowest address beyond shared memory; UINT32_MAX: none */
};

/* Returns false where the descriptor has a swizzle or a mode that there is not. */
static bool source_of(struct exec_cta *cta, uint32_t low, uint32_t high, struct source *s)
{
    static const uint8_t swizzles[8] = {SWIZZLE_NONE, SWIZZLE_128_ATOM_32, SWIZZLE_128, SWIZZLE_COUNT,
                                        SWIZZLE_64,   SWIZZLE_COUNT,       SWIZZLE_32,  SWIZZLE_COUNT};
    static const uint8_t pitches[8] = {16, 128, 128, 0, 64, 0, 32, 0};
    enum { ABSOLUTE_LEADING = 1 << 20 };
    *s = (struct source){.cta = cta,
                         .start = (low & 0x3fff) * CHUNK,
                         .leading = (low >> 16 & 0x3fff) * CHUNK,
                         .stride = (high & 0x3fff) * CHUNK,
                         .base = high >> 17 & 7,
                         .pitch = pitches[high >> 29],
                         .swizzle = (enum swizzle)swizzles[high >> 29],
                         .outside = UINT32_MAX};
    return s->pitch && !(high & ABSOLUTE_LEADING);
}

static void read_chunk(struct source *s, unsigned row, unsigned chunk, uint8_t to[CHUNK])
{
    uint32_t next = s->swizzle == SWIZZLE_NONE ? s->leading : CHUNK;
    uint32_t offset = row % ATOM * s->pitch + row / ATOM * s->stride + chunk * next;
    uint32_t address = swizzle_address(s->swizzle, s->start + offset, s->base);
    if (address + CHUNK > s->cta->launch->shared_bytes) {
        s->outside = address < s->outside ? address : s->outside;
        memset(to, 0, CHUNK);
        return;
    }
    memcpy(to, s->cta->shared + address, CHUNK);
    if (s->number)
        proxy_see_bytes(s->core, s->cta, s->number, address, CHUNK, false);
}

/* Elements of 4 bits stand in the first 8 bytes and go to bits 5:2 of a byte, those of 6 bits in the first 12 and go to
 * bits 5:0: where the products of the tensor core look for them. */
static void expand(unsigned element, uint8_t chunk[CHUNK])
{
    uint8_t packed[CHUNK + 1] = {0};
    memcpy(packed, chunk, CHUNK);
    for (unsigned i = 0; i < CHUNK && element != AS_IS; i++) {
        unsigned bit = i * (element == FROM_4 ? 4 : 6);
        unsigned value = (packed[bit / 8] | (unsigned)packed[bit / 8 + 1] << 8) >> bit % 8;
        chunk[i] = (uint8_t)(element == FROM_4 ? (value & 15) << 2 : value & 63);
    }
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct exec_cta *cta,
                  unsigned layout, uint32_t address)
{
    const struct layout *l = &layouts[layout];
    uint32_t lanes = lane_of(layout, l->rows - 1u, l->copies - 1u) + 1;
    if (tensor_column(address) % GRAIN == 0)
        return tensor_memory_check(core, warp, inst, cta, tensor_area_at(address, lanes, l->chunks * GRAIN), "copy");
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_MISALIGNED,
                  "copy to 0x%08" PRIx32 " in tensor memory: column %" PRIu32 " is no multiple of %d", address,
                  tensor_column(address), GRAIN);
    return false;
}

static void copy(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct exec_cta *cta,
                 const uint32_t word[TENSOR_PAIR_WORDS])
{
    unsigned layout = inst->isa.mod[ISA_MOD_LAYOUT], element = inst->isa.mod[ISA_MOD_ELEMENT];
    const struct layout *l = &layouts[layout];
    struct source s;
    uint32_t lane = tensor_lane(word[ADDRESS]), column = tensor_column(word[ADDRESS]);
    if (!check(core, warp, inst, cta, layout, word[ADDRESS]) || !source_of(cta, word[LOW], word[HIGH], &s))
        return;
    s.core = core;
    s.number = cta->shadow ? proxy_see_begin(cta, inst->isa.pc, warp->index, UINT32_MAX) : 0;
    for (unsigned row = 0; row < l->rows; row++)
        for (unsigned chunk = 0; chunk < l->chunks; chunk++) {
            uint8_t bytes[CHUNK];
            uint32_t words[CHUNK / 4];
            read_chunk(&s, row, chunk, bytes);
            expand(element, bytes);
            memcpy(words, bytes, sizeof words);
            for (unsigned n = 0; n < l->copies; n++)
                for (unsigned w = 0; w < CHUNK / 4; w++)
                    *tensor_memory_word(cta->tensor, lane + lane_of(layout, row, n), column + chunk * 4 + w) = words[w];
        }
    proxy_async_done(cta->shadow, s.number);
    if (s.outside != UINT32_MAX)
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, s.outside, EXEC_FAULT_ADDRESS,
                      "a matrix descriptor leads to address 0x%" PRIx32 ", the CTA has %" PRIu32
                      " bytes of shared memory",
                      s.outside, cta->launch->shared_bytes);
}

static void copy_in_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                         const uint32_t word[TENSOR_PAIR_WORDS])
{
    struct exec_cta *other = tensor_pair_other(core, warp, inst);
    if (other)
        copy(core, warp, inst, warp->cta, word);
    if (other && !core->fault.code)
        copy(core, warp, inst, other, word);
}

void exec_UTCCP(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned layout = isa->mod[ISA_MOD_LAYOUT];
    struct source s;
    const uint32_t word[TENSOR_PAIR_WORDS] = {[ADDRESS] = operand_word(core, warp, inst, &isa->a, 0),
                                              [LOW] = operand_word(core, warp, inst, &isa->b, 0),
                                              [HIGH] = operand_word(core, warp, inst, &isa->b, 1)};
    (void)active, (void)out;
    if (layout >= LAYOUTS || layout == UNUSED || isa->mod[ISA_MOD_ELEMENT] > FROM_6)
        exec_refuse(core, warp, inst, "this shape of a copy to tensor memory");
    else if (!source_of(warp->cta, word[LOW], word[HIGH], &s))
        exec_refuse(core, warp, inst, "this swizzle of a matrix descriptor, or its mode");
    else if (isa->mod[ISA_MOD_CTAS])
        tensor_pair_begin(core, warp, inst, copy_in_pair, word);
    else
        copy(core, warp, inst, warp->cta, word);
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

/* The rows from that of the address on, of 32 bytes: each but the last goes to the next lane. The first one stays. */
static void shift(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct exec_cta *cta,
                  uint32_t address)
{
    uint32_t first = tensor_lane(address);
    struct tensor_area area = tensor_area_at(address, first < TENSOR_LANES ? TENSOR_LANES - first : 1, SHIFT_COLUMNS);
    if (first % QUARTER) {
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_MISALIGNED,
                      "shift at 0x%08" PRIx32 " in tensor memory: lane %" PRIu32 " is no multiple of %d", address,
                      first, QUARTER);
        return;
    }
    if (!tensor_memory_check(core, warp, inst, cta, area, "shift"))
        return;
    for (uint32_t c = 0; c < SHIFT_COLUMNS; c++) {
        uint32_t *column = tensor_memory_lanes(cta->tensor, area.column + c) + first;
        memmove(column + 1, column, (area.lanes - 1) * sizeof *column);
    }
}

static void shift_in_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                          const uint32_t word[TENSOR_PAIR_WORDS])
{
    struct exec_cta *other = tensor_pair_other(core, warp, inst);
    if (other)
        shift(core, warp, inst, warp->cta, word[ADDRESS]);
    if (other && !core->fault.code)
        shift(core, warp, inst, other, word[ADDRESS]);
}

void exec_UTCSHIFT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t offset = isa->e.kind == ISA_IMM ? isa->e.value : 0;
    const uint32_t word[TENSOR_PAIR_WORDS] = {[ADDRESS] = operand_word(core, warp, inst, &isa->a, 0) + offset};
    (void)active, (void)out;
    if (isa->mod[ISA_MOD_CTAS])
        tensor_pair_begin(core, warp, inst, shift_in_pair, word);
    else
        shift(core, warp, inst, warp->cta, word[ADDRESS]);
}
