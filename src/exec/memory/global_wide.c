/* Accesses of 256 bits to global memory. A mask names 32-bit words, a bit each. The words of each half are in registers
 * in a row, as compiled code of ld.global.v8 with sinks shows: bits 0 to 3 in D or B, bits 4 to 7 in E. */
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/pending.h"
#include "exec/memory/store_log.h"

enum { WORDS = 8, HALF = 4, BYTES = 32 };

static bool begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  const char *what, struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    if (~operand_predicate(warp, isa->pp) & active) {
        exec_refuse(core, warp, inst, "a 256-bit access with a predicate");
        return false;
    }
    access_global_addresses(warp, isa, out);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = BYTES;
    return access_check_global(core, warp, inst, active, BYTES, what, out->address);
}

/* Fills the register of each word; ISA_RZ for those that the mask leaves out. */
static void registers_of(unsigned mask, unsigned lower, unsigned upper, unsigned index[WORDS])
{
    unsigned next[2] = {lower, upper};
    for (unsigned w = 0; w < WORDS; w++) {
        unsigned *at = &next[w / HALF];
        index[w] = mask >> w & 1 && *at != ISA_RZ ? (*at)++ : ISA_RZ;
    }
}

void exec_LDG_256(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint64_t data[EXEC_LANES][EXEC_DATA];
    uint8_t mask = (uint8_t)isa->mod[ISA_MOD_MASK];
    if (!begin(core, warp, inst, active, "global load", out))
        return;
    if (!core->immediate && (inst->at_slice || store_log_unknown(core, out->address, active, out->bytes))) {
        struct exec_pending *access = pending_begin_words(core, warp, PENDING_LOAD, active, mask, out);
        access->sign = false;
        access->destination = isa->d.index;
        access->upper = isa->e.index;
        return;
    }
    unsigned index[WORDS];
    registers_of(mask, isa->d.index, isa->e.index, index);
    access_read_global(core, active, out->bytes, out->address, data);
    for (unsigned w = 0; w < WORDS; w++)
        for (uint32_t left = index[w] != ISA_RZ ? active : 0; left; left &= left - 1) {
            unsigned lane = lowest_bit32(left);
            warp->reg[index[w]][lane] = (uint32_t)(data[lane][w / 2] >> w % 2 * 32);
        }
}

void exec_STG_256(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint8_t mask = (uint8_t)isa->mod[ISA_MOD_MASK];
    unsigned index[WORDS];
    const uint32_t *row[WORDS];
    if (!begin(core, warp, inst, active, "global store", out))
        return;
    registers_of(mask, isa->b.index, isa->e.index, index);
    for (unsigned w = 0; w < WORDS; w++)
        row[w] = exec_row_word(warp, index[w], 0);
    if (!core->immediate) {
        pending_put(core, pending_begin_words(core, warp, PENDING_STORE, active, mask, out), row);
        return;
    }
    for (uint32_t left = active; left;) {
        unsigned lane = lane_order_next_store(&left);
        uint8_t *to = memory_at(core->memory, out->address[lane]);
        for (unsigned w = 0; w < WORDS; w++)
            if (mask >> w & 1)
                memcpy(to + 4 * w, &row[w][lane], 4);
    }
}
