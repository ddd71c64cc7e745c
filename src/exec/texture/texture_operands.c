#include "exec/texture/texture_operands.h"

#include <inttypes.h>

#include "isa/pascal.h"

enum { LOD_NONE, LOD_ZERO, LOD_BIAS, LOD_LEVEL }; /* of ISA_MOD_LOD; others are refused */
enum { DIM_1D, DIM_2D, DIM_3D, DIM_CUBE, DIM_ARRAY_1D, DIM_ARRAY_2D, DIM_ARRAY_CUBE = 7 };

/* The handle is a word of a constant bank, or a uniform register whose low word is the object's. */
static bool common_handle(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t *out)
{
    const struct isa_inst *isa = &inst->isa;
    if (isa->e.kind == ISA_UREG) {
        *out = operand_word(core, warp, inst, &isa->e, 0);
        return true;
    }
    if (isa->e.kind == ISA_IMM && isa->f.kind == ISA_IMM) {
        *out = (uint32_t)operand_constant(core, warp, inst, isa->e.value, 4 * isa->f.value, 4);
        return !core->fault.code;
    }
    exec_refuse(core, warp, inst, "this form of a texture's handle");
    return false;
}

bool surface_operands_handle(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             const uint32_t **row, uint32_t *common)
{
    const struct isa_inst *isa = &inst->isa;
    *row = isa->c.kind == ISA_REG ? exec_row(warp, isa->c.index) : NULL;
    if (*row)
        return true;
    if (isa->g.kind == ISA_IMM) {
        exec_refuse(core, warp, inst, "separate indices of texture and sampler");
        return false;
    }
    return common_handle(core, warp, inst, common);
}

const struct texture *texture_operands_object(struct exec_core *core, struct exec_warp *warp,
                                              const struct exec_inst *inst, unsigned lane, uint32_t handle,
                                              bool surface)
{
    const struct texture *t = textures_find(core->memory, handle);
    const char *kind = surface ? "surface" : "texture";
    if (!t)
        exec_fault_at(core, warp, inst, lane, handle, EXEC_FAULT_ADDRESS,
                      "0x%" PRIx32 " is the handle of no %s object that is alive", handle, kind);
    else if (t->unbound)
        exec_fault_at(core, warp, inst, lane, handle, EXEC_FAULT_ADDRESS,
                      "nothing is bound to the %s reference of handle 0x%" PRIx32, kind, handle);
    else if (t->surface != surface)
        exec_fault_at(core, warp, inst, lane, handle, EXEC_FAULT_ADDRESS,
                      "0x%" PRIx32 " is the handle of a %s object; this instruction takes that of a %s object", handle,
                      t->surface ? "surface" : "texture", kind);
    else
        return t;
    return NULL;
}

/* Returns why an instruction is refused (NULL: it is not). */
static const char *refusal(const struct isa_inst *isa)
{
    const uint8_t *mod = isa->mod;
    if (isa->op != ISA_OP_TXD && mod[ISA_MOD_LOD] > LOD_LEVEL)
        return "a level that is clamped, or in a uniform register";
    if (isa->op == ISA_OP_TXD && mod[ISA_MOD_CLAMP_LOD])
        return "a level that is clamped by the instruction";
    if (mod[ISA_MOD_TEXEL_OFFSET] > 1)
        return "texel offsets for each texel, or in a uniform register";
    if (mod[ISA_MOD_DEPTH_COMPARE])
        return "comparison with a depth: no descriptor of CUDA says which test it is (docs/textures.md)";
    if (mod[ISA_MOD_MULTISAMPLE])
        return "textures with several samples: CUDA makes none";
    if (mod[ISA_MOD_HALF_ROUND] > 1)
        return "results of 16 bits that are cut";
    if (isa->op == ISA_OP_TEX && mod[ISA_MOD_DERIVATIVES] > 1)
        return "forced derivatives";
    if (mod[ISA_MOD_UNIFORM_ADDRESS])
        return "coordinates in uniform registers";
    return NULL;
}

/* Hands out the registers of an instruction in the order of its operands. `first` of them are in A, the rest in B. */
struct sequence {
    const struct exec_warp *warp;
    const struct isa_inst *isa;
    unsigned first, taken;
};

static const uint32_t *take(struct sequence *s)
{
    unsigned i = s->taken++;
    if (i < s->first)
        return exec_row_word(s->warp, s->isa->a.index, i);
    return exec_row_word(s->warp, s->isa->b.kind == ISA_REG ? s->isa->b.index : ISA_RZ, i - s->first);
}

/* Read off code of ptxas 13.0: A has the coordinates, layer first; B the handle, the level or bias, and the offsets.
 * Scattered operands (.SCR) are the same, the first half of them in A. Short forms of Pascal say how many are there. */
static void find_sample(struct sequence *s, bool array, bool registers, struct texture_operands *o)
{
    const struct isa_inst *isa = s->isa;
    unsigned lod = isa->mod[ISA_MOD_LOD];
    bool level = isa->op != ISA_OP_TLD4 && (lod == LOD_BIAS || lod == LOD_LEVEL);
    bool offset = isa->mod[ISA_MOD_TEXEL_OFFSET] == 1;
    s->first = o->coordinates + array;
    if (isa->mod[ISA_MOD_SCATTERED] == PASCAL_SCATTERED)
        s->first = isa->a.words;
    else if (isa->mod[ISA_MOD_SCATTERED])
        s->first = (s->first + registers + level + offset + 1) / 2;
    if (array)
        o->layer = take(s);
    for (unsigned d = 0; d < o->coordinates; d++)
        o->at[d] = take(s);
    if (registers)
        o->handle = take(s);
    if (level)
        o->level = take(s);
    o->biased = lod == LOD_BIAS;
    if (offset)
        o->offset = take(s);
    o->offset_bits = isa->op == ISA_OP_TLD4 ? 6 : 4;
    o->offset_step = isa->op == ISA_OP_TLD4 ? 8 : 4;
}

/* A has the handle, the coordinates, and one word with the layer in its lower half and the offsets in its upper; B the
 * changes of each coordinate along x and y. */
static void find_gradient(struct sequence *s, bool array, bool registers, struct texture_operands *o)
{
    bool offset = s->isa->mod[ISA_MOD_TEXEL_OFFSET] == 1;
    s->first = o->coordinates + registers + (array || offset);
    if (registers)
        o->handle = take(s);
    for (unsigned d = 0; d < o->coordinates; d++)
        o->at[d] = take(s);
    const uint32_t *packed = array || offset ? take(s) : NULL;
    o->layer = array ? packed : NULL;
    o->offset = offset ? packed : NULL;
    o->offset_shift = 16;
    o->offset_bits = o->offset_step = 4;
    for (unsigned d = 0; d < o->coordinates; d++) {
        o->change[d] = take(s);
        o->change[3 + d] = take(s);
    }
}

bool texture_operands_find(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                           struct texture_operands *o)
{
    static const uint8_t coordinates[8] = {1, 2, 3, 3, 1, 2, 0, 3};
    const struct isa_inst *isa = &inst->isa;
    const char *reason = refusal(isa);
    if (reason) {
        exec_refuse(core, warp, inst, reason);
        return false;
    }
    unsigned dim = isa->mod[ISA_MOD_TEXTURE_DIM] & 7;
    bool registers = isa->e.kind == ISA_NONE;
    *o = (struct texture_operands){.coordinates = coordinates[dim]};
    struct sequence s = {.warp = warp, .isa = isa};
    (isa->op == ISA_OP_TXD ? find_gradient : find_sample)(&s, dim >= DIM_ARRAY_1D, registers, o);
    return registers || common_handle(core, warp, inst, &o->common);
}

int32_t texture_operands_offset(const struct texture_operands *o, unsigned lane, unsigned dimension)
{
    if (!o->offset)
        return 0;
    unsigned low = o->offset_shift + o->offset_step * dimension;
    uint32_t field = o->offset[lane] >> low & ((1u << o->offset_bits) - 1), sign = 1u << (o->offset_bits - 1);
    return (int32_t)(field ^ sign) - (int32_t)sign;
}
