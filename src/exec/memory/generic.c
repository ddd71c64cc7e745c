/* Generic addresses: each lane's address says whether it is in shared, local or global memory, or in the shared memory
 * of another CTA in the cluster. If an access goes to several, the timing sees the lanes in device memory only. */
#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/atomic.h"
#include "exec/memory/remote.h"

/* Lanes by where their address is. */
struct spaces {
    uint32_t shared, remote, local, global;
    uint32_t offset[EXEC_LANES]; /* in its window; remote: with the rank */
};

static bool in_shared(uint64_t address) { return address - EXEC_SHARED_WINDOW < EXEC_SHARED_BYTES; }
static bool in_local(uint64_t address) { return address - EXEC_LOCAL_WINDOW < EXEC_WINDOW_BYTES; }

static uint32_t *lanes_of(struct spaces *to, const struct exec_cta *cta, uint64_t address)
{
    if (in_shared(address))
        return (uint32_t)address >> EXEC_RANK_SHIFT == cta->cluster.rank ? &to->shared : &to->remote;
    return in_local(address) ? &to->local : &to->global;
}

static void resolve(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t lanes, unsigned bytes,
                    struct spaces *to, struct issued *out)
{
    *to = (struct spaces){0};
    access_global_addresses(warp, isa, out);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t address = out->address[lane];
        uint32_t *space = lanes_of(to, warp->cta, address);
        *space |= 1u << lane;
        to->offset[lane] = space == &to->remote ? (uint32_t)address : (uint32_t)(address % EXEC_WINDOW_BYTES);
    }
    out->bytes = (uint8_t)bytes;
    out->space = to->global ? ISA_SPACE_GLOBAL : to->local ? ISA_SPACE_LOCAL : ISA_SPACE_SHARED;
    if (out->space != ISA_SPACE_SHARED) {
        out->zero_fill = to->shared | to->remote;
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1)
        out->address[lowest_bit32(left)] = to->offset[lowest_bit32(left)];
}

/* Returns true if there is nothing remote, or the access to it has begun. A timed run cannot wait for the L2 and for
 * another SM by one token. */
static bool begin_remote(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                         const struct spaces *in, struct issued *out)
{
    unsigned bytes = out->bytes;
    uint32_t elsewhere = out->zero_fill;
    if (!in->remote)
        return true;
    unsigned lane = lowest_bit32(in->remote);
    for (uint32_t left = in->remote; left; left &= left - 1)
        lane = in->offset[lowest_bit32(left)] % bytes ? lowest_bit32(left) : lane;
    if (in->offset[lane] % bytes) {
        exec_fault_at(core, warp, inst, lane, in->offset[lane], EXEC_FAULT_MISALIGNED,
                      "misaligned address 0x%x of a %u-byte access to the shared memory of a cluster", in->offset[lane],
                      bytes);
        return false;
    }
    if (in->global && !core->immediate) {
        exec_refuse(core, warp, inst, "an access to both global memory and another CTA's shared memory");
        return false;
    }
    remote_access(core, warp, inst, in->remote, bytes, in->offset, out);
    if (in->global) {
        out->space = ISA_SPACE_GLOBAL;
        out->zero_fill = elsewhere;
    }
    return !core->fault.code;
}

void exec_LD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
             struct issued *out)
{
    struct spaces in;
    if (~operand_predicate(warp, inst->isa.pp) & active) {
        exec_refuse(core, warp, inst, "a load with a predicate");
        return;
    }
    resolve(warp, &inst->isa, active, access_bytes(&inst->isa), &in, out);
    if (!begin_remote(core, warp, inst, &in, out))
        return;
    if (in.shared)
        access_load_shared(core, warp, inst, in.shared, in.offset);
    if (in.local)
        access_load_local(core, warp, inst, in.local, in.offset, out);
    if (in.global)
        access_load_global(core, warp, inst, in.global, out);
}

void exec_ST(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
             struct issued *out)
{
    struct spaces in;
    resolve(warp, &inst->isa, active, access_bytes(&inst->isa), &in, out);
    if (!begin_remote(core, warp, inst, &in, out))
        return;
    if (in.shared)
        access_store_shared(core, warp, inst, in.shared, in.offset);
    if (in.local)
        access_store_local(core, warp, inst, in.local, in.offset, out);
    if (in.global)
        access_store_global(core, warp, inst, in.global, out);
}

/* Operations that shared memory itself can do. Code does the rest with a compare-and-swap. */
static bool in_shared_memory(enum atomic_function function, enum atomic_type type)
{
    bool swap = function == ATOMIC_EXCHANGE || function == ATOMIC_COMPARE_SWAP || function == ATOMIC_CAST;
    return type == ATOMIC_U32 || type == ATOMIC_S32 || swap || function == ATOMIC_ARRIVE;
}

/* Operations that take place in the shared memory of another CTA. Compiled code asks QSPC.D for such addresses, and has
 * a compare-and-swap for them, where numbers are floating-point. Behind a 64-bit integer operation that did not take
 * place it has only that for the own CTA, and a plain load and store for local memory. */
static bool in_remote_memory(enum atomic_function function, enum atomic_type type)
{
    return in_shared_memory(function, type) || type == ATOMIC_U64 || type == ATOMIC_S64;
}

/* The predicate says in which lanes the operation took place. PT leaves no way to tell, so that it must in all. */
static void atomic(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    enum atomic_function function = atomic_function_of(isa);
    enum atomic_type type = atomic_type_of(isa);
    struct spaces in;
    if (!atomic_supported(function, type)) {
        exec_refuse(core, warp, inst, "this atomic operation or type");
        return;
    }
    resolve(warp, isa, active, atomic_bytes(type), &in, out);
    bool told = isa->pu.index != ISA_PT;
    if (in.local && !told) {
        exec_fault_at(core, warp, inst, lowest_bit32(in.local), out->address[lowest_bit32(in.local)], EXEC_FAULT_SPACE,
                      "an atomic operation on local memory");
        return;
    }
    bool shared = in_shared_memory(function, type) || !told;
    if (told && !in_remote_memory(function, type))
        in.remote = 0;
    if (!begin_remote(core, warp, inst, &in, out))
        return;
    if (in.shared && shared)
        access_atomic_shared(core, warp, inst, in.shared, in.offset);
    if (told)
        exec_set_predicate(warp, isa->pu, active, in.global | in.remote | (shared ? in.shared : 0));
    out->zero_fill |= in.local;
    if (in.global)
        access_atomic_global(core, warp, inst, in.global, out);
}

void exec_ATOM(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    atomic(core, warp, inst, active, out);
}

void exec_ATOM_CAS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    atomic(core, warp, inst, active, out);
}

/* The window of a cluster holds its CTAs' windows, the own one included (PTX, isspacep). */
void exec_QSPC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    struct spaces in;
    if (isa->d.index != ISA_RZ) {
        exec_refuse(core, warp, inst, "the register result of an address query");
        return;
    }
    resolve(warp, isa, active, 1, &in, out);
    out->space = ISA_SPACE_NONE;
    out->bytes = 0;
    out->zero_fill = 0;
    const uint32_t holds[] = {[ISA_QSPC_G] = in.global,
                              [ISA_QSPC_L] = in.local,
                              [ISA_QSPC_S] = in.shared,
                              [ISA_QSPC_D] = in.shared | in.remote};
    exec_set_predicate(warp, isa->pu, active, holds[isa->mod[ISA_MOD_FUNCTION] & 3]);
}
