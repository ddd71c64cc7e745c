/* Barrier objects in shared memory.
 *
 * Since sm_90 an object is, as far as the code that initializes and reads it tells,
 *
 *   63     62       43 42     21 20       1  0
 *   +-----+-----------+---------+----------+---+
 *   |phase| -pending  | bytes   | -expected|   |
 *   +-----+-----------+---------+----------+---+
 *
 * where -n stands for 2^20 - n. Where the bytes of transactions are is assumed. When no arrival and no byte is pending
 * the phase turns over and the pending arrivals are those expected again. Copies are done when they execute, so what
 * waits for one arrives at once. Objects of sm_80 are atomic.c's. */
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/atomic.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/mbarrier.h"

enum { FIELD = 20, BYTES_FIELD = 22, EXPECTED = 1, TRANSACTION = 21, PENDING = 43, PHASE = 63, OBJECT = 8 };

static uint64_t field(uint64_t object, unsigned low, unsigned bits)
{
    return object >> low & ((UINT64_C(1) << bits) - 1);
}

static uint64_t with_field(uint64_t object, unsigned low, unsigned bits, uint64_t value)
{
    uint64_t mask = ((UINT64_C(1) << bits) - 1) << low;
    return (object & ~mask) | (value << low & mask);
}

struct arrival {
    uint64_t count, dropped; /* arrivals; of these, threads that will not come again */
    uint64_t bytes;          /* added to those pending, modulo 2^64 */
};

static uint64_t arrive(uint64_t object, struct arrival by)
{
    object = with_field(object, EXPECTED, FIELD, field(object, EXPECTED, FIELD) + by.dropped);
    object = with_field(object, TRANSACTION, BYTES_FIELD, field(object, TRANSACTION, BYTES_FIELD) + by.bytes);
    object = with_field(object, PENDING, FIELD, field(object, PENDING, FIELD) + by.count);
    if (field(object, PENDING, FIELD) || field(object, TRANSACTION, BYTES_FIELD))
        return object;
    object = with_field(object, PENDING, FIELD, field(object, EXPECTED, FIELD));
    return object ^ UINT64_C(1) << PHASE;
}

static bool begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  struct issued *out)
{
    uint32_t offset[EXEC_LANES];
    access_shared_addresses(warp, &inst->isa, offset);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        out->address[lane] = offset[lane];
    out->space = ISA_SPACE_SHARED;
    return access_check_window(core, warp, inst, lanes, OBJECT, "barrier object", offset,
                               warp->cta->launch->shared_bytes, EXEC_FAULT_ADDRESS);
}

static uint64_t object_at(const struct exec_warp *warp, uint64_t offset)
{
    uint64_t object;
    memcpy(&object, warp->cta->shared + offset, sizeof object);
    return object;
}

static void put_object(struct exec_warp *warp, uint64_t offset, uint64_t object)
{
    memcpy(warp->cta->shared + offset, &object, sizeof object);
}

/* Of lanes with one object, each sees it as the lanes before it left it. */
void exec_SYNCS_ARRIVE(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                       struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned kind = isa->mod[ISA_MOD_FUNCTION], result = isa->mod[ISA_MOD_MODE];
    if (kind > ISA_SYNCS_ARRIVE_ART0 || result > ISA_SYNCS_RESULT_RED) {
        exec_refuse(core, warp, inst, "this kind of arrival");
        return;
    }
    if (!begin(core, warp, inst, active, out))
        return;
    const uint32_t *row = exec_row(warp, isa->b.index);
    uint64_t data[EXEC_LANES][EXEC_DATA];
    uint32_t unread = active;
    for (uint32_t left = active; left;) {
        unsigned lane = lane_order_next_atomic(&left);
        uint64_t object = object_at(warp, out->address[lane]), operand = row[lane];
        uint32_t together = 0;
        for (uint32_t others = active; others; others &= others - 1)
            together |= out->address[lowest_bit32(others)] == out->address[lane] ? 1u << lowest_bit32(others) : 0;
        /* The threads that one operation covers get its state from before all of them. */
        if (result != ISA_SYNCS_RESULT_TMASK)
            data[lane][0] = object;
        else if (unread >> lane & 1)
            for (uint32_t others = together; others; others &= others - 1)
                data[lowest_bit32(others)][0] = (object & ~UINT64_C(0xffffffff)) | together;
        unread &= ~together;
        struct arrival by = {.count = kind <= ISA_SYNCS_ARRIVE_A1T0 ? 1 : kind == ISA_SYNCS_ARRIVE_ART0 ? operand : 0};
        by.bytes = kind == ISA_SYNCS_ARRIVE_A1TR || kind == ISA_SYNCS_ARRIVE_A0TR ? operand
                   : kind == ISA_SYNCS_ARRIVE_A0TX                                ? 0 - operand
                                                                                  : 0;
        by.bytes += kind == ISA_SYNCS_ARRIVE_A0T1;
        by.dropped = isa->mod[ISA_MOD_FLAG] ? by.count : 0;
        put_object(warp, out->address[lane], arrive(object, by));
    }
    lane_data_write(warp, result == ISA_SYNCS_RESULT_RED ? ISA_RZ : isa->d.index, active, OBJECT, false, data);
}

/* Has the phase that bit 31 of the operand names ended? */
void exec_SYNCS_PHASECHK(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                         struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    const uint32_t *row = exec_row(warp, isa->b.index);
    uint32_t ended = 0;
    if (!begin(core, warp, inst, active, out))
        return;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        bool phase = object_at(warp, out->address[lane]) >> PHASE;
        ended |= phase != (row[lane] >> 31) ? 1u << lane : 0;
    }
    exec_set_predicate(warp, isa->pu, active, ended);
}

void exec_SYNCS_LD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    if (begin(core, warp, inst, active, out)) {
        uint64_t data[EXEC_LANES][EXEC_DATA];
        for (uint32_t left = active; left; left &= left - 1)
            data[lowest_bit32(left)][0] = object_at(warp, out->address[lowest_bit32(left)]);
        lane_data_write(warp, inst->isa.d.index, active, OBJECT, false, data);
    }
}

/* The object is plain memory again. */
void exec_SYNCS_CCTL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out)
{
    (void)core;
    (void)warp;
    (void)inst;
    (void)active;
    (void)out;
}

static bool begin_uniform(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                          struct issued *out, uint64_t *offset)
{
    if (!begin(core, warp, inst, active, out))
        return false;
    *offset = out->address[lowest_bit32(active)];
    return true;
}

static void write_pair(struct exec_warp *warp, unsigned index, uint64_t value)
{
    if (index == ISA_URZ)
        return;
    exec_fill_uniform(warp, index, (uint32_t)value);
    exec_fill_uniform(warp, index + 1, (uint32_t)(value >> 32));
}

void exec_SYNCS_EXCH(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint64_t offset, low = operand_word(core, warp, inst, &isa->b, 0),
                     high = operand_word(core, warp, inst, &isa->b, 1);
    if (!begin_uniform(core, warp, inst, active, out, &offset))
        return;
    uint64_t old = object_at(warp, offset);
    put_object(warp, offset, high << 32 | low);
    write_pair(warp, isa->d.index, old);
}

void exec_SYNCS_ULD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    uint64_t offset;
    if (begin_uniform(core, warp, inst, active, out, &offset))
        write_pair(warp, inst->isa.d.index, object_at(warp, offset));
}

/* What a thread's copies so far were waiting for: one arrival, or one of the transactions announced for them. */
void exec_ARRIVES(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    unsigned kind = inst->isa.mod[ISA_MOD_FUNCTION];
    bool is_80 = warp->cta->launch->module->sm < 90;
    if (!is_80 && kind != ISA_ARRIVES_ARVCNT && kind != ISA_ARRIVES_TRANSCNT) {
        exec_refuse(core, warp, inst, "this kind of arrival");
        return;
    }
    if (!begin(core, warp, inst, active, out))
        return;
    struct arrival by = {.count = kind == ISA_ARRIVES_ARVCNT, .bytes = kind == ISA_ARRIVES_TRANSCNT ? UINT64_MAX : 0};
    for (uint32_t left = active; left; left &= left - 1) {
        uint64_t offset = out->address[lowest_bit32(left)];
        uint64_t value[2] = {object_at(warp, offset)}, none[4] = {0};
        if (is_80)
            atomic_apply(ATOMIC_ARRIVE, ATOMIC_U64, value, none);
        else
            value[0] = arrive(value[0], by);
        put_object(warp, offset, value[0]);
    }
}

bool mbarrier_complete(struct exec_core *core, struct exec_cta *cta, uint32_t offset, uint32_t bytes)
{
    (void)core;
    uint64_t object;
    memcpy(&object, cta->shared + offset, sizeof object);
    object = arrive(object, (struct arrival){.bytes = 0 - (uint64_t)bytes});
    memcpy(cta->shared + offset, &object, sizeof object);
    return true;
}
