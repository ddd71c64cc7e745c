#include "umma_rig.h"

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "unit.h"

struct rig *rig_create(uint64_t seed)
{
    struct rig *r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
    assert_non_null(r);
    memset(r, 0, sizeof *r);
    r->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    r->cubin.name = "umma";
    r->module.sm = 100;
    r->kernel = (struct exec_kernel){.cubin = &r->cubin, .count = 1};
    r->launch = (struct exec_launch){
        .kernel = &r->kernel, .module = &r->module, .shared_bytes = RIG_SHARED, .warps_per_cta = 1, .cta_group = 2};
    r->core.immediate = true;
    for (uint32_t i = 0; i < 2; i++) {
        r->cta[i] = (struct exec_cta){.launch = &r->launch,
                                      .order = i,
                                      .warps = &r->warp[i],
                                      .shared = r->shared[i],
                                      .tensor = &r->tensor[i],
                                      .cluster = {.size = 2, .rank = (uint8_t)i, .peer = {&r->cta[0], &r->cta[1]}}};
        r->warp[i].cta = &r->cta[i];
        r->warp[i].live = r->warp[i].launched = UINT32_MAX;
        r->tensor[i].units = TENSOR_ALL_UNITS;
    }
    return r;
}

uint32_t rig_any(struct rig *r)
{
    r->random ^= r->random >> 12;
    r->random ^= r->random << 25;
    r->random ^= r->random >> 27;
    return (uint32_t)(r->random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

uint32_t rig_below(struct rig *r, uint32_t limit) { return (uint32_t)((uint64_t)rig_any(r) * limit >> 32); }

/* ---- elements as bytes of K -------------------------------------------------------------------------------------- */

static unsigned bytes_of(enum uoracle_type type) { return type == UTYPE_TF32 ? 4 : type <= UTYPE_BF16 ? 2 : 1; }

static void put_bits(uint8_t *bytes, unsigned at, unsigned bits, uint32_t value)
{
    for (unsigned i = 0; i < bits; i++) {
        bytes[(at + i) / 8] = (uint8_t)(bytes[(at + i) / 8] & ~(1u << (at + i) % 8));
        bytes[(at + i) / 8] = (uint8_t)(bytes[(at + i) / 8] | (value >> i & 1) << (at + i) % 8);
    }
}

/* `count` elements as they lie in shared memory. */
static void pack_shared(const struct uoracle *p, enum uoracle_type type, const uint32_t *from, unsigned count,
                        uint8_t *row)
{
    for (unsigned i = 0; i < count; i++) {
        if (p->kind == UORACLE_FP4)
            put_bits(row, 4 * i, 4, from[i]);
        else if (type == UTYPE_E2M1)
            put_bits(row, i / 16 * 128 + i % 16 * 4, 4, from[i]);
        else if (type == UTYPE_E2M3 || type == UTYPE_E3M2)
            put_bits(row, i / 16 * 128 + i % 16 * 6, 6, from[i]);
        else
            memcpy(row + i * bytes_of(type), &from[i], bytes_of(type));
    }
}

static void put_matrix(struct rig *r, unsigned cta, const struct uoracle_place *at, enum uoracle_type type, unsigned mn,
                       const uint32_t *from, unsigned count, unsigned bytes)
{
    uint8_t row[64], *shared = r->shared[cta];
    for (unsigned i = 0; i < sizeof row; i++) /* a value that no element has */
        row[i] = (uint8_t)rig_any(r);
    pack_shared(&r->product, type, from, count, row);
    for (unsigned byte = 0; !at->mn_major && byte < bytes; byte++) {
        uint32_t address = uoracle_k_major(at, mn, byte);
        assert_true(address < RIG_SHARED);
        shared[address] = row[byte];
    }
    for (unsigned k = 0; at->mn_major && k < count; k++) {
        uint32_t address = uoracle_mn_major(at, bytes_of(type), mn, k);
        assert_true(address + bytes_of(type) <= RIG_SHARED);
        memcpy(shared + address, row + k * bytes_of(type), bytes_of(type));
    }
}

static void put_tensor_a(struct rig *r, unsigned row)
{
    const struct uoracle *p = &r->product;
    struct uoracle_cell at = uoracle_d(p, row, 0, r->form.lane);
    uint8_t bytes[48] = {0};
    bool small = p->type_a >= UTYPE_E2M3 && p->type_a <= UTYPE_E2M1 && p->kind != UORACLE_FP4;
    if (small)
        for (unsigned i = 0; i < 32; i++)
            bytes[i] = (uint8_t)(p->type_a == UTYPE_E2M1 ? p->a[row][i] << 2 : p->a[row][i]);
    else
        pack_shared(p, p->type_a, p->a[row], p->sparse ? p->k / 2 : p->k, bytes);
    for (unsigned c = 0; c < (p->k == 96 ? 12 : 8); c++)
        memcpy(&r->tensor[at.cta].cell[RIG_A + c][at.lane], bytes + 4 * c, 4);
}

/* ---- metadata, scale factors ------------------------------------------------------------------------------------- */

static void put_part(uint32_t *word, unsigned at, unsigned bits, uint32_t value)
{
    uint32_t mask = ((1u << bits) - 1) << at;
    *word = (*word & ~mask) | value << at;
}

/* CuTe, tmem_e_frg: 8-bit and smaller elements: row = lane. 16 and 32 bits: rows (8, 2, 8) are lanes, upper halves of
 * words and 16 lanes. The second half of K is 8 lanes further. */
static void put_metadata(struct rig *r, unsigned row)
{
    const struct uoracle *p = &r->product;
    struct uoracle_cell at = uoracle_d(p, row, 0, 0);
    struct tensor_memory *t = &r->tensor[at.cta];
    unsigned in_cta = p->pair ? row % (p->m / 2) : row, sixteen = at.lane / 16 * 16;
    for (unsigned i = 0; i < p->k / 2; i++) {
        unsigned k = p->where[row][i];
        if (p->kind == UORACLE_F16)
            put_part(&t->cell[RIG_E + r->form.selector][sixteen + in_cta % 8 + k / 16 * 8],
                     in_cta / 8 % 2 * 16 + k % 16 / 4 * 4 + i % 2 * 2, 2, k % 4);
        else if (p->kind == UORACLE_TF32)
            put_part(&t->cell[RIG_E + r->form.selector][sixteen + in_cta % 8 + k / 8 * 8],
                     in_cta / 8 % 2 * 16 + k % 8 / 2 * 4, 4, k % 2 ? 0xe : 0x4);
        else if (p->kind == UORACLE_FP4)
            put_part(&t->cell[RIG_E + k / 64][at.lane], k % 64 / 8 * 4 + i / 2 % 2 * 2, 2, k % 8 / 2);
        else
            put_part(&t->cell[RIG_E + k / 32][at.lane], k % 32 / 4 * 4 + i % 2 * 2, 2, k % 4);
    }
}

/* Four bytes of a row make a word. The next word is 4 columns further, of more than 128 rows 8. */
static void put_scale(struct tensor_memory *t, unsigned column, unsigned row, unsigned rows, unsigned quarter,
                      unsigned byte, uint8_t scale)
{
    unsigned word = column + row / 32 + byte / 4 * (rows > 128 ? 8 : 4);
    put_part(&t->cell[word][quarter * 32 + row % 32], 8 * (byte % 4), 8, scale);
}

static void put_scales(struct rig *r)
{
    const struct uoracle *p = &r->product;
    for (unsigned row = 0; row < p->m; row++) {
        unsigned in_cta = p->pair ? row % (p->m / 2) : row, cta = row / (p->pair ? p->m / 2 : p->m);
        for (unsigned b = 0; b < p->blocks; b++)
            for (unsigned quarter = 0; quarter < 4; quarter++)
                put_scale(&r->tensor[cta], RIG_SFA, in_cta, p->m / (p->pair ? 2 : 1), quarter, r->form.byte_a + b,
                          p->scale_a[row][b]);
    }
    bool halves = p->pair && p->m == 128;
    for (unsigned n = 0; n < p->n; n++)
        for (unsigned b = 0; b < p->blocks; b++)
            for (unsigned i = 0; i < 8; i++) {
                unsigned m = halves ? n % (p->n / 2) : n, quarter = i % 4;
                if (halves && quarter / 2 != n / (p->n / 2))
                    continue;
                put_scale(&r->tensor[i / 4], RIG_SFB, m, halves ? p->n / 2 : p->n, quarter, r->form.byte_b + b,
                          p->scale_b[n][b]);
            }
}

/* ---- the instruction --------------------------------------------------------------------------------------------- */

static uint32_t type_code(const struct uoracle *p, enum uoracle_type type)
{
    static const uint8_t codes[] = {0, 1, 2, 0, 1, 3, 4, 5, 0, 1};
    return p->kind == UORACLE_FP4 ? 1 : codes[type];
}

static uint32_t instruction_descriptor(const struct rig *r)
{
    const struct uoracle *p = &r->product;
    uint32_t d = (uint32_t)p->sparse << 2 | type_code(p, p->type_a) << 7 | type_code(p, p->type_b) << 10 |
                 (uint32_t)r->form.negate_a << 13 | (uint32_t)r->form.negate_b << 14 | (uint32_t)r->form.mn_a << 15 |
                 (uint32_t)r->form.mn_b << 16 | p->n / 8 << 17 | p->m / 16 << 24;
    if (p->blocks)
        return d | (uint32_t)(p->k == 96) << 31 | r->form.byte_b << 4 | (uint32_t)p->powers << 23 |
               r->form.byte_a << 29;
    return d | r->form.selector | (uint32_t)p->saturate << 3 | (uint32_t)p->result << 4;
}

static void build(struct rig *r)
{
    static const uint16_t ops[] = {ISA_OP_UTCHMMA, ISA_OP_UTCHMMA, ISA_OP_UTCQMMA,
                                   ISA_OP_UTCIMMA, ISA_OP_UTCQMMA, ISA_OP_UTCOMMA};
    const struct uoracle *p = &r->product;
    uint32_t *u = r->warp[0].ureg;
    struct isa_inst i = {.op = ops[p->kind]};
    i.word.lo = p->kind == UORACLE_MX8 ? r->form.a_shared ? 0xdea : 0xfea : r->form.a_shared ? 0x5ea : 0x9ea;
    i.a = (struct isa_operand){.kind = ISA_UREG, .index = RIG_UR_A};
    i.b = (struct isa_operand){.kind = ISA_UREG, .index = RIG_UR_B};
    i.c = (struct isa_operand){.kind = ISA_UREG, .index = RIG_UR_D};
    i.e = (struct isa_operand){.kind = ISA_UREG, .index = RIG_UR_E};
    bool more = p->blocks || r->form.masks || r->form.zero_columns;
    i.f = (struct isa_operand){.kind = ISA_UREG, .index = more ? RIG_UR_F : ISA_URZ};
    i.pp = (struct isa_predicate){.index = 2, .present = true, .uniform = true};
    i.mod[ISA_MOD_CTAS] = p->pair;
    i.mod[ISA_MOD_STATIONARY] = p->stationary;
    i.mod[ISA_MOD_INPUT_SCALE] = (uint8_t)p->scale_d;
    i.mod[ISA_MOD_SCALE_BLOCK] = p->blocks == 2 || p->blocks == 3;
    i.mod[ISA_MOD_A_SHIFT] = r->form.shifts;
    uint64_t a = r->form.a_shared ? uoracle_descriptor(&r->form.a) : (uint64_t)r->form.lane << 16 | RIG_A;
    uint64_t b = uoracle_descriptor(&r->form.b);
    memcpy(&u[RIG_UR_A], &a, sizeof a);
    memcpy(&u[RIG_UR_B], &b, sizeof b);
    u[RIG_UR_D] = r->form.lane << 16 | RIG_D;
    u[RIG_UR_E] = RIG_E;
    u[RIG_UR_E + 1] = instruction_descriptor(r);
    memcpy(&u[RIG_UR_F], r->form.disabled, sizeof r->form.disabled);
    if (p->blocks)
        u[RIG_UR_F] = RIG_SFA, u[RIG_UR_F + 1] = RIG_SFB;
    else if (r->form.zero_columns)
        memcpy(&u[RIG_UR_F], &r->form.zero_columns, sizeof r->form.zero_columns);
    r->warp[0].upred = (uint8_t)(1 << ISA_PT | (p->add ? 1 << 2 : 0));
    r->inst.isa = i;
    exec_inst_prepare(&r->inst);
}

/* ---- a product --------------------------------------------------------------------------------------------------- */

void rig_put(struct rig *r)
{
    struct uoracle *p = &r->product;
    unsigned stored = p->sparse ? p->k / 2 : p->k, rows = p->pair ? p->m / 2 : p->m;
    unsigned columns = p->pair ? p->n / 2 : p->n;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned c = 0; c < TENSOR_COLUMNS; c++)
            for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
                r->tensor[i].cell[c][lane] = rig_any(r);
    for (unsigned row = 0; row < p->m; row++) {
        if (r->form.a_shared)
            put_matrix(r, row / rows, &r->form.a, p->type_a, row % rows, p->a[row], stored, p->k == 96 ? 48 : 32);
        else
            put_tensor_a(r, row);
        if (p->sparse)
            put_metadata(r, row);
    }
    unsigned shift = (unsigned)(r->form.zero_columns >> 56 & 63);
    for (unsigned n = 0; n < p->n; n++)
        put_matrix(r, n / columns, &r->form.b, p->type_b, n % columns + shift, p->b[n], p->k,
                   (p->k == 96 ? 48u : 32u) << p->sparse);
    if (p->blocks)
        put_scales(r);
    uoracle_multiply(p);
    for (unsigned row = 0; row < p->m; row++)
        for (unsigned n = 0; n < p->n; n++) {
            struct uoracle_cell at = uoracle_d(p, row, n, r->form.lane);
            uint32_t *cell = &r->tensor[at.cta].cell[RIG_D + at.column][at.lane];
            *cell = p->result == URESULT_F16 ? p->c[row][n] | rig_any(r) << 16 : p->c[row][n];
        }
    build(r);
    memcpy(r->expected, r->tensor, sizeof r->expected);
    for (unsigned row = 0; row < p->m; row++)
        for (unsigned n = 0; n < p->n; n++) {
            struct uoracle_cell at = uoracle_d(p, row, n, r->form.lane);
            if (!(r->form.disabled[4 * at.cta + at.lane / 32] >> at.lane % 32 & 1))
                r->expected[at.cta].cell[RIG_D + at.column][at.lane] = p->d[row][n];
        }
}

void rig_execute(struct rig *r)
{
    struct issued out = {0};
    r->inst.run(&r->core, &r->warp[0], &r->inst, 1, &out);
}

void rig_check(struct rig *r)
{
    const struct uoracle *p = &r->product;
    assert_string_equal(r->core.fault.text, "");
    for (unsigned i = 0; i < 2; i++)
        for (unsigned c = 0; c < TENSOR_COLUMNS; c++)
            for (unsigned lane = 0; lane < TENSOR_LANES; lane++)
                if (r->tensor[i].cell[c][lane] != r->expected[i].cell[c][lane])
                    fail_msg("kind %u types %u %u result %u, %ux%ux%u%s%s%s%s: CTA %u, lane %u, column %u is %08x, not "
                             "%08x",
                             p->kind, p->type_a, p->type_b, p->result, p->m, p->n, p->k, p->pair ? ", pair" : "",
                             p->stationary ? ", stationary" : "", p->sparse ? ", sparse" : "",
                             r->form.a_shared ? ", A shared" : "", i, lane, c, r->tensor[i].cell[c][lane],
                             r->expected[i].cell[c][lane]);
}
