#include "exec/tensor/umma_operands.h"

#include <string.h>

#include "exec/matrix/shared_matrix.h"
#include "exec/memory/proxy_see.h"
#include "exec/tensor/tensor_memory.h"

enum { CHUNK = 16, SCALES = 4 /* of a word */ };

/* Bits 31:30 of the scale factors' address are the byte of the first one in its word, which the instruction
 * descriptor has, too. */
enum { SCALE_ADDRESS = 0x3fffffff };

void umma_words_of(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t word[UMMA_WORDS])
{
    const uint32_t *u = warp->ureg;
    memcpy(&word[UMMA_WORD_A], &u[isa->a.index], 2 * sizeof *u);
    memcpy(&word[UMMA_WORD_B], &u[isa->b.index], 2 * sizeof *u);
    word[UMMA_WORD_D] = u[isa->c.index];
    word[UMMA_WORD_METADATA] = u[isa->e.index];
    word[UMMA_WORD_DESCRIPTOR] = u[isa->e.index + 1];
    word[UMMA_WORD_ADD] = operand_uniform(warp, isa->pp);
    word[UMMA_WORD_MORE] = isa->f.kind == ISA_UREG && isa->f.index != ISA_URZ;
    for (unsigned i = 0; word[UMMA_WORD_MORE] && i < 8 && isa->f.index + i < ISA_URZ; i++)
        word[UMMA_WORD_LAST + i] = u[isa->f.index + i];
}

struct umma_places umma_places_of(const struct umma_form *form, const uint32_t word[UMMA_WORDS])
{
    const uint32_t *last = &word[UMMA_WORD_LAST];
    struct umma_places at = {.d = word[UMMA_WORD_D],
                             .metadata = word[UMMA_WORD_METADATA],
                             .a = {word[UMMA_WORD_A], word[UMMA_WORD_A + 1]},
                             .b = {word[UMMA_WORD_B], word[UMMA_WORD_B + 1]}};
    if (form->blocks) {
        at.scale_a = last[0] & SCALE_ADDRESS;
        at.scale_b = last[1] & SCALE_ADDRESS;
    } else if (word[UMMA_WORD_MORE] && form->stationary) {
        at.zero_columns = last[0] | (uint64_t)last[1] << 32;
    } else if (word[UMMA_WORD_MORE]) {
        memcpy(at.disabled, last, form->pair ? sizeof at.disabled : sizeof at.disabled / 2);
    }
    return at;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static unsigned metadata_columns(const struct umma_form *form)
{
    return form->kind == UMMA_F16 || form->kind == UMMA_TF32 ? 1 : 2;
}

static unsigned metadata_column(const struct umma_form *form, uint32_t address)
{
    return tensor_column(address) + (metadata_columns(form) == 1 ? form->selector : 0);
}

/* Columns of scale factors: a word has those of a row, 32 rows a column. */
static unsigned scale_columns(unsigned count) { return (count + 31) / 32; }

/* Columns from a word of scale factors to the next one of the same row: those for 128 rows, or for 256. With 96
 * elements of K a row has some in two words (layouts as CuTe has them; PTX ISA has figures of up to 128 columns and of
 * more). */
static unsigned scale_step(unsigned count) { return count > UMMA_ROWS ? 8 : 4; }

static unsigned scale_area(const struct umma_form *form, unsigned count, unsigned first)
{
    return (first + form->blocks - 1u) / SCALES * scale_step(count) + scale_columns(count);
}

static unsigned scaled_columns(const struct umma_form *form)
{
    return form->pieces == 2 ? form->columns / 2u : form->columns;
}

static bool check_lane(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t address,
                       bool split, const char *what)
{
    uint32_t lane = tensor_lane(address);
    if (lane == 0 || (split && lane == 16))
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                  "illegal address 0x%x of %s in tensor memory: its lane is %u, and this shape begins at lane 0%s",
                  address, what, lane, split ? " or 16" : "");
    return false;
}

static bool check_cta(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct umma_form *form, const struct umma_places *at, const struct exec_cta *cta)
{
    struct tensor_area d = {0, TENSOR_LANES, tensor_column(at->d), form->columns / (uint32_t)form->pieces};
    struct tensor_area a = {0, TENSOR_LANES, tensor_column(at->a[0]), form->row_bytes / 4u};
    struct tensor_area e = {0, TENSOR_LANES, metadata_column(form, at->metadata), metadata_columns(form)};
    struct tensor_area sa = {0, TENSOR_LANES, tensor_column(at->scale_a), scale_area(form, form->rows, form->scale_a)};
    struct tensor_area sb = {0, TENSOR_LANES, tensor_column(at->scale_b),
                             scale_area(form, scaled_columns(form), form->scale_b)};
    return tensor_memory_check(core, warp, inst, cta, d, "D") &&
           (form->a_shared || tensor_memory_check(core, warp, inst, cta, a, "A")) &&
           (!form->sparse || tensor_memory_check(core, warp, inst, cta, e, "metadata")) &&
           (!form->blocks || (tensor_memory_check(core, warp, inst, cta, sa, "scale factors of A") &&
                              tensor_memory_check(core, warp, inst, cta, sb, "scale factors of B")));
}

bool umma_check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                const struct umma_form *form, const struct umma_places *at, const struct umma_ctas *ctas)
{
    if (!check_lane(core, warp, inst, at->d, form->split_lanes, "D") ||
        (!form->a_shared && !check_lane(core, warp, inst, at->a[0], form->split_lanes, "A")) ||
        (form->sparse && !check_lane(core, warp, inst, at->metadata, false, "metadata")) ||
        (form->blocks && !(check_lane(core, warp, inst, at->scale_a, false, "scale factors of A") &&
                           check_lane(core, warp, inst, at->scale_b, false, "scale factors of B"))))
        return false;
    for (unsigned i = 0; i < ctas->count; i++)
        if (!check_cta(core, warp, inst, form, at, ctas->cta[i]))
            return false;
    return true;
}

/* ---- elements in memory ------------------------------------------------------------------------------------------ */

static bool below_byte(unsigned type) { return type >= UMMA_TYPE_E2M3 && type <= UMMA_TYPE_E2M1; }

/* Elements of 6 and 4 bits, 16 in the lower bytes of 16; with 4-bit elements alone, 32. One to a byte. */
static void unpack(const struct umma_form *form, unsigned type, unsigned bytes, uint8_t *row)
{
    uint8_t packed[2 * UMMA_ROW_BYTES];
    unsigned bits = type == UMMA_TYPE_E2M1 ? 4 : 6, each = form->kind == UMMA_MXF4 ? 32 : 16;
    if (!below_byte(type))
        return;
    memcpy(packed, row, bytes);
    for (unsigned i = 0; i < bytes / CHUNK * each; i++) {
        unsigned at = i % each * bits;
        const uint8_t *from = packed + i / each * CHUNK + at / 8;
        row[i] =
            (uint8_t)((from[0] | (uint32_t)(at / 8 + 1 < CHUNK ? from[1] : 0) << 8) >> at % 8 & ((1u << bits) - 1));
    }
}

static bool matrix_at(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct umma_form *form, const struct umma_ctas *ctas, unsigned index,
                      const uint32_t descriptor[2], struct shared_matrix *m)
{
    if (!shared_matrix_100(ctas->cta[index], descriptor[0], descriptor[1], m) ||
        (m->broken && form->depth != UMMA_LONG_DEPTH)) {
        exec_refuse(
            core, warp, inst,
            "a descriptor of a matrix with this swizzle, or with an absolute leading address but no 96 elements "
            "of K and swizzle of 128 bytes");
        return false;
    }
    m->number = ctas->number[index];
    m->core = m->number ? core : NULL;
    return true;
}

static bool read_matrix(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                        const struct umma_form *form, struct shared_matrix *m, unsigned type, bool transposed,
                        unsigned first, unsigned count, unsigned bytes, uint8_t (*to)[UMMA_BYTES])
{
    bool words = form->element_bytes == 4 && transposed;
    if (words != (m->swizzle == SWIZZLE_128_ATOM_32)) {
        exec_refuse(core, warp, inst,
                    "TF32 and atoms of 32 bytes in a matrix that is transposed, one without the other");
        return false;
    }
    if (transposed)
        shared_matrix_columns(m, first, count, bytes / form->element_bytes, form->element_bytes, to[0], UMMA_BYTES);
    else
        shared_matrix_rows(m, first, count, bytes, to[0], UMMA_BYTES);
    for (unsigned i = 0; i < count; i++)
        unpack(form, type, bytes, to[i]);
    if (m->outside == UINT32_MAX)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, m->outside, EXEC_FAULT_ADDRESS,
                  "a matrix descriptor leads to address 0x%x, the CTA has %u bytes of shared memory", m->outside,
                  m->limit);
    return false;
}

/* ---- B ----------------------------------------------------------------------------------------------------------- */

/* Descriptor of zero columns: for each piece of the columns 8 bits that its mask leaves out (31:0) and whether it
 * begins with columns that are zero (35:32); bit 39: there is a mask. The run lengths of zero and other columns, less 1
 * (47:40, 55:48). The column of B that is the first (61:56). */
static bool column_is_zero(uint64_t descriptor, const struct umma_form *form, unsigned column)
{
    unsigned each = form->columns / (unsigned)form->pieces, piece = column / each;
    unsigned skip = (unsigned)(descriptor >> 40 & 0xff) + 1, use = (unsigned)(descriptor >> 48 & 0xff) + 1;
    unsigned place = column % each + (unsigned)(descriptor >> 8 * piece & 0xff);
    bool zero_first = descriptor >> (32 + piece) & 1;
    if (!(descriptor >> 39 & 1))
        return false;
    place %= skip + use;
    return zero_first ? place < skip : place >= use;
}

static void drop_columns(struct umma_job *job, uint64_t descriptor)
{
    for (unsigned n = 0; n < job->form.columns; n++)
        if (column_is_zero(descriptor, &job->form, n))
            memset(job->b[n], 0, sizeof job->b[n]);
}

bool umma_read_b(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                 const struct umma_places *at, const struct umma_ctas *ctas, struct umma_job *job)
{
    const struct umma_form *form = &job->form;
    unsigned each = form->columns / ctas->count, shift = (unsigned)(at->zero_columns >> 56 & 63);
    for (unsigned i = 0; i < ctas->count; i++) {
        struct shared_matrix m;
        if (!matrix_at(core, warp, inst, form, ctas, i, at->b, &m) ||
            !read_matrix(core, warp, inst, form, &m, form->type_b, form->transpose_b, shift, each,
                         (unsigned)form->row_bytes << form->sparse, job->b + i * each))
            return false;
    }
    drop_columns(job, at->zero_columns);
    return true;
}

/* ---- A ----------------------------------------------------------------------------------------------------------- */

/* Elements of 4 bits that have a byte are in its bits 5:2. */
static void read_tensor_a(struct umma_job *job, struct tensor_memory *memory, uint32_t address)
{
    const struct umma_form *form = &job->form;
    for (unsigned row = 0; row < form->rows; row++) {
        unsigned from = form->a_shifted && row > 0 ? row - 1 : row;
        unsigned lane = tensor_lane(address) + umma_lane(form, from);
        for (unsigned c = 0; c < form->row_bytes / 4u; c++)
            memcpy(job->a[row] + 4 * c, tensor_memory_word(memory, lane, tensor_column(address) + c), 4);
        if (form->kind == UMMA_MXF4)
            unpack(form, form->type_a, form->row_bytes, job->a[row]);
        else if (below_byte(form->type_a))
            for (unsigned i = 0; i < UMMA_ROW_BYTES; i++)
                job->a[row][i] = form->type_a == UMMA_TYPE_E2M1 ? job->a[row][i] >> 2 & 15 : job->a[row][i] & 63;
    }
}

/* Two metadata bits of a row: those of stored element `i` for 16-bit kinds, those of half an element for TF32, and
 * those of a pair for 4-bit elements. Elements of 16 and 32 bits: a word has 16 bits for each of two rows, which are 8
 * apart. The other 16 of a row are 8 lanes further (layouts as CuTe has them). */
static unsigned index_of(const struct umma_form *form, struct tensor_memory *memory, uint32_t address, unsigned row,
                         unsigned i)
{
    unsigned column = metadata_column(form, address);
    if (metadata_columns(form) == 2)
        return *tensor_memory_word(memory, umma_lane(form, row), column + i / 16) >> i % 16 * 2 & 3;
    unsigned lane = row % 8 + i / 8 * 8 + row / 16 * (form->split_lanes ? 32 : 16);
    return *tensor_memory_word(memory, lane, column) >> (row / 8 % 2 * 16 + i % 8 * 2) & 3;
}

/* Place in the row of stored element `i`. */
static unsigned place_of(const struct umma_form *form, struct tensor_memory *memory, uint32_t address, unsigned row,
                         unsigned i)
{
    switch ((enum umma_kind)form->kind) {
    case UMMA_TF32: return i * 2 + (index_of(form, memory, address, row, 2 * i) >> 1);
    case UMMA_MXF4: return i / 4 * 8 + 2 * index_of(form, memory, address, row, i / 2) + i % 2;
    default: return i / 2 * 4 + index_of(form, memory, address, row, i);
    }
}

static void spread_sparse(struct umma_job *job, struct tensor_memory *memory, uint32_t address)
{
    const struct umma_form *form = &job->form;
    unsigned bytes = form->element_bytes;
    memset(job->present, form->sparse ? 0 : 0xff, sizeof job->present);
    for (unsigned row = 0; form->sparse && row < form->rows; row++) {
        uint8_t stored[UMMA_BYTES];
        memcpy(stored, job->a[row], sizeof stored);
        memset(job->a[row], 0, sizeof job->a[row]);
        for (unsigned i = 0; i < form->depth / 2u; i++) {
            unsigned k = place_of(form, memory, address, row, i);
            memcpy(job->a[row] + k * bytes, stored + i * bytes, bytes);
            job->present[row][k / 64] |= UINT64_C(1) << k % 64;
        }
    }
}

/* ---- scale factors ----------------------------------------------------------------------------------------------- */

/* Scale factor `b` in a row of `count`. */
static uint8_t scale_at(struct tensor_memory *memory, unsigned lane, unsigned column, unsigned count, unsigned b)
{
    return (uint8_t)(*tensor_memory_word(memory, lane, column + b / SCALES * scale_step(count)) >> 8 * (b % SCALES));
}

/* Those of row r stand in lane r mod 32 of each quarter, in word r / 32. */
static void read_scales(struct umma_job *job, struct tensor_memory *memory, const struct umma_places *at)
{
    const struct umma_form *form = &job->form;
    unsigned half = form->pieces == 2 ? form->columns / 2u : UMMA_COLUMNS;
    for (unsigned r = 0; r < form->rows; r++) {
        unsigned column = tensor_column(at->scale_a) + r / 32;
        for (unsigned b = 0; b < form->blocks; b++)
            job->scale_a[r][b] = scale_at(memory, r % 32, column, form->rows, form->scale_a + b);
    }
    for (unsigned n = 0; n < form->columns; n++) {
        unsigned m = n % half, lane = m % 32 + n / half * 64; /* columns in two pieces: the second 64 lanes higher */
        unsigned column = tensor_column(at->scale_b) + m / 32;
        for (unsigned b = 0; b < form->blocks; b++)
            job->scale_b[n][b] = scale_at(memory, lane, column, scaled_columns(form), form->scale_b + b);
    }
}

bool umma_read_rows(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                    const struct umma_places *at, const struct umma_ctas *ctas, unsigned index, struct umma_job *job)
{
    const struct umma_form *form = &job->form;
    struct tensor_memory *memory = ctas->cta[index]->tensor;
    struct shared_matrix m;
    if (!form->a_shared)
        read_tensor_a(job, memory, at->a[0]);
    else if (!matrix_at(core, warp, inst, form, ctas, index, at->a, &m) ||
             !read_matrix(core, warp, inst, form, &m, form->type_a, form->transpose_a, 0, form->rows, form->row_bytes,
                          job->a))
        return false;
    spread_sparse(job, memory, at->metadata);
    if (form->blocks)
        read_scales(job, memory, at);
    job->lane = tensor_lane(at->d);
    memcpy(job->disabled, at->disabled + 4 * index, sizeof job->disabled);
    unsigned each = form->columns / (unsigned)form->pieces;
    for (unsigned n = 0; n < form->columns; n++)
        job->d[n] = tensor_memory_lanes(memory, tensor_column(at->d) + n % each);
    return true;
}
