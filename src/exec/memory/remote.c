#include "exec/memory/remote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"

static uint32_t offset_of(uint32_t address) { return address & ((UINT32_C(1) << EXEC_RANK_SHIFT) - 1); }

struct exec_cta *remote_peer(const struct exec_cta *cta, unsigned rank)
{
    struct exec_cta *peer = rank < cta->cluster.size ? cta->cluster.peer[rank] : NULL;
    return peer && peer->order / cta->launch->cta_group == cta->order / cta->launch->cta_group ? peer : NULL;
}

/* ---- the effect -------------------------------------------------------------------------------------------------- */

/* An arrival at an object of this CTA. A wrong one is reported when the access ends. */
static void arrive(struct exec_remote *r, unsigned lane, struct exec_cta *cta, uint32_t address,
                   struct mbarrier_arrival by)
{
    uint64_t object = mbarrier_read(cta, offset_of(address));
    enum mbarrier_error error = mbarrier_operate(&object, by);
    if (error == MBARRIER_OK) {
        mbarrier_write(cta, offset_of(address), object);
        return;
    }
    r->data[lane][0] = object;
    r->data[lane][1] = (uint64_t)error;
    r->wrong |= UINT32_C(1) << lane;
}

static struct mbarrier_arrival unpack(const uint64_t data[EXEC_DATA])
{
    return (struct mbarrier_arrival){
        .count = (uint32_t)data[0], .dropped = (uint32_t)data[1], .bytes = (int64_t)data[2]};
}

static void operate(struct exec_remote *r, unsigned lane, struct exec_cta *cta, uint8_t *at)
{
    struct mbarrier_arrival bytes = {.bytes = -(int64_t)r->bytes};
    switch ((enum remote_kind)r->kind) {
    case REMOTE_LOAD: memcpy(r->data[lane], at, r->bytes); break;
    case REMOTE_ARRIVE: arrive(r, lane, cta, r->address[lane], unpack(r->data[lane])); break;
    case REMOTE_ASYNC_STORE:
    case REMOTE_STORE: memcpy(at, r->data[lane], r->bytes); break;
    case REMOTE_ASYNC_ATOMIC:
    case REMOTE_ATOMIC: atomic_at(at, r->bytes, r->function, r->type, r->data[lane]); break;
    }
    if (r->kind >= REMOTE_ASYNC_STORE)
        arrive(r, lane, cta, r->object[lane], bytes);
}

/* Lanes that store to the same bytes do so in the order of stores, atomics in theirs. */
static unsigned next_lane(const struct exec_remote *r, uint32_t *left)
{
    bool stores = r->kind == REMOTE_STORE || r->kind == REMOTE_ASYNC_STORE;
    return !stores ? lane_order_next_atomic(left) : lane_order_next_store(left);
}

static bool inside(const struct exec_remote *r, unsigned lane)
{
    const struct exec_cta *cta = r->warp->cta;
    return offset_of(r->address[lane]) + r->bytes <= cta->launch->shared_bytes &&
           (r->kind < REMOTE_ASYNC_STORE || mbarrier_inside(cta, offset_of(r->object[lane])));
}

static void apply(struct exec_remote *r, uint32_t lanes)
{
    const struct exec_cta *cta = r->warp->cta;
    r->waiting &= ~lanes;
    for (uint32_t left = lanes & r->lanes; left;) {
        unsigned lane = next_lane(r, &left);
        struct exec_cta *peer = remote_peer(cta, r->address[lane] >> EXEC_RANK_SHIFT);
        if (peer && exec_cta_lives(peer) && inside(r, lane))
            operate(r, lane, peer, peer->shared + offset_of(r->address[lane]));
        else
            r->missed |= UINT32_C(1) << lane;
    }
}

void exec_serve_remote(struct exec_core *from, uint32_t token, uint32_t lanes) { apply(from->remote[token], lanes); }

void remote_settle(struct exec_core *core)
{
    for (uint32_t token = 0; core->remote && token < EXEC_TOKENS; token++)
        if (core->remote[token] && core->remote[token]->lanes)
            apply(core->remote[token], core->remote[token]->waiting);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static const char *what_is(const struct exec_remote *r)
{
    switch ((enum remote_kind)r->kind) {
    case REMOTE_LOAD: return "load";
    case REMOTE_ASYNC_STORE:
    case REMOTE_STORE: return "store";
    case REMOTE_ARRIVE: return "barrier object";
    default: return "atomic";
    }
}

static void report_wrong(struct exec_core *core, const struct exec_remote *r)
{
    unsigned lane = lowest_bit32(r->wrong);
    uint32_t address = r->kind == REMOTE_ARRIVE ? r->address[lane] : r->object[lane];
    char text[MBARRIER_NAME];
    mbarrier_describe(offset_of(address), r->data[lane][0], text);
    exec_fault_at(core, r->warp, r->inst, lane, address, EXEC_FAULT_OTHER, "%s of the CTA of rank %" PRIu32 ": %s",
                  text, address >> EXEC_RANK_SHIFT, mbarrier_error_text((enum mbarrier_error)r->data[lane][1]));
}

static void report(struct exec_core *core, const struct exec_remote *r)
{
    unsigned lane = lowest_bit32(r->missed);
    uint32_t address = r->address[lane], rank = address >> EXEC_RANK_SHIFT;
    const struct exec_cta *cta = r->warp->cta;
    const char *what = what_is(r);
    if (rank >= cta->cluster.size)
        exec_fault_at(core, r->warp, r->inst, lane, address, EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32 " of a %u-byte %s: the cluster has no CTA of rank %" PRIu32
                      ", only %u",
                      address, r->bytes, what, rank, cta->cluster.size);
    else if (offset_of(address) + r->bytes > cta->launch->shared_bytes)
        exec_fault_at(core, r->warp, r->inst, lane, address, EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32 " of a %u-byte %s: the CTA of rank %" PRIu32 " has %" PRIu32
                      " bytes of shared memory",
                      address, r->bytes, what, rank, cta->launch->shared_bytes);
    else
        exec_fault_at(core, r->warp, r->inst, lane, address, EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32 " of a %u-byte %s: the CTA of rank %" PRIu32 " has exited", address,
                      r->bytes, what, rank);
}

static void end(struct exec_core *core, struct exec_remote *r)
{
    const struct isa_inst *isa = &r->inst->isa;
    bool sign = r->kind == REMOTE_LOAD && access_signed(isa);
    bool reads = r->kind == REMOTE_LOAD || r->kind == REMOTE_ATOMIC;
    if (r->missed)
        report(core, r);
    else if (r->wrong)
        report_wrong(core, r);
    else if (reads && isa->d.kind == ISA_REG)
        lane_data_write(r->warp, isa->d.index, r->lanes, r->bytes, sign, r->data);
}

bool remote_complete(struct exec_core *core, uint32_t token)
{
    struct exec_remote *r = core->remote ? core->remote[token] : NULL;
    if (!r || !r->lanes)
        return false;
    if (r->warp->generation == r->generation)
        end(core, r);
    r->lanes = 0;
    return true;
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static enum remote_kind kind_of(const struct isa_inst *isa)
{
    switch (isa_op_info((enum isa_op)isa->op)->memory) {
    case ISA_MEM_LOAD: return REMOTE_LOAD;
    case ISA_MEM_STORE: return REMOTE_STORE;
    default: return REMOTE_ATOMIC;
    }
}

static void fill(struct exec_remote *r, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                 enum remote_kind kind, unsigned bytes, const uint32_t address[EXEC_LANES])
{
    *r = (struct exec_remote){.warp = warp,
                              .inst = inst,
                              .generation = warp->generation,
                              .lanes = lanes,
                              .waiting = lanes,
                              .kind = (uint8_t)kind,
                              .bytes = (uint8_t)bytes};
    memcpy(r->address, address, sizeof r->address);
}

/* Operands of a load, a store or an atomic. */
static void gather(struct exec_remote *r, const struct isa_inst *isa)
{
    unsigned words = (r->bytes + 3u) / 4;
    if (r->kind == REMOTE_LOAD)
        return;
    lane_data_gather(r->warp, isa->b.kind == ISA_REG ? isa->b.index : ISA_RZ, words, r->lanes, 0, r->data);
    if (r->kind == REMOTE_STORE)
        return;
    lane_data_gather(r->warp, isa->c.kind == ISA_REG ? isa->c.index : ISA_RZ, r->bytes / 4, r->lanes, 4, r->data);
    r->function = (uint8_t)atomic_function_of(isa);
    r->type = (uint8_t)atomic_type_of(isa);
}

/* Records are made when a token first needs one. */
struct exec_remote *remote_record(struct exec_core *core, uint32_t token)
{
    if (!core->remote)
        core->remote = calloc(EXEC_TOKENS, sizeof(struct exec_remote *));
    if (core->remote && !core->remote[token])
        core->remote[token] = calloc(1, sizeof(struct exec_remote));
    return core->remote ? core->remote[token] : NULL;
}

/* A record for the access: `now` in an immediate core. NULL, with a fault, if the host has no memory. */
static struct exec_remote *begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                 struct exec_remote *now)
{
    struct exec_remote *r = core->immediate ? now : remote_record(core, core->token);
    if (!r)
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_MEMORY, "no host memory for an access in flight");
    return r;
}

/* Does the access, or sends it on its way. `away`: the memory of another CTA takes part. */
static void go(struct exec_core *core, struct exec_remote *r, bool now, bool away, struct issued *out)
{
    if (away)
        remote_describe(r->lanes, r->bytes, r->address, out);
    if (now) {
        apply(r, r->lanes);
        end(core, r);
        return;
    }
    out->deferred = true;
}

void remote_describe(uint32_t lanes, unsigned bytes, const uint32_t address[EXEC_LANES], struct issued *out)
{
    out->space = ISA_SPACE_CLUSTER;
    out->bytes = (uint8_t)bytes;
    out->zero_fill = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        out->address[lowest_bit32(left)] = address[lowest_bit32(left)];
}

void remote_access(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                   unsigned bytes, const uint32_t address[EXEC_LANES], struct issued *out)
{
    struct exec_remote now, *r = begin(core, warp, inst, &now);
    if (!r)
        return;
    fill(r, warp, inst, lanes, kind_of(&inst->isa), bytes, address);
    gather(r, &inst->isa);
    go(core, r, core->immediate, true, out);
}

void remote_pack(uint64_t data[EXEC_DATA], struct mbarrier_arrival arrival)
{
    data[0] = arrival.count;
    data[1] = arrival.dropped;
    data[2] = (uint64_t)arrival.bytes;
}

void remote_arrive(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                   const uint32_t address[EXEC_LANES], uint64_t data[EXEC_LANES][EXEC_DATA], struct issued *out)
{
    struct exec_remote now, *r = begin(core, warp, inst, &now);
    if (!r)
        return;
    fill(r, warp, inst, lanes, REMOTE_ARRIVE, MBARRIER_BYTES, address);
    memcpy(r->data, data, sizeof r->data);
    go(core, r, core->immediate, true, out);
}

void remote_async(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  unsigned bytes, const uint32_t address[EXEC_LANES], const uint32_t object[EXEC_LANES],
                  uint64_t data[EXEC_LANES][EXEC_DATA], bool away, struct issued *out)
{
    bool at_once = core->immediate || !away;
    struct exec_remote now, *r = at_once ? &now : begin(core, warp, inst, &now);
    bool reduces = isa_op_info((enum isa_op)inst->isa.op)->memory == ISA_MEM_REDUCTION;
    if (!r)
        return;
    fill(r, warp, inst, lanes, reduces ? REMOTE_ASYNC_ATOMIC : REMOTE_ASYNC_STORE, bytes, address);
    memcpy(r->data, data, sizeof r->data);
    memcpy(r->object, object, sizeof r->object);
    if (reduces) {
        r->function = (uint8_t)atomic_function_of(&inst->isa);
        r->type = (uint8_t)atomic_type_of(&inst->isa);
    }
    go(core, r, at_once, away, out);
}

void remote_free(struct exec_core *core)
{
    for (uint32_t token = 0; core->remote && token < EXEC_TOKENS; token++)
        free(core->remote[token]);
    free(core->remote);
    core->remote = NULL;
}
