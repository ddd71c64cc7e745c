/* Moves between registers and tensor memory: LDTM and STTM (tcgen05.ld, tcgen05.st). A warp reaches the 32 lanes of its
 * quarter only: that of its number in the CTA, modulo 4.
 *
 * Register p of thread t is in lane L + l and column C + c, where L and C are of the address (PTX ISA, matrix fragments
 * of tcgen05.ld and tcgen05.st; the layouts of CuTe say the same):
 *
 *   layout              l                               c
 *   32dp32bit           t                               p
 *   16dp64bit           t / 4 + 8 (t mod 2)             2 p + t / 2 mod 2
 *   16dp128bit          t / 4 + 8 (p mod 2)             4 (p / 2) + t mod 4
 *   16dp256bit          t / 4 + 8 (p / 2 mod 2)         8 (p / 4) + 2 (t mod 4) + p mod 2
 *   16dp32bit_t0_t15    t, of the threads 0 to 15       p
 *   16dp32bit_t16_t31   t - 16, of the threads from 16  p
 *
 * PACK16BIT takes two columns for each: the lower halves of columns 2c and 2c + 1 make a register, the first one its
 * lower half. EXPAND16BIT does the reverse. That it writes zeros to the upper halves is assumed.
 *
 * The address of a warp names its quarter, or quarter 0: public kernels leave the quarter out. */
#include <inttypes.h>

#include "exec/arithmetic/extreme.h"
#include "exec/executors.h"
#include "exec/memory/proxy_see.h"
#include "exec/tensor/tensor_watch.h"

enum { LAYOUT_128, LAYOUT_256, LAYOUT_32, LAYOUT_64, LAYOUT_LOW, LAYOUT_HIGH, LAYOUTS };
enum { QUARTER = 32, HALF = 16, MOST_REGISTERS = 128 };

struct shape {
    uint8_t lanes;     /* of tensor memory */
    uint8_t columns;   /* of one repetition */
    uint8_t registers; /* likewise */
};

static const struct shape shapes[LAYOUTS] = {
    [LAYOUT_32] = {32, 1, 1},  [LAYOUT_64] = {16, 2, 1},  [LAYOUT_128] = {16, 4, 2},
    [LAYOUT_256] = {16, 8, 4}, [LAYOUT_LOW] = {16, 1, 1}, [LAYOUT_HIGH] = {16, 1, 1},
};

struct move {
    struct tensor_memory *memory;
    struct tensor_area area;
    uint32_t threads; /* that take part */
    unsigned layout, registers;
    bool halves; /* PACK16BIT, EXPAND16BIT */
};

struct place {
    uint32_t lane, column;
};

static struct place place_of(const struct move *m, unsigned t, unsigned p)
{
    struct place at = {t % HALF, p};
    switch (m->layout) {
    case LAYOUT_32: at.lane = t; break;
    case LAYOUT_64: at = (struct place){t / 4 + 8 * (t % 2), 2 * p + t / 2 % 2}; break;
    case LAYOUT_128: at = (struct place){t / 4 + 8 * (p % 2), 4 * (p / 2) + t % 4}; break;
    case LAYOUT_256: at = (struct place){t / 4 + 8 * (p / 2 % 2), 8 * (p / 4) + 2 * (t % 4) + p % 2}; break;
    default: break;
    }
    return (struct place){m->area.lane + at.lane, m->area.column + (at.column << m->halves)};
}

/* The lane of the address, with the warp's quarter. Returns false with a fault. */
static bool find_lane(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t address,
                      const struct shape *shape, uint32_t *lane)
{
    uint32_t own = warp->index % 4 * QUARTER, named = tensor_lane(address) / QUARTER * QUARTER;
    *lane = own + tensor_lane(address) % QUARTER;
    if (named != own && named != 0) {
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                      "address 0x%08" PRIx32 " of tensor memory is in lane %" PRIu32 ": the warp reaches lanes %" PRIu32
                      "-%" PRIu32 " only",
                      address, tensor_lane(address), own, own + QUARTER - 1);
        return false;
    }
    if (*lane % shape->lanes == 0)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_MISALIGNED,
                  "address 0x%08" PRIx32 " of tensor memory is in lane %" PRIu32 ", which is no multiple of %u",
                  address, tensor_lane(address), shape->lanes);
    return false;
}

static bool begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                  const struct isa_operand *base, uint32_t active, const char *what, struct move *m)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned layout = isa->mod[ISA_MOD_LAYOUT], repeat = 1u << (isa->mod[ISA_MOD_REPEAT] & 7);
    const struct shape *shape = &shapes[layout < LAYOUTS ? layout : 0];
    uint32_t offset = isa->e.kind == ISA_IMM ? isa->e.value : 0, lane;
    uint32_t address = operand_word(core, warp, inst, base, 0) + offset;
    uint32_t half = layout == LAYOUT_LOW ? 0xffff : layout == LAYOUT_HIGH ? 0xffff0000 : UINT32_MAX;
    if (layout >= LAYOUTS || repeat * shape->registers > MOST_REGISTERS) {
        exec_refuse(core, warp, inst, "this shape of an access to tensor memory");
        return false;
    }
    if (!find_lane(core, warp, inst, address, shape, &lane))
        return false;
    bool halves = isa->mod[ISA_MOD_FLAG];
    *m = (struct move){.memory = warp->cta->tensor,
                       .area = {lane, shape->lanes, tensor_column(address), repeat * shape->columns << halves},
                       .threads = active & half,
                       .layout = layout,
                       .registers = repeat * shape->registers,
                       .halves = halves};
    return tensor_memory_check(core, warp, inst, warp->cta, m->area, what);
}

static uint32_t load_word(const struct move *m, struct place at)
{
    uint32_t word = *tensor_memory_word(m->memory, at.lane, at.column);
    if (m->halves)
        word = (word & 0xffff) | *tensor_memory_word(m->memory, at.lane, at.column + 1) << 16;
    return word;
}

static void store_word(const struct move *m, struct place at, uint32_t word)
{
    *tensor_memory_word(m->memory, at.lane, at.column) = m->halves ? word & 0xffff : word;
    if (m->halves)
        *tensor_memory_word(m->memory, at.lane, at.column + 1) = word >> 16;
}

void exec_LDTM(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    struct move m;
    (void)out;
    if (!begin(core, warp, inst, &isa->b, active, "load", &m) || isa->d.index == ISA_RZ)
        return;
    proxy_see_columns(core, warp, inst, m.area.column, m.area.columns);
    tensor_watch_load(core, warp, inst, m.area);
    for (unsigned p = 0; p < m.registers; p++) {
        uint32_t *row = warp->reg[isa->d.index + p];
        for (unsigned t = 0; t < EXEC_LANES; t++)
            if (m.threads >> t & 1)
                row[t] = load_word(&m, place_of(&m, t, p));
    }
}

/* LDTM.STAT (tcgen05.ld.red): also the smallest or largest value that each thread has loaded. */
void exec_LDTM_STAT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned function = isa->mod[ISA_MOD_FUNCTION], type = isa->mod[ISA_MOD_SRC_TYPE];
    bool magnitude = function == ISA_CREDUX_MAXABS || function == ISA_CREDUX_MINABS, nan = isa->mod[ISA_MOD_NAN];
    uint32_t keep = magnitude ? INT32_MAX : UINT32_MAX;
    struct move m;
    if (isa->mod[ISA_MOD_FLAG] || type > ISA_CREDUX_TYPE_F32 || (type != ISA_CREDUX_TYPE_F32 && (magnitude || nan))) {
        exec_refuse(core, warp, inst, "this kind of reduction");
        return;
    }
    if (!begin(core, warp, inst, &isa->b, active, "load", &m))
        return;
    exec_LDTM(core, warp, inst, active, out);
    for (unsigned t = 0; t < EXEC_LANES && isa->g.index != ISA_RZ; t++) {
        if (!(m.threads >> t & 1))
            continue;
        uint32_t value = load_word(&m, place_of(&m, t, 0)) & keep;
        for (unsigned p = 0; p < m.registers; p++)
            value = extreme_of(type, function >= ISA_CREDUX_MIN, nan, value, load_word(&m, place_of(&m, t, p)) & keep);
        warp->reg[isa->g.index][t] = value;
    }
}

void exec_STTM(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    struct move m;
    (void)out;
    if (!begin(core, warp, inst, &isa->c, active, "store", &m))
        return;
    tensor_watch_store(warp, inst, m.area);
    for (unsigned p = 0; p < m.registers; p++) {
        const uint32_t *row = exec_row_word(warp, isa->b.index, p);
        for (unsigned t = 0; t < EXEC_LANES; t++)
            if (m.threads >> t & 1)
                store_word(&m, place_of(&m, t, p), row[t]);
    }
}
