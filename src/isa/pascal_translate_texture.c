/* Textures and surfaces of Pascal in the decoded form of all architectures. */
#include <string.h>

#include "base/bits.h"
#include "isa/pascal_translate.h"

enum { LOD_ZERO = 1, LOD_LEVEL = 3 };
enum { DIM_1D, DIM_2D, DIM_3D, DIM_CUBE, DIM_ARRAY_1D, DIM_ARRAY_2D, DIM_NONE, DIM_ARRAY_CUBE };
enum { OFFSET = 1, COMPARE = 2, SAMPLE = 4 };
enum { ALL = 15 };
enum { D_LOW = 0, A_LOW = 8, B_LOW = 20, G_LOW = 28, C_LOW = 39 }; /* lowest bits of registers */

/* ---- handles and registers --------------------------------------------------------------------------------------- */

static struct isa_operand number(uint32_t value)
{
    return (struct isa_operand){.kind = ISA_IMM, .value = value, .words = 1};
}

static struct isa_operand registers(unsigned index, unsigned words)
{
    return (struct isa_operand){.kind = ISA_REG, .index = (uint8_t)index, .words = (uint8_t)words};
}

static struct isa_operand register_at(const struct isa_inst *inst, unsigned low)
{
    return registers((unsigned)(inst->word.lo >> low & 0xff), 1);
}

/* The handle is a word of constant bank 0, the first of so many numbers, or stands in registers. */
static bool take_handle(struct translation *t, unsigned numbers)
{
    struct isa_inst *out = t->out;
    const struct pascal_operand *last = pascal_letter(t->parts, '#', numbers - 1);
    out->e = out->f = (struct isa_operand){.kind = ISA_NONE};
    if (!last)
        return false;
    out->e = number(0);
    out->f = number(pascal_letter(t->parts, '#', 0)->value);
    return true;
}

/* Returns the mask: the last number of a full form. */
static unsigned mask_of(const struct translation *t)
{
    unsigned mask = 0;
    for (unsigned i = 0; pascal_letter(t->parts, '#', i); i++)
        mask = pascal_letter(t->parts, '#', i)->value;
    return mask & ALL;
}

/* Two components in D, or in a half of D each, the others in G. */
static void set_results(struct isa_inst *out, unsigned mask, unsigned d, unsigned g)
{
    unsigned count = popcount32(mask);
    if (out->mod[ISA_MOD_HALF_ROUND])
        count = count > 2 ? 3 : 1; /* a register each */
    out->mod[ISA_MOD_MASK] = (uint8_t)mask;
    out->d = registers(d, count < 2 ? 1 : 2);
    out->g = registers(count > 2 ? g : ISA_RZ, count < 4 ? 1 : 2);
}

/* The four registers of a full form are one after another. */
static void set_full_results(struct isa_inst *out, unsigned mask)
{
    unsigned d = register_at(out, D_LOW).index;
    set_results(out, mask, d, d == ISA_RZ ? ISA_RZ : d + 2);
}

/* Sets A and B, and how many registers they have. `all` counts coordinates, layer, handle, level, offset, reference
 * and sample. The predicate is a result. */
static void set_words(struct isa_inst *out, unsigned a, unsigned all)
{
    unsigned b = all > a ? all - a : 1;
    out->a = register_at(out, A_LOW);
    out->b = register_at(out, B_LOW);
    out->c = (struct isa_operand){.kind = ISA_NONE};
    out->a.words = (uint8_t)a;
    out->b.words = (uint8_t)(b > 4 ? 4 : b);
    out->pu = out->pp.present ? out->pp : (struct isa_predicate){.index = ISA_PT, .present = true};
    out->pp = (struct isa_predicate){0};
}

static unsigned coordinates_of(const struct isa_inst *out)
{
    static const uint8_t words[] = {1, 2, 3, 3, 2, 3, 1, 4};
    return words[out->mod[ISA_MOD_TEXTURE_DIM] & 7];
}

static void set_extras(struct isa_inst *out, unsigned extras)
{
    out->mod[ISA_MOD_TEXEL_OFFSET] = (extras & OFFSET) != 0;
    out->mod[ISA_MOD_DEPTH_COMPARE] = (extras & COMPARE) != 0;
    out->mod[ISA_MOD_MULTISAMPLE] = (extras & SAMPLE) != 0;
}

/* ---- full forms -------------------------------------------------------------------------------------------------- */

static void take_dimensions(struct translation *t)
{
    static const uint8_t dim[] = {DIM_1D, DIM_ARRAY_1D, DIM_2D,   DIM_ARRAY_2D,
                                  DIM_3D, DIM_NONE,     DIM_CUBE, DIM_ARRAY_CUBE};
    t->out->mod[ISA_MOD_TEXTURE_DIM] = dim[pascal_modifier(t->parts, "DIMENSIONS", 0) & 7];
    if (t->out->mod[ISA_MOD_TEXTURE_DIM] == DIM_NONE)
        pascal_refuse(t);
}

static void take_extras(struct translation *t)
{
    unsigned gather = pascal_modifier(t->parts, "GATHER_OFFSET", 0);
    set_extras(t->out, (pascal_modifier(t->parts, "AOFFI", 0) ? OFFSET : 0) |
                           (pascal_modifier(t->parts, "DC", 0) ? COMPARE : 0) |
                           (pascal_modifier(t->parts, "MS", 0) ? SAMPLE : 0));
    if (gather)
        t->out->mod[ISA_MOD_TEXEL_OFFSET] = (uint8_t)gather;
}

/* A has layer and coordinates, of TXD also what TXD.B and its offsets add; B the rest. */
void pascal_texture(struct translation *t)
{
    struct isa_inst *out = t->out;
    bool gradient = out->op == ISA_OP_TXD, fetch = out->op == ISA_OP_TLD;
    unsigned lod = pascal_modifier(t->parts, "LOD", 0);
    if (fetch)
        lod = pascal_modifier(t->parts, "TLD_LOD", 0) ? LOD_LEVEL : LOD_ZERO;
    take_dimensions(t);
    take_extras(t);
    out->mod[ISA_MOD_LOD] = (uint8_t)lod;
    out->mod[ISA_MOD_CLAMP_LOD] = fetch && pascal_modifier(t->parts, "CL", 0);
    out->mod[ISA_MOD_DERIVATIVES] = out->op == ISA_OP_TEX && pascal_modifier(t->parts, "NDV", 0);
    out->mod[ISA_MOD_NDV] = 0;
    out->mod[ISA_MOD_COMPONENT] = (uint8_t)pascal_modifier(t->parts, "CHANNEL", 0);
    bool handle = !take_handle(t, 2);
    set_full_results(out, mask_of(t));
    unsigned level = lod > LOD_ZERO, first = coordinates_of(out);
    unsigned more = out->mod[ISA_MOD_DEPTH_COMPARE] + (unsigned)out->mod[ISA_MOD_MULTISAMPLE];
    more += out->mod[ISA_MOD_TEXEL_OFFSET] != 0;
    bool layer = out->mod[ISA_MOD_TEXTURE_DIM] >= DIM_ARRAY_1D;
    unsigned in_a = gradient ? first + handle + (more && !layer) : first;
    set_words(out, in_a, gradient ? in_a + 2 * (first - layer) : first + handle + level + more);
}

/* TXQ: A has the level, of TXQ.B the handle before it. */
void pascal_texture_query(struct translation *t)
{
    struct isa_inst *out = t->out;
    bool handle = !take_handle(t, 2);
    unsigned query = pascal_modifier(t->parts, "QUERY", 0);
    out->mod[ISA_MOD_QUERY] = (uint8_t)(query - 1); /* 1: the extents */
    out->a = register_at(out, A_LOW);
    out->b = out->c = (struct isa_operand){.kind = ISA_NONE};
    set_full_results(out, mask_of(t));
    out->a.words = handle ? 2 : 1;
}

/* ---- short forms ------------------------------------------------------------------------------------------------- */

struct shape {
    uint8_t dim, lod, extras;
};

/* By their number in the word, as pascal_names.def names them. A shape without a level has DIM_NONE. */
static const struct shape sampled[16] = {
    {DIM_1D, LOD_ZERO, 0},
    {DIM_2D, 0, 0},
    {DIM_2D, LOD_ZERO, 0},
    {DIM_2D, LOD_LEVEL, 0},
    {DIM_2D, 0, COMPARE},
    {DIM_2D, LOD_LEVEL, COMPARE},
    {DIM_2D, LOD_ZERO, COMPARE},
    {DIM_ARRAY_2D, 0, 0},
    {DIM_ARRAY_2D, LOD_ZERO, 0},
    {DIM_ARRAY_2D, LOD_ZERO, COMPARE},
    {DIM_3D, 0, 0},
    {DIM_3D, LOD_ZERO, 0},
    {DIM_CUBE, 0, 0},
    {DIM_CUBE, LOD_LEVEL, 0},
    {DIM_NONE, 0, 0},
    {DIM_NONE, 0, 0},
};
static const struct shape fetched[16] = {
    {DIM_1D, LOD_ZERO, 0},       {DIM_1D, LOD_LEVEL, 0}, {DIM_2D, LOD_ZERO, 0},      {DIM_NONE, 0, 0},
    {DIM_2D, LOD_ZERO, OFFSET},  {DIM_2D, LOD_LEVEL, 0}, {DIM_2D, LOD_ZERO, SAMPLE}, {DIM_3D, LOD_ZERO, 0},
    {DIM_ARRAY_2D, LOD_ZERO, 0}, {DIM_NONE, 0, 0},       {DIM_NONE, 0, 0},           {DIM_NONE, 0, 0},
    {DIM_2D, LOD_LEVEL, OFFSET}, {DIM_NONE, 0, 0},       {DIM_NONE, 0, 0},           {DIM_NONE, 0, 0},
};

/* The components are named by a number, one set for results in D alone and one with G. */
static unsigned short_mask(const struct translation *t)
{
    enum { R = 1, G = 2, B = 4, A = 8 };
    static const uint8_t one[] = {R, G, B, A, R | G, R | A, G | A, B | A};
    static const uint8_t two[] = {R | G | B, R | G | A, R | B | A, G | B | A, ALL, ALL, ALL, ALL};
    for (unsigned i = 0; i < t->parts->modifiers; i++)
        if (strcmp(t->parts->modifier[i].name, "TEXS_TWO") == 0)
            return two[t->parts->modifier[i].value & 7];
    return one[pascal_modifier(t->parts, "TEXS_ONE", 0) & 7];
}

/* 0: results of 32 bits; 1: halves that are rounded to nearest; 2: to zero. */
static uint8_t half_round(const struct translation *t)
{
    for (unsigned i = 0; i < t->parts->modifiers; i++)
        if (strcmp(t->parts->modifier[i].name, "F16_ROUND") == 0)
            return (uint8_t)(1 + t->parts->modifier[i].value);
    return 0;
}

/* The operands in their order are shared out between A and B, the first half of them in A; a fetch has the layer alone
 * there. The results of G stand first in the text. */
static void short_form(struct translation *t, struct shape shape, unsigned mask)
{
    struct isa_inst *out = t->out;
    bool gather = out->op == ISA_OP_TLD4;
    out->mod[ISA_MOD_TEXTURE_DIM] = shape.dim;
    out->mod[ISA_MOD_LOD] = shape.lod;
    set_extras(out, shape.extras);
    out->mod[ISA_MOD_SCATTERED] = PASCAL_SCATTERED;
    take_handle(t, 1);
    out->mod[ISA_MOD_HALF_ROUND] = half_round(t);
    set_results(out, mask, register_at(out, D_LOW).index, register_at(out, G_LOW).index);
    unsigned all = coordinates_of(out) + popcount32(shape.extras) + (!gather && shape.lod > LOD_ZERO);
    bool layer = shape.dim == DIM_ARRAY_2D && out->op == ISA_OP_TLD;
    set_words(out, layer ? 1 : (all + 1) / 2, all);
    if (shape.dim == DIM_NONE)
        pascal_refuse(t);
}

void pascal_short_sample(struct translation *t)
{
    short_form(t, sampled[pascal_modifier(t->parts, "TEXS_LOD", 0) & 15], short_mask(t));
}

void pascal_short_fetch(struct translation *t)
{
    short_form(t, fetched[pascal_modifier(t->parts, "TLDS_LOD", 0) & 15], short_mask(t));
}

void pascal_short_gather(struct translation *t)
{
    unsigned extras =
        (pascal_modifier(t->parts, "AOFFI", 0) ? OFFSET : 0) | (pascal_modifier(t->parts, "DC", 0) ? COMPARE : 0);
    t->out->mod[ISA_MOD_COMPONENT] = (uint8_t)pascal_modifier(t->parts, "CHANNEL", 0);
    short_form(t, (struct shape){DIM_2D, 0, (uint8_t)extras}, ALL);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* Loads and stores of bytes. */
static unsigned take_access(struct translation *t)
{
    static const uint8_t orders[] = {ISA_ORDER_STRONG_SM, ISA_ORDER_STRONG_GPU, ISA_ORDER_CONSTANT,
                                     ISA_ORDER_STRONG_SYS};
    unsigned size = t->out->mod[ISA_MOD_SIZE];
    t->out->mod[ISA_MOD_ORDER] = orders[pascal_modifier(t->parts, "LOAD_CACHE", 0) & 3];
    return size == ISA_SIZE_128 ? 4 : size == ISA_SIZE_64 ? 2 : 1;
}

static unsigned take_components(struct translation *t)
{
    t->out->mod[ISA_MOD_COMPONENTS] = (uint8_t)pascal_modifier(t->parts, "CHANNELS", 0);
    return popcount32(t->out->mod[ISA_MOD_COMPONENTS]);
}

/* The types have the numbers of those of other architectures. */
static unsigned take_reduction(struct translation *t)
{
    enum { U64 = 2, S64 = 5 };
    unsigned type = t->out->mod[ISA_MOD_SURFACE_TYPE] = (uint8_t)pascal_modifier(t->parts, "ATOMIC_TYPE", 0);
    t->out->mod[ISA_MOD_ORDER] = ISA_ORDER_STRONG_GPU;
    return type == U64 || type == S64 ? 2 : 1;
}

/* The place is in A; data are in D's place of the word, the handle in C's or in the constant bank. */
void pascal_surface(struct translation *t)
{
    enum { DIMENSIONS = 6 };
    static const uint8_t place[8] = {1, 1, 2, 2, 3, 3, 1, 1};
    struct isa_inst *out = t->out;
    unsigned dim = pascal_modifier(t->parts, "SURFACE", 0) & 7;
    unsigned words = out->op == ISA_OP_SUST_P  ? take_components(t)
                     : out->op == ISA_OP_SURED ? take_reduction(t)
                                               : take_access(t);
    out->mod[ISA_MOD_SURFACE_DIM] = (uint8_t)dim;
    out->mod[ISA_MOD_OUTSIDE] = (uint8_t)pascal_modifier(t->parts, "CLAMP", 0);
    out->mod[ISA_MOD_BYTES] = (uint8_t)pascal_modifier(t->parts, "BA", 0);
    out->mod[ISA_MOD_CACHE] = ISA_CACHE_EN;
    out->a = register_at(out, A_LOW);
    out->a.words = place[dim];
    struct isa_operand data = register_at(out, D_LOW);
    data.words = (uint8_t)words;
    out->b = out->c = out->d = (struct isa_operand){.kind = ISA_NONE};
    *(out->op == ISA_OP_SULD_D ? &out->d : &out->b) = data;
    if (!take_handle(t, 1))
        out->c = register_at(out, C_LOW);
    if (dim >= DIMENSIONS)
        pascal_refuse(t);
}
