/* Instructions that operate on barrier objects (exec/memory/mbarrier.h): SYNCS, and ARRIVES, by which copies to shared
 * memory arrive. Objects of sm_80 are operated on by ordinary atomics. ARRIVES alone is theirs, too.
 *
 * A deferred core lets a wait that finds its phase unfinished (PHASECHK.TRYWAIT) be an access in flight: it completes
 * when exec_ready has said so, or when the time is up. An arrival of copies completes when they have landed. */
#include "exec/memory/syncs.h"

#include <inttypes.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/atomic.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/proxy_see.h"
#include "exec/memory/remote.h"
#include "exec/memory/syncs_place.h"
#include "exec/retry.h"

static void fault_object(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                         uint32_t offset, uint64_t object, enum mbarrier_error error)
{
    char text[MBARRIER_NAME];
    mbarrier_describe(offset, object, text);
    exec_fault_at(core, warp, inst, lane, offset, EXEC_FAULT_OTHER, "%s: %s", text, mbarrier_error_text(error));
}

/* ---- arrivals ---------------------------------------------------------------------------------------------------- */

static struct mbarrier_arrival arrival_of(const struct isa_inst *isa, uint32_t operand)
{
    struct mbarrier_arrival by = {0};
    switch (isa->mod[ISA_MOD_FUNCTION]) {
    case ISA_SYNCS_ARRIVE_A1TR: by = (struct mbarrier_arrival){.count = 1, .bytes = operand}; break;
    case ISA_SYNCS_ARRIVE_A1T0: by.count = 1; break;
    case ISA_SYNCS_ARRIVE_ART0: by.count = operand; break;
    case ISA_SYNCS_ARRIVE_A0TR: by.bytes = operand; break;
    case ISA_SYNCS_ARRIVE_A0TX: by.bytes = -(int64_t)operand; break;
    case ISA_SYNCS_ARRIVE_A0T1: by.bytes = 1; break;
    default: break;
    }
    by.dropped = isa->mod[ISA_MOD_FLAG] ? by.count : 0;
    return by;
}

static void note_arrivals(const struct isa_inst *isa, const uint32_t *row, uint32_t active, struct issued *out)
{
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        struct mbarrier_arrival by = arrival_of(isa, row[lane]);
        int64_t most = INT64_C(1) << (ISSUED_BYTES_BITS - 1);
        int64_t bytes = by.bytes < -most ? -most : by.bytes >= most ? most - 1 : by.bytes;
        out->operand[lane] = issued_pack_arrival(
            (struct issued_arrival){by.count & MBARRIER_MOST, by.dropped & MBARRIER_MOST, (int32_t)bytes});
    }
}

/* Lanes of `active` with the same object as this one. */
static uint32_t with_object(const struct syncs_places *at, uint32_t active, unsigned lane)
{
    uint32_t together = 0;
    for (uint32_t others = active; others; others &= others - 1) {
        unsigned other = lowest_bit32(others);
        together |= at->address[other] == at->address[lane] ? 1u << other : 0;
    }
    return together;
}

/* Other CTAs' objects on other SMs are reached by messages, which bring no state back. Those of the own CTA beside
 * them are, too. */
static void arrive_remotely(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                            uint32_t active, struct issued *out, const struct syncs_places *at)
{
    const uint32_t *row = exec_row(warp, inst->isa.b.index);
    uint64_t data[EXEC_LANES][EXEC_DATA];
    if (inst->isa.mod[ISA_MOD_MODE] != ISA_SYNCS_RESULT_RED) {
        exec_refuse(core, warp, inst, "an arrival at a barrier object of another CTA with a result");
        return;
    }
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        remote_pack(data[lane], arrival_of(&inst->isa, row[lane]));
    }
    remote_arrive(core, warp, inst, active, at->address, data, out);
}

/* Of lanes with one object, each sees it as the lanes before it left it. With TMASK they get its state from before all
 * of them, and which lanes they are. */
static void arrive(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   const struct issued *out, const struct syncs_places *at)
{
    const struct isa_inst *isa = &inst->isa;
    const uint32_t *row = exec_row(warp, isa->b.index);
    unsigned result = isa->mod[ISA_MOD_MODE];
    uint64_t data[EXEC_LANES][EXEC_DATA];
    uint32_t unread = active;
    for (uint32_t left = active; left;) {
        unsigned lane = lane_order_next_atomic(&left);
        uint32_t offset = (uint32_t)out->address[lane];
        uint64_t object = mbarrier_read(at->cta[lane], offset);
        if (result != ISA_SYNCS_RESULT_TMASK)
            data[lane][0] = object;
        else if (unread >> lane & 1) {
            uint32_t together = with_object(at, active, lane);
            for (uint32_t others = together; others; others &= others - 1)
                data[lowest_bit32(others)][0] = (object & ~UINT64_C(0xffffffff)) | together;
            unread &= ~together;
        }
        enum mbarrier_error error = mbarrier_operate(&object, arrival_of(isa, row[lane]));
        if (error != MBARRIER_OK) {
            fault_object(core, warp, inst, lane, offset, object, error);
            return;
        }
        mbarrier_write(at->cta[lane], offset, object);
    }
    lane_data_write(warp, result == ISA_SYNCS_RESULT_RED ? ISA_RZ : isa->d.index, active, MBARRIER_BYTES, false, data);
}

void exec_SYNCS_ARRIVE(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                       struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    struct syncs_places at;
    if (isa->mod[ISA_MOD_FUNCTION] > ISA_SYNCS_ARRIVE_ART0 || isa->mod[ISA_MOD_MODE] > ISA_SYNCS_RESULT_RED) {
        exec_refuse(core, warp, inst, "this kind of arrival");
        return;
    }
    if (!syncs_find(core, warp, inst, active, out, &at))
        return;
    note_arrivals(isa, exec_row(warp, isa->b.index), active, out);
    if (at.remote && !core->immediate) {
        arrive_remotely(core, warp, inst, active, out, &at);
        return;
    }
    arrive(core, warp, inst, active, out, &at);
    if (at.remote)
        remote_describe(active, MBARRIER_BYTES, at.address, out);
}

static bool arrive_80(struct exec_cta *cta, uint32_t offset)
{
    uint64_t value[2] = {mbarrier_read(cta, offset)}, none[4] = {0};
    atomic_apply(ATOMIC_ARRIVE, ATOMIC_U64, value, none);
    mbarrier_write(cta, offset, value[0]);
    return true;
}

/* The arrival that a thread's copies so far owe: one arrival, or one of the transactions announced for them. */
static bool copies_arrive(struct exec_core *core, struct exec_cta *cta, uint32_t offset, unsigned kind)
{
    if (cta->launch->module->sm < 90)
        return arrive_80(cta, offset);
    struct mbarrier_arrival by = {.count = kind == ISA_ARRIVES_ARVCNT, .bytes = kind == ISA_ARRIVES_TRANSCNT ? -1 : 0};
    return mbarrier_arrive(core, cta, offset, by);
}

/* An access of this kind in flight; the caller fills in the rest. */
static struct exec_pending *defer(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                  uint32_t lanes, struct issued *out)
{
    struct exec_pending *access = pending_begin(core, warp, kind, 0, 0, out);
    access->lanes = lanes;
    access->ended = 0;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        access->entry[lane] = (uint16_t)(out->address[lane] / MBARRIER_BYTES);
    return access;
}

void exec_ARRIVES(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    unsigned kind = inst->isa.mod[ISA_MOD_FUNCTION];
    struct syncs_places at;
    if (warp->cta->launch->module->sm >= 90 && kind != ISA_ARRIVES_ARVCNT && kind != ISA_ARRIVES_TRANSCNT) {
        exec_refuse(core, warp, inst, "this kind of arrival");
        return;
    }
    if (!syncs_find_own(core, warp, inst, active, out, &at))
        return;
    if (!core->immediate) {
        defer(core, warp, PENDING_ARRIVAL, active, out)->function = (uint8_t)kind;
        return;
    }
    for (uint32_t left = active; left;) {
        unsigned lane = lane_order_next_atomic(&left);
        if (!copies_arrive(core, warp->cta, (uint32_t)out->address[lane], kind))
            return;
    }
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static uint32_t offset_of(const struct exec_pending *access, unsigned lane)
{
    return access->entry[lane] * (uint32_t)MBARRIER_BYTES;
}

/* Of the lanes that an access waits for, those whose phase has ended. */
static uint32_t ended_of(const struct exec_pending *access)
{
    uint32_t ended = access->ended;
    for (uint32_t left = access->lanes & ~ended; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        bool phase = mbarrier_phase(mbarrier_read(access->warp->cta, offset_of(access, lane)));
        ended |= phase != (access->parity >> lane & 1) ? 1u << lane : 0;
    }
    return ended;
}

bool exec_ready(struct exec_core *core, uint32_t token)
{
    struct exec_pending *access = &core->pending[token];
    if (access->kind != PENDING_WAIT || access->warp->generation != access->generation)
        return true;
    access->ended = ended_of(access);
    return access->ended == access->lanes;
}

/* Notes the objects that lanes of the warp still wait for (0: none). */
static void note_wait(struct exec_warp *warp, uint32_t lanes, uint32_t parity, const uint64_t offset[EXEC_LANES])
{
    warp->wait.lanes = lanes;
    warp->wait.parity = parity;
    warp->retries = lanes ? RETRY_INSTRUCTIONS : 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        warp->wait.offset[lowest_bit32(left)] = (uint32_t)offset[lowest_bit32(left)];
}

bool exec_awake(const struct exec_warp *warp)
{
    for (uint32_t left = warp->wait.lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        bool phase = mbarrier_phase(mbarrier_read(warp->cta, warp->wait.offset[lane]));
        if (phase != (warp->wait.parity >> lane & 1))
            return true;
    }
    return warp->wait.lanes == 0;
}

/* Another path of the warp can go on, and may be the one that is waited for. */
static bool other_path(const struct exec_warp *warp)
{
    for (uint32_t i = 0; i < warp->paths; i++)
        if (i != warp->current && warp->path[i].state == EXEC_PATH_READY)
            return true;
    return false;
}

/* Looks at the objects. Returns the lanes whose phase has ended. `parity` gets bit 31 of each lane's operand. */
static uint32_t look(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     const uint64_t address[EXEC_LANES], uint32_t *parity)
{
    const uint32_t *row = exec_row(warp, inst->isa.b.index);
    uint32_t ended = 0;
    *parity = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t object = mbarrier_read(warp->cta, (uint32_t)address[lane]);
        if (object == 0) {
            fault_object(core, warp, inst, lane, (uint32_t)address[lane], object, MBARRIER_UNUSED);
            return 0;
        }
        *parity |= row[lane] >> 31 << lane;
        ended |= mbarrier_phase(object) != row[lane] >> 31 ? 1u << lane : 0;
    }
    return ended;
}

/* Has the phase that bit 31 of the operand names ended? */
void exec_SYNCS_PHASECHK(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                         struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    struct syncs_places at;
    uint32_t parity;
    if (!syncs_find_own(core, warp, inst, active, out, &at))
        return;
    uint32_t ended = look(core, warp, inst, active, out->address, &parity);
    if (core->fault.code)
        return;
    note_wait(warp, active & ~ended, parity, out->address);
    proxy_see_ended(warp, ended, parity, out->address);
    bool may_wait = isa->mod[ISA_MOD_FLAG] && !other_path(warp);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        out->operand[lane] = (parity >> lane & ISSUED_PARITY) | (may_wait || ended >> lane & 1 ? ISSUED_WAITS : 0u);
    if (ended == active || core->immediate || !may_wait) {
        exec_set_predicate(warp, isa->pu, active, ended);
        return;
    }
    struct exec_pending *access = defer(core, warp, PENDING_WAIT, active, out);
    access->parity = parity;
    access->ended = ended;
    access->destination = isa->pu.present ? isa->pu.index : ISA_PT;
}

static void finish_wait(struct exec_pending *access)
{
    struct exec_warp *warp = access->warp;
    uint64_t offset[EXEC_LANES];
    uint32_t ended = ended_of(access);
    struct isa_predicate p = {.present = true, .index = access->destination};
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        offset[lane] = offset_of(access, lane);
    note_wait(warp, access->lanes & ~ended, access->parity, offset);
    proxy_see_ended(warp, ended, access->parity, offset);
    exec_set_predicate(warp, p, access->lanes, ended);
}

static void finish_arrival(struct exec_core *core, const struct exec_pending *access)
{
    for (uint32_t left = access->lanes; left && !core->fault.code;) {
        unsigned lane = lane_order_next_atomic(&left);
        copies_arrive(core, access->warp->cta, offset_of(access, lane), access->function);
    }
}

void syncs_finish(struct exec_core *core, struct exec_pending *access)
{
    if (access->kind == PENDING_WAIT)
        finish_wait(access);
    else
        finish_arrival(core, access);
}

/* ---- objects as memory ------------------------------------------------------------------------------------------- */
