/* Fragments of matrices to and from shared memory, and from one layout to another. */
#include <string.h>

#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/lane_order.h"

enum { ROW_BYTES = 16 };

/* ---- rows of 16 bytes -------------------------------------------------------------------------------------------- */

/* Element `i` of a row. Those of 4 and 6 bits stand without gaps at its beginning and fill the lower bits of a byte. */
static uint32_t row_element(const uint8_t *row, unsigned element, unsigned i)
{
    switch (element) {
    case ISA_LDSM_ELEMENT_U4X16P64TO8: return (uint32_t)row[i / 2] >> i % 2 * 4 & 15u;
    case ISA_LDSM_ELEMENT_U6X16P32TO8: return (row[i * 6 / 8] | (uint32_t)row[i * 6 / 8 + 1] << 8) >> i * 6 % 8 & 63u;
    case ISA_LDSM_ELEMENT_8: return row[i];
    default: return row[2 * i] | (uint32_t)row[2 * i + 1] << 8;
    }
}

/* The elements that register `r` of a matrix holds in a lane: two 16-bit elements, or four bytes, in row lane / 4 (+
 * 8), or column where the matrix is transposed. */
static uint32_t fragment(const uint8_t *shared, const uint64_t *row, unsigned layout, unsigned element, unsigned r,
                         unsigned lane)
{
    unsigned bits = element == ISA_LDSM_ELEMENT_16 ? 16 : 8, per = 32 / bits, major = lane / 4 + 8 * r,
             minor = lane % 4 * per;
    bool transposed = layout == ISA_LDSM_LAYOUT_MT88 || layout == ISA_LDSM_LAYOUT_MT1616;
    uint32_t word = 0;
    for (unsigned i = 0; i < per; i++) {
        unsigned from = transposed ? minor + i : major, at = transposed ? major : minor + i;
        word |= row_element(shared + row[from], element, at) << bits * i;
    }
    return word;
}

static bool load_known(unsigned layout, unsigned element, unsigned matrices)
{
    switch (layout) {
    case ISA_LDSM_LAYOUT_M88:
    case ISA_LDSM_LAYOUT_MT88: return element == ISA_LDSM_ELEMENT_16 && matrices <= 4;
    case ISA_LDSM_LAYOUT_M816: return element >= ISA_LDSM_ELEMENT_U4X16P64TO8 && matrices <= 4;
    case ISA_LDSM_LAYOUT_MT1616: return element >= ISA_LDSM_ELEMENT_U4X16P64TO8 && matrices <= 2;
    default: return false;
    }
}

void exec_LDSM(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned layout = isa->mod[ISA_MOD_LAYOUT], element = isa->mod[ISA_MOD_ELEMENT];
    unsigned matrices = 1u << (isa->mod[ISA_MOD_MATRICES] & 3), registers = layout == ISA_LDSM_LAYOUT_MT1616 ? 2 : 1;
    unsigned rows = 8 * registers * matrices;
    uint32_t addressing = rows >= EXEC_LANES ? UINT32_MAX : (1u << rows) - 1;
    if (!load_known(layout, element, matrices) || (active & addressing) != addressing) {
        exec_refuse(core, warp, inst, "a matrix load of this layout, or without the lanes that have the addresses");
        return;
    }
    if (!access_begin_shared(core, warp, inst, addressing, ROW_BYTES, "shared matrix load", out))
        return;
    for (unsigned lane = rows; lane < EXEC_LANES; lane++)
        out->address[lane] = out->address[lane % rows];
    uint32_t value[4][EXEC_LANES];
    for (unsigned r = 0; r < registers * matrices; r++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            value[r][lane] = fragment(warp->cta->shared, out->address + 8 * registers * (r / registers), layout,
                                      element, r % registers, lane);
    for (unsigned r = 0; r < registers * matrices && isa->d.index != ISA_RZ; r++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            if (active >> lane & 1)
                warp->reg[isa->d.index + r][lane] = value[r][lane];
}

/* Halves: a word has two of row lane / 4, or of that column. Bytes are always transposed: two rows of column lane / 4,
 * then the same rows of column lane / 4 + 8 (the layout that CUTLASS gives stmatrix.m16n8). */
static void store_word(uint8_t *shared, const uint64_t *rows, unsigned layout, unsigned lane, uint32_t word)
{
    unsigned group = lane / 4, pair = lane % 4 * 2;
    for (unsigned i = 4; i-- > 0;) {
        unsigned row = layout == ISA_STSM_LAYOUT_M88    ? group
                       : layout == ISA_STSM_LAYOUT_MT88 ? pair + i / 2
                                                        : pair + i % 2;
        unsigned byte = layout == ISA_STSM_LAYOUT_M88    ? 2 * pair + i
                        : layout == ISA_STSM_LAYOUT_MT88 ? 2 * group + i % 2
                                                         : group + i / 2 * 8;
        shared[rows[row] + byte] = (uint8_t)(word >> 8 * i);
    }
}

void exec_STSM(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned matrices = 1u << (isa->mod[ISA_MOD_MATRICES] & 3), rows = 8 * matrices, layout = isa->mod[ISA_MOD_LAYOUT];
    bool known = isa->mod[ISA_MOD_ELEMENT] == ISA_STSM_ELEMENT_16 ? layout <= ISA_STSM_LAYOUT_MT88
                                                                  : layout == ISA_STSM_LAYOUT_MT168;
    if (matrices > 4 || !known || active != UINT32_MAX) {
        exec_refuse(core, warp, inst, "a matrix store of this layout, or by a part of the warp");
        return;
    }
    uint32_t addressing = rows == EXEC_LANES ? UINT32_MAX : (1u << rows) - 1;
    if (!access_begin_shared(core, warp, inst, addressing, ROW_BYTES, "shared matrix store", out))
        return;
    for (unsigned lane = rows; lane < EXEC_LANES; lane++)
        out->address[lane] = out->address[lane % rows];
    for (unsigned m = matrices; m-- > 0;) {
        const uint32_t *words = exec_row_word(warp, isa->b.index, m);
        for (unsigned n = 0; n < EXEC_LANES; n++)
            store_word(warp->cta->shared, out->address + 8 * m, layout, lane_order_store(n),
                       words[lane_order_store(n)]);
    }
}

/* ---- between layouts --------------------------------------------------------------------------------------------- */

/* Halves: row lane / 4 becomes column. 4-bit numbers, 8 x 32, of which a lane holds 8 of row lane / 4: to bytes, of
 * which it holds 4 in each of two registers, as the operands of IMMA with k = 32 want them. */
void exec_MOVM(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    bool transpose =
        isa->mod[ISA_MOD_LAYOUT] == ISA_MOVM_LAYOUT_MT88 && isa->mod[ISA_MOD_ELEMENT] == ISA_MOVM_ELEMENT_16;
    bool widen =
        isa->mod[ISA_MOD_LAYOUT] == ISA_MOVM_LAYOUT_M832 && isa->mod[ISA_MOD_ELEMENT] == ISA_MOVM_ELEMENT_U4TO8;
    if ((!transpose && !widen) || active != UINT32_MAX) {
        exec_refuse(core, warp, inst, "a matrix move of this layout, or by a part of the warp");
        return;
    }
    uint32_t from[EXEC_LANES];
    memcpy(from, exec_row(warp, isa->a.index), sizeof from);
    for (unsigned r = 0; r < (widen ? 2u : 1u) && isa->d.index != ISA_RZ; r++) {
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            unsigned g = lane / 4, t = lane % 4;
            uint32_t word = 0;
            for (unsigned i = 0; transpose && i < 2; i++)
                word |= (from[(2 * t + i) * 4 + g / 2] >> g % 2 * 16 & 0xffff) << 16 * i;
            for (unsigned i = 0; widen && i < 4; i++) {
                unsigned column = 16 * r + 4 * t + i;
                word |= (from[4 * g + column / 8] >> column % 8 * 4 & 15) << 8 * i;
            }
            warp->reg[isa->d.index + r][lane] = word;
        }
    }
}
