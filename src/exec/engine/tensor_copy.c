/* Copies of tensors by a tensor map: UTMALDG, UTMASTG, UTMAREDG, UTMAPF, and their companions.
 *
 *   {[UB..]}  loads: shared address, mbarrier, coordinates; stores: shared address, coordinates; prefetches: these
 *   {[UA]}    generic address of the map, which lies in device memory or in a copy of the parameters there
 *   UC        offsets of im2col in bits 15:0, ranks that receive a multicast in bits 31:16
 *
 * Four rows of a tensor with rank 2 that are named one by one (GATHER4, SCATTER4) have five coordinates: the column,
 * and the rows. */
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

/* Reads the map as a load of this core sees it. Returns false if an atomic operation under way will change part of it
 * (tensormap.cp_fenceproxy). */
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

enum mode { MODE_TILE, MODE_COLUMN, MODE_WIDE_128, MODE_WIDE, MODE_GATHER, MODE_NONE };

/* Stores have scattered rows where loads have columns along W. */
static enum mode mode_of(const struct isa_inst *isa)
{
    enum { SCATTER = 2 };
    unsigned number = isa->mod[ISA_MOD_TENSOR_MODE];
    if (isa->op == ISA_OP_UTMASTG && number == SCATTER)
        return MODE_GATHER;
    return number < MODE_NONE ? (enum mode)number : MODE_NONE;
}

/* Returns the mistake in this map for this mode (NULL: nothing). */
static const char *mismatch(const struct tensor_map *map, enum mode mode, unsigned rank)
{
    static const uint8_t wide[] = {[MODE_WIDE] = TENSOR_WIDE_W, [MODE_WIDE_128] = TENSOR_WIDE_W128, [MODE_NONE] = 0};
    bool column = mode != MODE_TILE && mode != MODE_GATHER;
    if (map->rank != rank)
        return "its rank is not that of the instruction";
    if (map->im2col != column)
        return column ? "it is for tiles, the instruction for im2col" : "it is for im2col, the instruction for tiles";
    if (map->wide != wide[mode])
        return "it is for another mode of im2col than the instruction";
    return NULL;
}

/* im2col along W: bits 10:0 of UC are a halo's pixels, bits 15:11 move the bounding box. */
static const char *make_wide(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK], struct box *box)
{
    enum { HALO = 0x7ff, OFFSET_AT = 11, OFFSET = 31 };
    uint32_t packed = operand_word(core, warp, inst, &inst->isa.c, 0);
    if (packed & HALO)
        exec_refuse(core, warp, inst, "a column of im2col along W with a halo");
    return box_wide(map, coordinate, packed >> OFFSET_AT & OFFSET, box);
}

static const char *make_column(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                               const struct tensor_map *map, const int32_t coordinate[TENSOR_RANK], struct box *box)
{
    static const uint8_t bits[TENSOR_SPATIAL] = {16, 8, 5};
    uint32_t offset[TENSOR_SPATIAL] = {0};
    bool given = inst->isa.c.kind != ISA_NONE;
    uint32_t packed = given ? operand_word(core, warp, inst, &inst->isa.c, 0) : 0, width = bits[map->rank - 3];
    for (unsigned d = 0; d + 2u < map->rank; d++)
        offset[d] = packed >> d * width & ((1u << width) - 1);
    return box_column(map, coordinate, offset, box);
}

/* Fills the box by the map and the coordinates, which begin with word `first` of the block. */
static bool make_box(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned first,
                     uint64_t address, const struct tensor_map *map, struct box *box)
{
    const struct isa_inst *isa = &inst->isa;
    enum mode mode = mode_of(isa);
    int32_t coordinate[TENSOR_RANK] = {0};
    unsigned rank = isa->mod[ISA_MOD_TENSOR_DIM] + 1u;
    const char *wrong = tensor_map_wrong(map);
    wrong = wrong ? wrong : mismatch(map, mode, rank);
    if (wrong)
        return fault_map(core, warp, inst, address, wrong);
    unsigned coordinates = mode == MODE_GATHER ? 1 + BOX_GATHERED : rank;
    for (unsigned d = 0; d < coordinates; d++)
        coordinate[d] = (int32_t)operand_word(core, warp, inst, &isa->b, first + d);
    switch (mode) {
    case MODE_TILE: wrong = box_tile(map, coordinate, box); break;
    case MODE_GATHER: wrong = box_gather(map, coordinate[0], coordinate + 1, box); break;
    case MODE_COLUMN: wrong = make_column(core, warp, inst, map, coordinate, box); break;
    default: wrong = make_wide(core, warp, inst, map, coordinate, box); break;
    }
    return !wrong || fault_map(core, warp, inst, address, wrong);
}

static bool mode_is_known(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    bool gathers = mode_of(&inst->isa) == MODE_GATHER;
    if (mode_of(&inst->isa) != MODE_NONE && (!gathers || inst->isa.mod[ISA_MOD_TENSOR_DIM] == 1))
        return true;
    exec_refuse(core, warp, inst, "a tensor copy in this mode");
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

/* A load for a pair of CTAs (ranks 2k and 2k + 1): of each pair that receives data, the CTA counts the bytes that the
 * address of the mbarrier names by its being even or odd (PTX ISA, .cta_group::2). */
static uint16_t signals_of(const struct transfer *t, unsigned barrier_rank)
{
    unsigned signals = 0;
    for (unsigned rank = 0; rank < EXEC_CTA_GROUP; rank++)
        if (t->targets >> rank & 1 && ((rank ^ barrier_rank) & 1))
            signals |= 1u << (rank ^ 1);
    return (uint16_t)signals;
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
    if (inst->isa.mod[ISA_MOD_CTA_PAIR])
        t->signals = signals_of(t, barrier >> EXEC_RANK_SHIFT);
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

/* The meaning of a map's element for the atomic unit. Halves come in pairs there. */
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
