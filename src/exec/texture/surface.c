/* Surface instructions: SULD, SUST, SURED. They are loads, stores and reductions of global memory whose addresses come
 * from a surface object, coordinates, and a rule for those outside of it (PTX ISA, suld, sust, sured). */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/atomic.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/pending.h"
#include "exec/texture/texel.h"
#include "exec/texture/texture_operands.h"

enum { OUTSIDE_IGNORED, OUTSIDE_CLAMPED, OUTSIDE_TRAPS };
enum { DIM_1D, DIM_BUFFER, DIM_ARRAY_1D, DIM_2D, DIM_ARRAY_2D, DIM_3D };

/* The place of a lane: x in bytes, y and z in texels. Arrays have the layer last. */
struct spot {
    int64_t x, y, slice;
};

static struct spot spot_of(const struct exec_warp *warp, const struct isa_inst *isa, const struct texture *t,
                           unsigned lane)
{
    int32_t word[3];
    unsigned dim = isa->mod[ISA_MOD_SURFACE_DIM];
    for (unsigned i = 0; i < 3; i++)
        word[i] = (int32_t)(i < isa->a.words ? exec_row_word(warp, isa->a.index, i)[lane] : 0);
    struct spot s = {.x = word[0]};
    if (!isa->mod[ISA_MOD_BYTES]) /* counted in texels */
        s.x *= texture_texel_bytes(t);
    if (dim == DIM_ARRAY_1D)
        s.slice = word[1];
    else if (dim >= DIM_2D)
        s.y = word[1];
    if (dim == DIM_ARRAY_2D || dim == DIM_3D)
        s.slice = word[2];
    return s;
}

static int64_t clamped(int64_t i, int64_t count) { return i < 0 ? 0 : i >= count ? count - 1 : i; }

static void fault_outside(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                          const struct texture *t, const struct spot *s)
{
    const struct texture_level *l = &t->level[0];
    exec_fault(core, warp, inst, lane, EXEC_FAULT_ADDRESS,
               "x = %" PRId64 " bytes, y = %" PRId64 ", layer or z = %" PRId64 " is outside of the surface of %" PRIu64
               " bytes x %" PRIu32 " x %" PRIu32 ", and the boundary mode is trap",
               s->x, s->y, s->slice, (uint64_t)l->width * texture_texel_bytes(t), l->height,
               t->layered || t->cube ? t->layers : l->depth);
}

/* Finds the address of a lane. Returns false if the lane does not access memory. An access is outside if any byte of it
 * is. */
static bool address_of(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                       const struct texture *t, unsigned bytes, uint64_t *address)
{
    const struct texture_level *l = &t->level[0];
    struct spot s = spot_of(warp, &inst->isa, t, lane);
    int64_t row = (int64_t)l->width * texture_texel_bytes(t), slices = t->layered || t->cube ? t->layers : l->depth;
    bool outside = s.x < 0 || s.x + bytes > row || s.y < 0 || s.y >= l->height || s.slice < 0 || s.slice >= slices;
    if (s.x % bytes) {
        exec_fault(core, warp, inst, lane, EXEC_FAULT_MISALIGNED,
                   "x = %" PRId64 " bytes is no multiple of the %u bytes that the surface access has", s.x, bytes);
        return false;
    }
    if (outside && inst->isa.mod[ISA_MOD_OUTSIDE] == OUTSIDE_TRAPS) {
        fault_outside(core, warp, inst, lane, t, &s);
        return false;
    }
    if (outside && (inst->isa.mod[ISA_MOD_OUTSIDE] == OUTSIDE_IGNORED || row < bytes))
        return false;
    s.x = s.x < 0 ? 0 : s.x + bytes > row ? row / bytes * bytes - bytes : s.x;
    *address = l->address + (uint64_t)clamped(s.slice, slices) * l->slice +
               (uint64_t)clamped(s.y, l->height) * l->pitch + (uint64_t)s.x;
    return true;
}

/* Fills in the addresses of all active lanes and notes those that access nothing. Returns the lanes that do; 0 also
 * after a fault. `bytes` 0: those of the surface's texel, the same for all lanes. */
static uint32_t find_addresses(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                               uint32_t active, unsigned bytes, struct issued *out, const struct texture **object)
{
    const uint32_t *handles = NULL;
    uint32_t common = 0, lanes = 0;
    if (!surface_operands_handle(core, warp, inst, &handles, &common))
        return 0;
    out->space = ISA_SPACE_GLOBAL;
    out->cache_policy = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint32_t handle = handles ? handles[lane] : common;
        const struct texture *t = texture_operands_object(core, warp, inst, lane, handle, true);
        if (!t)
            return 0;
        if (!bytes)
            bytes = texture_texel_bytes(t);
        *object = t;
        if (address_of(core, warp, inst, lane, t, bytes, &out->address[lane]))
            lanes |= UINT32_C(1) << lane;
        if (core->fault.code)
            return 0;
    }
    out->bytes = (uint8_t)bytes;
    out->zero_fill = active & ~lanes;
    return lanes;
}

void exec_SULD_D(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    const struct texture *t;
    uint64_t data[EXEC_LANES][EXEC_DATA];
    memset(data, 0, sizeof data);
    uint32_t lanes = find_addresses(core, warp, inst, active, bytes, out, &t);
    if (core->fault.code || !access_check_global(core, warp, inst, lanes, bytes, "surface load", out->address))
        return;
    if (core->immediate || lanes == 0) {
        for (uint32_t left = lanes; left; left &= left - 1)
            memcpy(data[lowest_bit32(left)], memory_at(core->memory, out->address[lowest_bit32(left)]), bytes);
    } else {
        access_read_global(core, lanes, bytes, out->address, data);
    }
    lane_data_write(warp, isa->d.index, active, bytes, access_signed(isa), data);
    exec_set_predicate(warp, isa->pu, active, 0);
}

/* Stores the first `bytes` of each lane's data. */
static void store(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  unsigned bytes, uint32_t row[4][EXEC_LANES], struct issued *out)
{
    if (!lanes || !access_check_global(core, warp, inst, lanes, bytes, "surface store", out->address))
        return;
    if (!core->immediate) {
        const uint32_t *const rows[4] = {row[0], row[1], row[2], row[3]};
        pending_put(core, pending_begin(core, warp, PENDING_STORE, lanes, bytes, out), rows);
        return;
    }
    for (uint32_t left = lanes; left;) {
        unsigned lane = lane_order_next_store(&left);
        uint32_t value[4] = {row[0][lane], row[1][lane], row[2][lane], row[3][lane]};
        memcpy(memory_at(core->memory, out->address[lane]), value, bytes);
    }
}

void exec_SUST_D(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    const struct texture *t;
    uint32_t lanes = find_addresses(core, warp, inst, active, bytes, out, &t), row[4][EXEC_LANES];
    for (unsigned w = 0; w < 4; w++)
        memcpy(row[w], exec_row_word(warp, isa->b.index, 4 * w < bytes ? w : 0), sizeof row[w]);
    if (!core->fault.code)
        store(core, warp, inst, lanes, bytes, row, out);
}

void exec_SUST_P(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    const struct texture *t = NULL;
    uint32_t lanes = find_addresses(core, warp, inst, active, 0, out, &t), row[4][EXEC_LANES];
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        struct texel texel = {{0}};
        uint32_t bytes[4] = {0};
        for (unsigned w = 0; w < isa->b.words && w < 4; w++)
            texel.word[w] = exec_row_word(warp, isa->b.index, w)[lane];
        texel_encode(t, &texel, (uint8_t *)bytes);
        for (unsigned w = 0; w < 4; w++)
            row[w][lane] = bytes[w];
    }
    if (!core->fault.code)
        store(core, warp, inst, lanes, out->bytes, row, out);
}

static enum atomic_type type_of(const struct isa_inst *isa)
{
    static const uint8_t types[] = {ATOMIC_U32, ATOMIC_S32, ATOMIC_U64, ATOMIC_F32_FTZ, ATOMIC_F16X2, ATOMIC_S64};
    unsigned code = isa->mod[ISA_MOD_SURFACE_TYPE];
    return code < sizeof types ? (enum atomic_type)types[code] : ATOMIC_BAD_TYPE;
}

void exec_SURED(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    enum atomic_function function = atomic_function_of(isa);
    enum atomic_type type = type_of(isa);
    const struct texture *t;
    if (!atomic_supported(function, type)) {
        exec_refuse(core, warp, inst, "this reduction on a surface");
        return;
    }
    unsigned bytes = atomic_bytes(type);
    uint32_t lanes = find_addresses(core, warp, inst, active, bytes, out, &t);
    if (core->fault.code || !lanes ||
        !access_check_global(core, warp, inst, lanes, bytes, "surface reduction", out->address))
        return;
    uint64_t here[EXEC_LANES][EXEC_DATA], (*data)[EXEC_DATA] = core->immediate ? here : pending_operands(core);
    lane_data_gather(warp, isa->b.index, bytes / 4, lanes, 0, data);
    if (!core->immediate) {
        struct exec_pending *access = pending_begin(core, warp, PENDING_REDUCTION, lanes, bytes, out);
        access->sign = false;
        access->function = (uint8_t)function;
        access->type = (uint8_t)type;
        access->destination = ISA_RZ;
        return;
    }
    for (uint32_t left = lanes; left;) {
        unsigned lane = lane_order_next_atomic(&left);
        atomic_operate(core->memory, out->address[lane], bytes, function, type, data[lane]);
    }
}
