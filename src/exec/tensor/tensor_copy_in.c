/* UTCCP (tcgen05.cp): rows of a matrix in shared memory become lanes of tensor memory, in whole or by 16 bytes that
 * become bytes of 4-bit or 6-bit elements. UTCSHIFT (tcgen05.shift): rows of tensor memory move down by one.
 *
 * The rows are those of a K-major operand (exec/matrix/shared_matrix.h).
 *
 *   layout                rows   bytes   lanes of row r, from that of the address on
 *   (none)                128    32      r
 *   4dp256bit             4      32      32 r
 *   128dp128bit           128    16      r
 *   2x64dp..._lw02_lw13   64     16      r, r + 64
 *   2x64dp..._lw01_lw23   64     16      64 (r / 32) + r mod 32, and 32 more
 *   4x32dp128bit          32     16      r, r + 32, r + 64, r + 96
 *
 * Each CTA of a pair does its part with its own shared and tensor memory, by one descriptor and one address.
 *
 * Both operations are asynchronous, but their effect is here that of an operation that ends when it issues: programs
 * have to wait for it, and can't see more. */
#include <inttypes.h>
#include <string.h>

#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/matrix/shared_matrix.h"
#include "exec/memory/proxy_see.h"
#include "exec/tensor/tensor_memory.h"
#include "exec/tensor/tensor_pair.h"

enum { WHOLE, UNUSED, FOUR, NARROW, HALVES_02, HALVES_01, QUARTERS, LAYOUTS };
enum { AS_IS, FROM_4, FROM_6 }; /* of ELEMENT */
enum { CHUNK = 16, GRAIN = 4, SHIFT_COLUMNS = 8, QUARTER = 32 };
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

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Elements of 4 bits stand in the first 8 bytes and go to bits 5:2 of a byte, 6-bit ones in the first 12 and go to
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

/* A row in all of its lanes. */
static void put(struct exec_cta *cta, unsigned layout, unsigned row, uint32_t address, const uint32_t *words)
{
    const struct layout *l = &layouts[layout];
    for (unsigned n = 0; n < l->copies; n++)
        for (unsigned w = 0; w < l->chunks * CHUNK / 4u; w++)
            *tensor_memory_word(cta->tensor, tensor_lane(address) + lane_of(layout, row, n),
                                tensor_column(address) + w) = words[w];
}

static void copy(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct exec_cta *cta,
                 const uint32_t word[TENSOR_PAIR_WORDS])
{
    unsigned layout = inst->isa.mod[ISA_MOD_LAYOUT], element = inst->isa.mod[ISA_MOD_ELEMENT];
    const struct layout *l = &layouts[layout];
    uint8_t bytes[2 * CHUNK];
    uint32_t words[2 * CHUNK / 4];
    struct shared_matrix m;
    if (!check(core, warp, inst, cta, layout, word[ADDRESS]) || !shared_matrix_100(cta, word[LOW], word[HIGH], &m))
        return;
    m.number = proxy_see_product(cta, inst->isa.pc, warp->index, tensor_column(word[ADDRESS]), l->chunks * GRAIN);
    m.core = m.number ? core : NULL;
    m.cta = cta;
    for (unsigned row = 0; row < l->rows; row++) {
        shared_matrix_rows(&m, row, 1, l->chunks * CHUNK, bytes, sizeof bytes);
        for (unsigned chunk = 0; chunk < l->chunks; chunk++)
            expand(element, bytes + chunk * CHUNK);
        memcpy(words, bytes, sizeof words);
        put(cta, layout, row, word[ADDRESS], words);
    }
    if (m.outside != UINT32_MAX)
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, m.outside, EXEC_FAULT_ADDRESS,
                      "a matrix descriptor leads to address 0x%" PRIx32 ", the CTA has %" PRIu32
                      " bytes of shared memory",
                      m.outside, cta->launch->shared_bytes);
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
    struct shared_matrix m;
    uint32_t offset = isa->e.kind == ISA_IMM ? isa->e.value : 0;
    const uint32_t word[TENSOR_PAIR_WORDS] = {[ADDRESS] = operand_word(core, warp, inst, &isa->a, 0) + offset,
                                              [LOW] = operand_word(core, warp, inst, &isa->b, 0),
                                              [HIGH] = operand_word(core, warp, inst, &isa->b, 1)};
    (void)active, (void)out;
    if (layout >= LAYOUTS || layout == UNUSED || isa->mod[ISA_MOD_ELEMENT] > FROM_6)
        exec_refuse(core, warp, inst, "this shape of a copy to tensor memory");
    else if (!shared_matrix_100(warp->cta, word[LOW], word[HIGH], &m))
        exec_refuse(core, warp, inst, "this swizzle of a matrix descriptor, or its mode");
    else if (isa->mod[ISA_MOD_CTAS])
        tensor_pair_begin(core, warp, inst, copy_in_pair, word);
    else
        copy(core, warp, inst, warp->cta, word);
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

/* The rows from the address's row on, with 32 bytes each: each but the last goes to the next lane. The first one stays.
 * */
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
    proxy_see_product(cta, inst->isa.pc, warp->index, area.column, SHIFT_COLUMNS);
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
