/* Copies of tensors by a tensor map: UTMALDG, UTMASTG, UTMAREDG, UTMAPF, and what goes with them.
 *
 *   {[UB..]}  loads: shared address, mbarrier, coordinates; stores: shared address, coordinates; prefetches: these
 *   {[UA]}    generic address of the map, which lies in device memory or in a copy of the parameters there
 *   UC        offsets of im2col in bits 15:0, ranks that receive a multicast in bits 31:16 */
#include <inttypes.h>
#include <string.h>

#include "exec/engine/command.h"
#include "exec/executors.h"
#include "exec/memory/atomic.h"
#include "exec/memory/store_log.h"

enum { GRAIN = 128, MAP_GRAIN = 64, OFFSET_MASK = 0xffffff };

static uint64_t operand_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             const struct isa_operand *operand)
{
    uint64_t low = operand_word(core, warp, inst, operand, 0);
    return low | (uint64_t)operand_word(core, warp, inst, operand, 1) << 32;
}

/* ---- the map ----------------------------------------------------------------------------------------------------- */

static bool fault_map(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint64_t address,
                      const char *wrong)
{
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_OTHER, "the tensor map at 0x%" PRIx64 ": %s",
                  address, wrong);
    return false;
}

static bool check_map_address(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                              uint64_t address)
{
    char place[200];
    if (address % MAP_GRAIN) {
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_MISALIGNED,
                      "misaligned address 0x%" PRIx64 " of a tensor map: it is no multiple of %d", address, MAP_GRAIN);
        return false;
    }
    if (memory_inside(core->memory, address, TENSOR_MAP_BYTES))
        return true;
    memory_place(core->memory, address, place, sizeof place);
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                  "illegal address 0x%" PRIx64 " of a tensor map: %s", address, place);
    return false;
}

/* Reads the map as a load of this core sees it. Returns false if part of it is what an atomic operation under way will
 * leave there (tensormap.cp_fenceproxy). */
static bool read_map(const struct exec_core *core, uint64_t address, uint8_t bytes[TENSOR_MAP_BYTES])
{
    memcpy(bytes, memory_at(core->memory, address), TENSOR_MAP_BYTES);
    if (core->immediate)
        return true;
    for (uint32_t at = 0; at < TENSOR_MAP_BYTES; at += LOG_SECTOR) {
        const uint64_t sector[EXEC_LANES] = {address + at};
        if (store_log_unknown(core, sector, 1, LOG_SECTOR))
            return false;
        if (!store_log_empty(core) && store_log_holds(core, sector[0]))
            store_log_overlay(core, sector[0], LOG_SECTOR, bytes + at);
    }
    return true;
}

/* The warp issues the instruction once more. */
static void repeat(struct exec_warp *warp, const struct exec_inst *inst, struct issued *out)
{
    struct exec_path *path = &warp->path[warp->current];
    path->pc = out->next_pc = inst->isa.pc;
    out->flow = ISSUED_JUMP;
    out->transfer = (struct transfer){.kind = TRANSFER_NONE};
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* Fills the box by the map and the coordinates, which begin with word `first` of the block. */
static bool make_box(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned first,
                     uint64_t address, const struct tensor_map *map, struct box *box)
{
    const struct isa_inst *isa = &inst->isa;
    bool column = isa->mod[ISA_MOD_TENSOR_MODE] == 1;
    int32_t coordinate[TENSOR_RANK] = {0};
    uint32_t offset[TENSOR_SPATIAL] = {0};
    unsigned rank = isa->mod[ISA_MOD_TENSOR_DIM] + 1u;
    const char *wrong = tensor_map_wrong(map);
    if (wrong)
        return fault_map(core, warp, inst, address, wrong);
    if (map->rank != rank)
        return fault_map(core, warp, inst, address, "its rank is not that of the instruction");
    if (map->im2col != column)
        return fault_map(core, warp, inst, address,
                         column ? "it is for tiles, the instruction for im2col"
                                : "it is for im2col, the instruction for tiles");
    for (unsigned d = 0; d < rank; d++)
        coordinate[d] = (int32_t)operand_word(core, warp, inst, &isa->b, first + d);
    if (column && isa->c.kind != ISA_NONE) {
        static const uint8_t bits[TENSOR_SPATIAL] = {16, 8, 5};
        uint32_t packed = operand_word(core, warp, inst, &isa->c, 0), width = bits[rank - 3];
        for (unsigned d = 0; d + 2 < rank; d++)
            offset[d] = packed >> d * width & ((1u << width) - 1);
    }
    wrong = column ? box_column(map, coordinate, offset, box) : box_tile(map, coordinate, box);
    return !wrong || fault_map(core, warp, inst, address, wrong);
}

/* Refuses what later architectures have beside tile and im2col. */
static bool mode_is_known(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    if (inst->isa.mod[ISA_MOD_TENSOR_MODE] > 1)
        exec_refuse(core, warp, inst, "a tensor copy other than of a tile or by im2col");
    else if (inst->isa.mod[ISA_MOD_CTA_PAIR])
        exec_refuse(core, warp, inst, "a tensor copy for a pair of CTAs");
    else
        return true;
    return false;
}

/* Makes a command of the instruction. `first` is the word of the block with the innermost coordinate. Returns false
 * with a fault, or if the map is not there yet. */
static bool make(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned first,
                 struct exec_command *c, struct tensor_map *map, struct issued *out)
{
    uint8_t bytes[TENSOR_MAP_BYTES];
    uint64_t address = operand_pair(core, warp, inst, &inst->isa.a);
    *c = (struct exec_command){0};
    out->transfer.kind = TRANSFER_NONE;
    if (!mode_is_known(core, warp, inst) || !check_map_address(core, warp, inst, address))
        return false;
    if (!read_map(core, address, bytes)) {
        repeat(warp, inst, out);
        return false;
    }
    if (!tensor_map_decode(bytes, map))
        return fault_map(core, warp, inst, address, "it is no tensor map");
    if (!make_box(core, warp, inst, first, address, map, &c->box))
        return false;
    c->box.transfer.map = address;
    return !core->fault.code;
}

/* An address in shared memory has the rank of the CTA in its upper byte. */
static bool own_offset(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned word,
                       uint32_t *offset)
{
    uint32_t address = operand_word(core, warp, inst, &inst->isa.b, word);
    *offset = address & OFFSET_MASK;
    if (address >> EXEC_RANK_SHIFT == warp->cta->cluster.rank)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                  "illegal address 0x%" PRIx32 " in shared memory: it is that of another CTA", address);
    return false;
}

void exec_UTMALDG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)active;
    struct exec_command c;
    struct tensor_map map;
    struct transfer *t = &c.box.transfer;
    if (!make(core, warp, inst, 2, &c, &map, out))
        return;
    uint32_t to = operand_word(core, warp, inst, &inst->isa.b, 0),
             barrier = operand_word(core, warp, inst, &inst->isa.b, 1);
    t->kind = TRANSFER_LOAD;
    t->shared = to & OFFSET_MASK;
    t->barrier = barrier & OFFSET_MASK;
    t->targets = (uint16_t)(1u << (to >> EXEC_RANK_SHIFT & 15));
    if (inst->isa.mod[ISA_MOD_MULTICAST])
        t->targets = (uint16_t)(operand_word(core, warp, inst, &inst->isa.c, 0) >> 16);
    if (command_check(core, warp, inst, &c, GRAIN, "tensor load"))
        command_begin(core, warp, inst, &c, out);
}

void exec_UTMASTG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)active;
    struct exec_command c;
    struct tensor_map map;
    if (!make(core, warp, inst, 1, &c, &map, out) || !own_offset(core, warp, inst, 0, &c.box.transfer.shared))
        return;
    c.box.transfer.kind = TRANSFER_STORE;
    if (map.type == TENSOR_B4X16_P64)
        fault_map(core, warp, inst, c.box.transfer.map, "its padded elements of 4 bits can only be loaded");
    else if (command_check(core, warp, inst, &c, GRAIN, "tensor store"))
        command_begin(core, warp, inst, &c, out);
}

/* What an element of a map is to the atomic unit; halves come in pairs there. */
static enum atomic_type atomic_of(enum tensor_type type)
{
    switch (type) {
    case TENSOR_U32: return ATOMIC_U32;
    case TENSOR_S32: return ATOMIC_S32;
    case TENSOR_U64: return ATOMIC_U64;
    case TENSOR_S64: return ATOMIC_S64;
    case TENSOR_F16: return ATOMIC_F16X2;
    case TENSOR_BF16: return ATOMIC_BF16X2;
    case TENSOR_F32:
    case TENSOR_TF32: return ATOMIC_F32;
    case TENSOR_F32_FTZ:
    case TENSOR_TF32_FTZ: return ATOMIC_F32_FTZ;
    case TENSOR_F64: return ATOMIC_F64;
    default: return ATOMIC_BAD_TYPE;
    }
}

void exec_UTMAREDG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    (void)active;
    struct exec_command c;
    struct tensor_map map;
    if (!make(core, warp, inst, 1, &c, &map, out) || !own_offset(core, warp, inst, 0, &c.box.transfer.shared))
        return;
    enum atomic_type type = atomic_of((enum tensor_type)map.type);
    enum atomic_function function = (enum atomic_function)inst->isa.mod[ISA_MOD_FUNCTION];
    if (function > ATOMIC_XOR || !atomic_supported(function, type)) {
        fault_map(core, warp, inst, c.box.transfer.map, "its elements cannot be reduced so");
        return;
    }
    c.box.transfer.kind = TRANSFER_REDUCTION;
    c.reduces = true;
    c.function = (uint8_t)function;
    c.type = (uint8_t)type;
    c.element = c.box.transfer.element_bytes & 15;
    if (command_check(core, warp, inst, &c, GRAIN, "tensor reduction"))
        command_begin(core, warp, inst, &c, out);
}

void exec_UTMAPF(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    (void)active;
    struct exec_command c;
    struct tensor_map map;
    if (!make(core, warp, inst, 0, &c, &map, out))
        return;
    c.box.transfer.kind = TRANSFER_PREFETCH;
    command_begin(core, warp, inst, &c, out);
}

/* ---- without data ------------------------------------------------------------------------------------------------ */

/* The engine's cache of maps holds no values here: it is timed only. */
void exec_UTMACCTL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    (void)active;
    const struct isa_inst *isa = &inst->isa;
    bool all = isa->a.kind == ISA_NONE;
    out->transfer = (struct transfer){.kind = !all && isa->mod[ISA_MOD_FUNCTION] == 1 ? TRANSFER_MAP : TRANSFER_FORGET,
                                      .map = all ? 0 : operand_pair(core, warp, inst, &isa->a)};
}

void exec_UTMACMDFLUSH(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                       struct issued *out)
{
    (void)core;
    (void)warp;
    (void)inst;
    (void)active;
    out->transfer = (struct transfer){.kind = TRANSFER_GROUP};
}
