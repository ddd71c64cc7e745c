/* Accesses of threads to memory: the address of each lane, its order, and whether a load reads written bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "check/state.h"
#include "exec/executors.h"
#include "exec/memory/undefined.h"

/* ---- facts of the instruction ------------------------------------------------------------------------------------ */

static enum order_scope scope_of(const struct isa_inst *isa)
{
    switch (isa->mod[ISA_MOD_ORDER]) {
    case ISA_ORDER_STRONG_CTA:
    case ISA_ORDER_STRONG_CTA_PRIVATE:
    case ISA_ORDER_STRONG_SM:
    case ISA_ORDER_STRONG_SM_PRIVATE:
    case ISA_ORDER_MMIO_CTA:
    case ISA_ORDER_MMIO_CTA_PRIVATE:
    case ISA_ORDER_MMIO_SM:
    case ISA_ORDER_MMIO_SM_PRIVATE: return ORDER_CTA;
    case ISA_ORDER_STRONG_GPU:
    case ISA_ORDER_STRONG_GPU_PRIVATE:
    case ISA_ORDER_STRONG_SYS:
    case ISA_ORDER_STRONG_SYS_PRIVATE:
    case ISA_ORDER_STRONG_SYS_ORDERED:
    case ISA_ORDER_MMIO_GPU:
    case ISA_ORDER_MMIO_GPU_PRIVATE:
    case ISA_ORDER_MMIO_SYS:
    case ISA_ORDER_MMIO_SYS_PRIVATE:
    case ISA_ORDER_MMIO_SYS_ORDERED:
    case ISA_ORDER_MMIO_VC: return ORDER_GPU;
    default: return ORDER_WEAK;
    }
}

/* Lanes that give addresses: all that are active, but of a matrix instruction those that have a row. */
static uint32_t addressing(const struct check_at *at)
{
    const struct isa_inst *isa = at->isa;
    if (!(isa_op_info((enum isa_op)isa->op)->flags & ISA_FRAGMENTS))
        return at->issued->active;
    bool loads = isa_op_info((enum isa_op)isa->op)->memory == ISA_MEM_LOAD;
    bool wide = loads && isa->mod[ISA_MOD_LAYOUT] == ISA_LDSM_LAYOUT_MT1616;
    unsigned rows = (wide ? 16u : 8u) << (isa->mod[ISA_MOD_MATRICES] & 3);
    return rows >= EXEC_LANES ? UINT32_MAX : (UINT32_C(1) << rows) - 1;
}

/* Words that a lane stores. */
static void take_values(const struct check_at *at, struct check_access *a)
{
    const struct isa_inst *isa = at->isa;
    const struct exec_warp *w = at->exec;
    bool plain = isa_op_info((enum isa_op)isa->op)->memory == ISA_MEM_STORE && isa->b.kind == ISA_REG &&
                 !(isa_op_info((enum isa_op)isa->op)->flags & ISA_FRAGMENTS);
    a->knows_value = plain;
    for (unsigned i = 0; plain && i < a->bytes / 4 + (a->bytes < 4); i++) {
        const struct isa_operand *from = i < 4 ? &isa->b : &isa->e;
        a->value[i] = from->index == ISA_RZ ? 0 : w->reg[from->index + i % 4][a->lane];
    }
}

/* ---- where it goes ----------------------------------------------------------------------------------------------- */

struct check_cta *check_peer(const struct check_at *at, uint32_t rank)
{
    const struct exec_cta *own = at->exec->cta;
    if (rank == own->cluster.rank)
        return at->cta;
    const struct exec_cta *peer = rank < own->cluster.size ? own->cluster.peer[rank] : NULL;
    bool there = peer && peer->order / own->launch->cta_group == own->order / own->launch->cta_group;
    return there && exec_cta_lives(peer) ? check_cta_of(at->check, peer) : NULL;
}

static bool is_local(const struct exec_launch *launch, uint64_t address)
{
    return launch->local_base &&
           address - launch->local_base < (uint64_t)exec_local_bytes(launch) * EXEC_LANES * launch->local_slots;
}

/* The memory of a lane, and in *cta whose it is. */
static enum check_memory place(const struct check_at *at, struct check_access *a, struct check_cta **cta)
{
    const struct issued *issued = at->issued;
    uint64_t address = issued->address[a->lane];
    uint32_t rank = (uint32_t)address >> EXEC_RANK_SHIFT;
    bool window = address - EXEC_SHARED_WINDOW < EXEC_SHARED_BYTES;
    *cta = NULL;
    a->address = address;
    if (issued->space == ISA_SPACE_LOCAL && !window)
        return CHECK_LOCAL;
    if (issued->space == ISA_SPACE_GLOBAL && !window)
        return is_local(at->launch->of, address) ? CHECK_LOCAL : CHECK_GLOBAL;
    *cta = issued->space == ISA_SPACE_SHARED ? at->cta : check_peer(at, rank);
    a->address = address & ((UINT32_C(1) << EXEC_RANK_SHIFT) - 1);
    return *cta ? CHECK_SHARED : CHECK_NOWHERE;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

static void local(const struct check_at *at, const struct check_access *a)
{
    enum { LINE = 4 * EXEC_LANES };
    const struct exec_launch *launch = at->launch->of;
    uint64_t size = exec_local_bytes(launch), within = (a->address - launch->local_base) % (size * EXEC_LANES);
    uint64_t offset = within / LINE * 4 + within % 4, bit = a->lane * size + offset;
    bool written = true;
    if (!at->warp->local)
        at->warp->local = calloc(1, size * EXEC_LANES / 8 + 1);
    for (uint32_t i = 0; at->warp->local && i < a->bytes; i++) {
        uint8_t *byte = &at->warp->local[(bit + i) / 8], one = (uint8_t)(1u << (bit + i) % 8);
        written = written && (*byte & one);
        if (a->writes)
            *byte |= one;
    }
    if (a->reads && at->warp->local && !written)
        check_note(at, CHECK_UNWRITTEN, a->lane, UINT32_MAX, 0, 0, CHECK_LOCAL, offset, a->bytes);
}

/* ---- global and shared memory ------------------------------------------------------------------------------------ */

static void initial(const struct check_at *at, struct check_cta *cta, const struct check_access *a)
{
    bool unwritten;
    if (cta) {
        struct shadow_page *page = shadow_page(&cta->shared, a->address);
        uint32_t offset = (uint32_t)(a->address % SHADOW_PAGE);
        bool of_system = a->address < at->launch->of->reserved_inside;
        unwritten = page && a->reads && !of_system && !shadow_written(page, offset, a->bytes);
        if (page && a->writes)
            shadow_write(page, offset, a->bytes);
    } else {
        unwritten = a->reads && memory_undefined(at->launch->memory, a->address, a->bytes);
        if (a->writes)
            memory_define(at->launch->memory, a->address, a->bytes);
    }
    if (unwritten)
        check_note(at, CHECK_UNWRITTEN, a->lane, UINT32_MAX, 0, 0, cta ? CHECK_SHARED : CHECK_GLOBAL, a->address,
                   a->bytes);
}

/* The releases and acquires of the access. Shared memory has no strong loads and stores: a store right behind a
 * fence releases, and a load where something was released acquires. Returns whether the access is one that races
 * with no other of its kind. */
static bool synchronise(const struct check_at *at, const struct check_cta *cta, const struct check_access *a,
                        enum order_scope scope)
{
    struct order *o = &at->launch->order;
    uint64_t location = cta ? check_shared_location(cta, (uint32_t)a->address) : a->address;
    bool atomic = a->flags & SHADOW_ATOMIC;
    if (cta && !atomic && scope == ORDER_WEAK) {
        bool releases = a->writes && at->warp->fenced >> a->lane & 1;
        if (releases)
            order_release(o, at->know, a->lane, location, ORDER_GPU, true);
        else if (a->reads && order_is_location(o, location))
            order_acquire(o, at->know, a->lane, location, true);
        else
            return false;
        return true;
    }
    if (scope == ORDER_WEAK)
        return false;
    if (a->reads)
        order_acquire(o, at->know, a->lane, location, atomic || scope == ORDER_CTA);
    if (a->writes)
        order_release(o, at->know, a->lane, location, scope, !atomic);
    return true;
}

static void ordered(const struct check_at *at, struct check_cta *cta, struct check_access *a, enum order_scope scope)
{
    bool quiet = synchronise(at, cta, a, scope);
    a->flags |= quiet && scope == ORDER_WEAK ? (uint32_t)ORDER_GPU : (uint32_t)scope;
    if (cta && quiet && scope == ORDER_WEAK && a->writes) { /* earlier loads there were the ones that wait for it */
        shadow_renew(&cta->shared, a->address, a->bytes);
        return;
    }
    check_race(at, cta, a);
}

static void lane_access(const struct check_at *at, struct check_access *a, enum order_scope scope)
{
    struct check_cta *cta;
    enum check_memory memory = place(at, a, &cta);
    if (memory == CHECK_LOCAL && check_wants(at->check, CHECK_BIT_INIT))
        local(at, a);
    if (memory != CHECK_SHARED && memory != CHECK_GLOBAL)
        return;
    if (check_wants(at->check, CHECK_BIT_INIT))
        initial(at, cta, a);
    if (!check_wants(at->check, CHECK_BIT_RACE))
        return;
    if (cta && at->sync == ISA_SYNC_STORE) { /* a barrier object tells when it is done, as of a transfer */
        check_race_range(at, cta, a->address, a->bytes, a->lane, true);
        shadow_renew(&cta->shared, a->address, a->bytes);
        return;
    }
    if (a->writes)
        take_values(at, a);
    ordered(at, cta, a, scope);
}

/* ---- copies of threads ------------------------------------------------------------------------------------------- */

static void copy(const struct check_at *at)
{
    const struct issued *issued = at->issued;
    for (uint32_t left = issued->active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        struct check_access to = {.address = issued->shared[lane],
                                  .bytes = issued->bytes,
                                  .flags = SHADOW_COPY,
                                  .lane = (uint8_t)lane,
                                  .writes = true};
        struct check_access from = {.bytes = issued->bytes, .lane = (uint8_t)lane, .reads = true};
        to.value[0] = at->warp->open;
        if (!(issued->zero_fill >> lane & 1) && issued->space == ISA_SPACE_GLOBAL)
            lane_access(at, &from, ORDER_WEAK);
        if (check_wants(at->check, CHECK_BIT_INIT))
            initial(at, at->cta, &to);
        if (check_wants(at->check, CHECK_BIT_RACE))
            check_race(at, at->cta, &to);
    }
}

void check_access_memory(const struct check_at *at)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)at->isa->op);
    bool atomic = info->memory == ISA_MEM_ATOMIC || info->memory == ISA_MEM_REDUCTION;
    enum order_scope scope = scope_of(at->isa);
    if (atomic && scope == ORDER_WEAK)
        scope = ORDER_GPU;
    if (info->memory == ISA_MEM_ASYNC_COPY) {
        copy(at);
        at->warp->fenced &= ~at->issued->active;
        return;
    }
    for (uint32_t left = addressing(at); left; left &= left - 1) {
        struct check_access a = {.bytes = at->issued->bytes,
                                 .flags = atomic ? SHADOW_ATOMIC : 0,
                                 .lane = (uint8_t)lowest_bit32(left),
                                 .reads = atomic || info->memory == ISA_MEM_LOAD,
                                 .writes = atomic || info->memory == ISA_MEM_STORE};
        lane_access(at, &a, scope);
    }
    at->warp->fenced &= ~at->issued->active;
}
