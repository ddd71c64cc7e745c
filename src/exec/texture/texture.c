/* Texture instructions: TEX, TXD, TLD, TLD4, TXQ. A read sees memory as it is when the instruction executes. A
 * read of data that its own launch has written is undefined (CUDA C++ Programming Guide, read/write coherency). */
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "exec/arithmetic/half.h"
#include "exec/executors.h"
#include "exec/texture/texture_cube.h"
#include "exec/texture/texture_operands.h"
#include "exec/texture/texture_sample.h"

/* The level of code that names none: below all, so that the sampler's lowest is taken. Compute code of sm_75 to sm_90
 * names it itself, -32. */
#define BASE_LEVEL (-32.0f)

enum { PACKED = 1 }; /* ISA_MOD_HALF_ROUND: two halves a register */

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void write_word(struct exec_warp *warp, const struct isa_operand *range, unsigned word, unsigned lane,
                       uint32_t value)
{
    if (range->kind == ISA_REG && range->index != ISA_RZ)
        warp->reg[range->index + word][lane] = value;
}

/* The components that the mask names, in their order: the first two in D, the others in G. */
static void write_result(struct exec_warp *warp, const struct isa_inst *isa, unsigned lane, const struct texel *texel)
{
    uint32_t value[4] = {0};
    unsigned count = 0;
    for (unsigned c = 0; c < 4; c++)
        if (isa->mod[ISA_MOD_MASK] >> c & 1)
            value[count++] = texel->word[c];
    if (isa->mod[ISA_MOD_HALF_ROUND] == PACKED) {
        write_word(warp, &isa->d, 0, lane, half_from_float(value[0]) | half_from_float(value[1]) << 16);
        write_word(warp, &isa->g, 0, lane, half_from_float(value[2]) | half_from_float(value[3]) << 16);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        write_word(warp, i < 2 ? &isa->d : &isa->g, i % 2, lane, value[i]);
}

/* The texels that hardware takes for a read, those without weight included. */
static uint8_t texels_of(const struct texture *t, enum isa_op op)
{
    bool samples = (op == ISA_OP_TEX || op == ISA_OP_TXD) && !texture_gives_integers(t);
    unsigned texels = samples && t->smooth ? 1u << t->dimensions : 1;
    return (uint8_t)(samples && t->mip_smooth && t->levels > 1 ? 2 * texels : texels);
}

/* Notes the facts of a lane for the timing: its first texel, the distance of another sector, the texel count. */
static void note_lane(struct issued *out, const struct texture *t, enum isa_op op, unsigned lane,
                      const struct texture_use *use)
{
    unsigned bytes = texture_texel_bytes(t);
    struct issued_texture note = {.distance = use->second ? (int64_t)(use->second - use->first) : 0,
                                  .texels = texels_of(t, op),
                                  .volume = t->dimensions == 3,
                                  .fractions = t->format < TEXTURE_U32 && !t->integers};
    out->operand[lane] = issued_pack_texture(note);
    out->bytes = (uint8_t)bytes;
    if (!use->first) {
        out->zero_fill |= UINT32_C(1) << lane;
        return;
    }
    out->address[lane] = use->first / bytes * bytes;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static struct texture_place place_of(const struct texture_operands *o, unsigned lane, bool numbers)
{
    struct texture_place place = {.level = numbers ? 0 : BASE_LEVEL};
    for (unsigned d = 0; d < o->coordinates; d++) {
        if (numbers)
            place.number[d] = (int32_t)o->at[d][lane];
        else
            place.at[d] = float_of(o->at[d][lane]);
        place.offset[d] = texture_operands_offset(o, lane, d);
    }
    if (o->layer)
        place.layer = o->offset_shift ? o->layer[lane] & 0xffff : o->layer[lane];
    if (o->level && numbers)
        place.level = (float)(int32_t)o->level[lane];
    else if (o->level && !o->biased)
        place.level = float_of(o->level[lane]);
    return place;
}

/* The changes of the coordinates from lane to lane of a quad: along x between lanes that differ in bit 0, along y in
 * bit 1. */
static void quad_footprint(const struct texture *t, const struct texture_operands *o, unsigned lane,
                           struct texture_place *place)
{
    float change[2][3] = {{0}};
    for (unsigned axis = 0; axis < 2; axis++) {
        unsigned low = lane & ~(1u << axis), high = lane | 1u << axis;
        float from[3] = {0}, to[3] = {0}, here[3] = {0};
        for (unsigned d = 0; d < o->coordinates; d++) {
            from[d] = float_of(o->at[d][low]);
            to[d] = float_of(o->at[d][high]);
            here[d] = float_of(o->at[d][lane]);
        }
        if (t->cube) {
            float spot[2];
            unsigned face = cube_face(here, spot);
            cube_project(face, from, (float[2]){0});
            float a[2], b[2];
            cube_project(face, from, a);
            cube_project(face, to, b);
            for (unsigned d = 0; d < 2; d++)
                change[axis][d] = b[d] - a[d];
            continue;
        }
        for (unsigned d = 0; d < o->coordinates; d++)
            change[axis][d] = to[d] - from[d];
    }
    texture_footprint(t, change[0], change[1], place);
}

/* The level by gradients, if the instruction takes it by them. */
static void find_footprint(const struct isa_inst *isa, const struct texture *t, const struct texture_operands *o,
                           unsigned lane, struct texture_place *place)
{
    if (isa->op == ISA_OP_TXD) {
        float x[3] = {0}, y[3] = {0};
        for (unsigned d = 0; d < o->coordinates; d++) {
            x[d] = float_of(o->change[d][lane]);
            y[d] = float_of(o->change[3 + d][lane]);
        }
        texture_footprint(t, x, y, place);
    } else if (isa->op == ISA_OP_TEX && isa->mod[ISA_MOD_DERIVATIVES] && isa->mod[ISA_MOD_LOD] == 0) {
        quad_footprint(t, o, lane, place);
    }
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static struct texel read_lane(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                              const struct texture_operands *o, unsigned lane, struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    struct texel none = {{0}};
    uint32_t handle = o->handle ? o->handle[lane] : o->common;
    const struct texture *t = texture_operands_object(core, warp, inst, lane, handle, false);
    if (!t)
        return none;
    bool numbers = isa->op == ISA_OP_TLD;
    if (t->linear && !numbers) {
        exec_fault(core, warp, inst, lane, EXEC_FAULT_OTHER,
                   "the texture is linear memory, which is fetched by whole numbers (tex1Dfetch) and never sampled");
        return none;
    }
    struct texture_place place = place_of(o, lane, numbers);
    struct texture_use use = {0};
    if (!numbers && isa->op != ISA_OP_TLD4)
        find_footprint(isa, t, o, lane, &place);
    struct texel texel = isa->op == ISA_OP_TLD ? texture_fetch(core->memory, t, &place, &use)
                         : isa->op == ISA_OP_TLD4
                             ? texture_gather(core->memory, t, &place, isa->mod[ISA_MOD_COMPONENT], &use)
                             : texture_sample(core->memory, t, &place, &use);
    if (use.missing)
        exec_fault_at(core, warp, inst, lane, use.missing, EXEC_FAULT_ADDRESS,
                      "the texture 0x%" PRIx32 " has a texel at 0x%" PRIx64 ", where no memory is allocated any more",
                      handle, use.missing);
    note_lane(out, t, (enum isa_op)isa->op, lane, &use);
    return texel;
}

static void execute(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    struct texture_operands o;
    struct texel texel[EXEC_LANES];
    if (!texture_operands_find(core, warp, inst, &o))
        return;
    out->space = ISA_SPACE_GLOBAL;
    out->cache_policy = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        texel[lane] = read_lane(core, warp, inst, &o, lane, out);
        if (core->fault.code)
            return;
    }
    for (uint32_t left = active; left; left &= left - 1)
        write_result(warp, &inst->isa, lowest_bit32(left), &texel[lowest_bit32(left)]);
    exec_set_predicate(warp, inst->isa.pu, active, 0); /* all memory is resident */
}

#define X(op)                                                                                                          \
    void exec_##op(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,      \
                   struct issued *out)                                                                                 \
    {                                                                                                                  \
        execute(core, warp, inst, active, out);                                                                        \
    }
X(TEX)
X(TXD)
X(TLD)
X(TLD4)
#undef X

/* Writes width, height and depth of a level. */
static void write_extents(struct exec_warp *warp, const struct isa_inst *isa, unsigned lane, const struct texture *t,
                          int32_t level)
{
    const struct texture_level *l = &t->level[level < 0 ? 0 : level >= t->levels ? t->levels - 1 : level];
    struct texel extents = {{l->width, t->dimensions > 1 ? l->height : 0, t->dimensions > 2 ? l->depth : 0, t->levels}};
    write_result(warp, isa, lane, &extents);
}

void exec_TXQ(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    bool registers = isa->e.kind == ISA_NONE;
    const uint32_t *handles = NULL;
    uint32_t common = 0;
    (void)out;
    if (isa->mod[ISA_MOD_QUERY]) {
        exec_refuse(core, warp, inst, "a query of anything but the extents");
        return;
    }
    if (registers)
        handles = exec_row(warp, isa->a.index);
    else if (!surface_operands_handle(core, warp, inst, &handles, &common))
        return;
    uint32_t level[EXEC_LANES], handle[EXEC_LANES];
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        level[lane] = exec_row_word(warp, isa->a.index, registers)[lane];
        handle[lane] = handles ? handles[lane] : common;
    }
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        const struct texture *t = textures_find(core->memory, handle[lane]);
        if (!t) {
            texture_operands_object(core, warp, inst, lane, handle[lane], false);
            return;
        }
        write_extents(warp, isa, lane, t, (int32_t)level[lane]);
    }
}
