#include "exec/memory/remote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
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

static void operate(struct exec_remote *r, unsigned lane, uint8_t *at)
{
    uint64_t value[2] = {0};
    switch ((enum remote_kind)r->kind) {
    case REMOTE_LOAD: memcpy(r->data[lane], at, r->bytes); break;
    case REMOTE_STORE: memcpy(at, r->data[lane], r->bytes); break;
    case REMOTE_ATOMIC:
        memcpy(value, at, r->bytes);
        atomic_apply(r->function, r->type, value, r->data[lane]);
        memcpy(at, value, r->bytes);
        break;
    }
}

/* Lanes that store to the same bytes do so in the order of stores, atomics in theirs. */
static unsigned next_lane(const struct exec_remote *r, uint32_t *left)
{
    return r->kind == REMOTE_ATOMIC ? lane_order_next_atomic(left) : lane_order_next_store(left);
}

static void apply(struct exec_remote *r, uint32_t lanes)
{
    const struct exec_cta *cta = r->warp->cta;
    r->waiting &= ~lanes;
    for (uint32_t left = lanes & r->lanes; left;) {
        unsigned lane = next_lane(r, &left);
        struct exec_cta *peer = remote_peer(cta, r->address[lane] >> EXEC_RANK_SHIFT);
        bool there =
            peer && exec_cta_lives(peer) && offset_of(r->address[lane]) + r->bytes <= cta->launch->shared_bytes;
        if (there)
            operate(r, lane, peer->shared + offset_of(r->address[lane]));
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

static void report(struct exec_core *core, const struct exec_remote *r)
{
    unsigned lane = lowest_bit32(r->missed);
    uint32_t address = r->address[lane], rank = address >> EXEC_RANK_SHIFT;
    const struct exec_cta *cta = r->warp->cta;
    const char *what = r->kind == REMOTE_LOAD ? "load" : r->kind == REMOTE_STORE ? "store" : "atomic";
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
    if (r->missed)
        report(core, r);
    else if (r->kind != REMOTE_STORE && isa->d.kind == ISA_REG)
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
                 unsigned bytes, const uint32_t address[EXEC_LANES])
{
    const struct isa_inst *isa = &inst->isa;
    *r = (struct exec_remote){.warp = warp,
                              .inst = inst,
                              .generation = warp->generation,
                              .lanes = lanes,
                              .waiting = lanes,
                              .kind = (uint8_t)kind_of(isa),
                              .bytes = (uint8_t)bytes};
    memcpy(r->address, address, sizeof r->address);
    if (r->kind == REMOTE_LOAD)
        return;
    lane_data_gather(warp, isa->b.kind == ISA_REG ? isa->b.index : ISA_RZ, (bytes + 3) / 4, lanes, 0, r->data);
    if (r->kind == REMOTE_STORE)
        return;
    lane_data_gather(warp, isa->c.kind == ISA_REG ? isa->c.index : ISA_RZ, bytes / 4, lanes, 4, r->data);
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

void remote_access(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                   unsigned bytes, const uint32_t address[EXEC_LANES], struct issued *out)
{
    struct exec_remote now, *r = core->immediate ? &now : remote_record(core, core->token);
    if (!r) {
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_MEMORY, "no host memory for an access in flight");
        return;
    }
    fill(r, warp, inst, lanes, bytes, address);
    if (core->immediate) {
        apply(r, lanes);
        end(core, r);
        return;
    }
    out->deferred = true;
    out->space = ISA_SPACE_CLUSTER;
    out->bytes = (uint8_t)bytes;
    out->zero_fill = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        out->address[lowest_bit32(left)] = address[lowest_bit32(left)];
}

void remote_free(struct exec_core *core)
{
    for (uint32_t token = 0; core->remote && token < EXEC_TOKENS; token++)
        free(core->remote[token]);
    free(core->remote);
    core->remote = NULL;
}
