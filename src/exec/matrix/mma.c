#include "exec/matrix/mma.h"

#include "base/bits.h"

static uint32_t element(uint32_t word, unsigned bits, unsigned index)
{
    return bits == 32 ? word : word >> bits * index & ((1u << bits) - 1);
}

/* Four lanes hold at least a register of an A row. */
static bool fills_registers(const struct isa_matrix *shape)
{
    enum { LEAST = 4 * 32 };
    return (unsigned)(shape->depth >> shape->sparse) * shape->bits_a >= LEAST;
}

bool mma_begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct mma *m)
{
    const struct isa_inst *isa = &inst->isa;
    m->shape = isa_matrix_of(isa);
    if (m->shape.rows && fills_registers(&m->shape) && !operand_has_predicate(isa->pp) && isa->a.kind == ISA_REG &&
        isa->b.kind == ISA_REG && isa->c.kind == ISA_REG && (!m->shape.sparse || isa->e.kind == ISA_REG))
        return true;
    exec_refuse(core, warp, inst, "this shape or predicated form of a matrix multiplication");
    return false;
}

/* ---- sparse metadata --------------------------------------------------------------------------------------------- */

/* Two of each four neighbours stand in A. An index of two bits says which. Elements of 4 bits go in pairs, of 32 in
 * halves (so that their index is 0b0100 or 0b1110). A word of metadata has 16 indices: for elements of 16 and 32 bits
 * half of them for row g, half for row g + 8, of elements below all for one row, where the group's odd lanes hold row g
 * + 8. The selector says from which lane of the group on they are. */
static unsigned metadata_index(const uint32_t *words, const struct isa_matrix *shape, unsigned selector, unsigned row,
                               unsigned index)
{
    unsigned lanes = shape->depth * shape->bits_a / (shape->bits_a >= 16 ? 256u : 128u);
    unsigned first = selector * lanes & 3, upper = row / 8, lane = row % 8 * 4 + first;
    if (shape->bits_a >= 16)
        return words[lane + index / 8] >> (16 * upper + index % 8 * 2) & 3;
    return words[lane + index / 16 * 2 + upper] >> index % 16 * 2 & 3;
}

static unsigned sparse_column(const uint32_t *words, const struct isa_matrix *shape, unsigned selector, unsigned row,
                              unsigned i)
{
    if (shape->bits_a == 32)
        return i * 2 + (metadata_index(words, shape, selector, row, 2 * i) >> 1);
    if (shape->bits_a == 4)
        return i / 4 * 8 + 2 * metadata_index(words, shape, selector, row, i / 2) + i % 2;
    return i / 2 * 4 + metadata_index(words, shape, selector, row, i);
}

static void find_columns(struct mma *m, const struct exec_warp *warp, const struct isa_inst *isa)
{
    const uint32_t *words = m->shape.sparse ? exec_row(warp, isa->e.index) : NULL;
    for (unsigned row = 0; row < m->shape.rows; row++) {
        m->row[row].count = (uint16_t)(m->shape.depth >> m->shape.sparse);
        for (unsigned i = 0; i < m->row[row].count; i++) {
            unsigned k = words ? sparse_column(words, &m->shape, isa->mod[ISA_MOD_SELECTOR], row, i) : i;
            m->row[row].k[i] = (uint8_t)(k % MMA_DEPTH);
        }
    }
}

/* ---- fragments --------------------------------------------------------------------------------------------------- */

static void load_a(struct mma *m, const struct exec_warp *warp, const struct isa_operand *a)
{
    unsigned per = 32u / m->shape.bits_a, tall = m->shape.rows == 16;
    unsigned registers = (unsigned)(m->shape.depth >> m->shape.sparse) / (4 * per) << tall;
    for (unsigned r = 0; r < registers; r++) {
        const uint32_t *words = exec_row_word(warp, a->index, r);
        unsigned down = tall && r & 1 ? 8 : 0, block = (r >> tall) * 4 * per;
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            for (unsigned i = 0; i < per; i++)
                m->row[lane / 4 + down].a[block + lane % 4 * per + i] = element(words[lane], m->shape.bits_a, i);
    }
}

static void load_b(struct mma *m, const struct exec_warp *warp, const struct isa_operand *b)
{
    unsigned per = 32u / m->shape.bits_b, registers = m->shape.depth / (4 * per);
    for (unsigned r = 0; r < registers; r++) {
        const uint32_t *words = exec_row_word(warp, b->index, r);
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            for (unsigned i = 0; i < per; i++)
                m->b[(4 * r + lane % 4) * per + i][lane / 4] = element(words[lane], m->shape.bits_b, i);
    }
}

static void load_c(struct mma *m, const struct exec_warp *warp, const struct isa_operand *c)
{
    unsigned per = 32u / m->shape.bits_c, registers = m->shape.rows / (4 * per);
    for (unsigned r = 0; r < registers; r++) {
        const uint32_t *words = exec_row_word(warp, c->index, r);
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            for (unsigned i = 0; i < per; i++) {
                unsigned number = r * per + i;
                m->c[lane / 4 + number / 2 * 8][lane % 4 * 2 + number % 2] = element(words[lane], m->shape.bits_c, i);
            }
    }
}

void mma_load(struct mma *m, const struct exec_warp *warp, const struct isa_inst *isa)
{
    find_columns(m, warp, isa);
    load_a(m, warp, &isa->a);
    load_b(m, warp, &isa->b);
    load_c(m, warp, &isa->c);
}

void mma_store(const struct mma *m, struct exec_warp *warp, const struct isa_inst *isa, uint32_t active)
{
    unsigned per = 32u / m->shape.bits_c, registers = m->shape.rows / (4 * per);
    if (isa->d.index == ISA_RZ)
        return;
    for (unsigned r = 0; r < registers; r++) {
        uint32_t *words = warp->reg[isa->d.index + r];
        for (uint32_t left = active; left; left &= left - 1) {
            unsigned lane = lowest_bit32(left), row = lane / 4 + r * per / 2 * 8, column = lane % 4 * 2;
            words[lane] = per == 2 ? m->c[row][column] | m->c[row][column + 1] << 16 : m->c[row][column + r % 2];
        }
    }
}
