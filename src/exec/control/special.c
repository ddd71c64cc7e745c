/* Special registers, constants, and instructions that have no effect on values. */
#include "base/bits.h"
#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/memory/access.h"
#include "exec/memory/lane_data.h"

/* ---- special registers ----------------------------------------------------------------------------------------- */

/* Threads of the CTA in each dimension, behind SR_NTID (nvdisasm has other names for two of these numbers). */
enum { SR_NTID_X = ISA_SR_NTID + 1, SR_NTID_Y, SR_NTID_Z };

/* Nanoseconds. An SM without a frequency counts one a cycle. The timer starts where the launch says and goes on with
 * simulated time. In a functional run with the time that the instructions so far would take on `timer_width`
 * schedulers that never wait. */
static uint64_t global_timer(const struct exec_core *core)
{
    uint64_t hz = core->clock_hz, cycles = core->timer_width > 1 ? core->clock / core->timer_width : core->clock;
    if (!hz)
        return core->start_ns + cycles;
    return core->start_ns + cycles / hz * 1000000000 + cycles % hz * 1000000000 / hz;
}

struct exec_dim exec_thread(const struct exec_warp *warp, unsigned lane)
{
    const struct exec_dim *block = &warp->cta->launch->block;
    uint32_t n = warp->index * EXEC_LANES + lane;
    if (n < block->x)
        return (struct exec_dim){.x = n};
    return (struct exec_dim){n % block->x, n / block->x % block->y, n / block->x / block->y};
}

/* Of registers that differ between lanes. */
static bool lane_value(const struct exec_warp *warp, unsigned number, unsigned lane, uint32_t *value)
{
    uint32_t below = (1u << lane) - 1, self = 1u << lane;
    struct exec_dim thread = exec_thread(warp, lane);
    switch (number) {
    case ISA_SR_LANEID: *value = lane; return true;
    case ISA_SR_TID: *value = thread.x | thread.y << 16 | thread.z << 26; return true;
    case ISA_SR_TID_X: *value = thread.x; return true;
    case ISA_SR_TID_Y: *value = thread.y; return true;
    case ISA_SR_TID_Z: *value = thread.z; return true;
    case ISA_SR_EQMASK: *value = self; return true;
    case ISA_SR_LTMASK: *value = below; return true;
    case ISA_SR_LEMASK: *value = below | self; return true;
    case ISA_SR_GTMASK: *value = ~(below | self); return true;
    case ISA_SR_GEMASK: *value = ~below; return true;
    default: return false;
    }
}

static uint64_t warps_per_sm(unsigned sm) { return sm == 75 ? 32 : sm == 86 || sm == 89 || sm == 120 ? 48 : 64; }

/* The timer of an H200 steps by 32 ns (2026-11-27; the recording is not kept in the repository). PTX ISA leaves the
 * steps to the GPU. Those of other architectures are not known, and here as fine as the clock. */
static uint64_t timer_step(unsigned sm) { return sm == 90 ? 32 : 1; }

static uint64_t clock_value(const struct exec_core *core, const struct exec_warp *warp, unsigned number)
{
    uint64_t time = global_timer(core), step = timer_step(warp->cta->launch->module->sm);
    return number >= ISA_SR_GLOBALTIMERLO ? time - time % step : core->clock;
}

/* Of registers that are the same for the whole warp. The pairs of CS2R give both words. */
static bool warp_value(const struct exec_core *core, const struct exec_warp *warp, unsigned number, uint64_t *value)
{
    const struct exec_cta *cta = warp->cta;
    const struct exec_launch *launch = cta->launch;
    switch (number) {
    case ISA_SR_CLOCK: *value = (uint32_t)core->clock; return true;
    case ISA_SR_VIRTCFG: *value = warps_per_sm(launch->module->sm) << 8 | (uint64_t)launch->sm_count << 20; return true;
    case ISA_SR_VIRTID: *value = (warp->slot & 0x7f) << 8 | (uint64_t)core->sm_id << 20; return true;
    case ISA_SR_CTAID_X: *value = cta->index.x; return true;
    case ISA_SR_CTAID_Y: *value = cta->index.y; return true;
    case ISA_SR_CTAID_Z: *value = cta->index.z; return true;
    case ISA_SR_NTID: *value = launch->block.x | launch->block.y << 16 | launch->block.z << 26; return true;
    case SR_NTID_X: *value = launch->block.x; return true;
    case SR_NTID_Y: *value = launch->block.y; return true;
    case SR_NTID_Z: *value = launch->block.z; return true;
    case ISA_SR_LWINHI: *value = EXEC_LOCAL_WINDOW >> 32; return true;
    case ISA_SR_LWINLO: *value = (uint32_t)EXEC_LOCAL_WINDOW; return true;
    case ISA_SR_SWINHI: *value = EXEC_SHARED_WINDOW >> 32; return true;
    case ISA_SR_SWINLO: *value = (uint32_t)EXEC_SHARED_WINDOW; return true;
    case ISA_SR_LWINSZ:
    case ISA_SR_SWINSZ: *value = EXEC_WINDOW_BYTES; return true;
    case ISA_SR_CGACTAID: *value = cta->cluster.rank; return true;
    case ISA_SR_SMEMSZ: *value = launch->shared_bytes + launch->reserved_outside; return true;
    case ISA_SR_REGALLOC: *value = launch->kernel->cubin->registers; return true;
    case ISA_SR_VIRTUALSMID: *value = core->sm_id; return true;
    case ISA_SR_CLOCKLO:
    case ISA_SR_GLOBALTIMERLO: *value = clock_value(core, warp, number); return true;
    case ISA_SR_CLOCKHI:
    case ISA_SR_GLOBALTIMERHI: *value = clock_value(core, warp, number) >> 32; return true;
    case ISA_SR_LMEMHIOFF: /* the lowest stack pointer; the stack has all of local memory */
    case ISA_SR_GPCLOCALCGAID:
    case ISA_SR_CGASIZE:
    case ISA_SRZ: *value = 0; return true;
    default: return false;
    }
}

static void refuse_special(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    exec_refuse(core, warp, inst, "this special register");
}

void exec_S2R(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    unsigned number = isa->mod[ISA_MOD_SPECIAL];
    uint32_t row[EXEC_LANES];
    uint64_t value;
    if (warp_value(core, warp, number, &value)) {
        exec_fill(warp, isa->d.index, active, (uint32_t)value);
    } else if (!lane_value(warp, number, 0, row)) {
        refuse_special(core, warp, inst);
    } else if (isa->d.index != ISA_RZ) {
        for (uint32_t left = active; left; left &= left - 1)
            lane_value(warp, number, lowest_bit32(left), &warp->reg[isa->d.index][lowest_bit32(left)]);
    }
}

void exec_S2UR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    uint64_t value;
    uint32_t of_lane;
    unsigned number = inst->isa.mod[ISA_MOD_SPECIAL];
    if (warp_value(core, warp, number, &value))
        exec_fill_uniform(warp, inst->isa.d.index, (uint32_t)value);
    else if (lane_value(warp, number, lowest_bit32(active), &of_lane))
        exec_fill_uniform(warp, inst->isa.d.index, of_lane);
    else
        refuse_special(core, warp, inst);
}

void exec_CS2R(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    uint64_t value;
    if (!warp_value(core, warp, isa->mod[ISA_MOD_SPECIAL], &value)) {
        refuse_special(core, warp, inst);
        return;
    }
    exec_fill(warp, isa->d.index, active, (uint32_t)value);
    if (isa->d.words == 2 && isa->d.index != ISA_RZ)
        exec_fill(warp, isa->d.index + 1u, active, (uint32_t)(value >> 32));
}

void exec_CS2UR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)active;
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    uint64_t value;
    if (!warp_value(core, warp, isa->mod[ISA_MOD_SPECIAL], &value)) {
        refuse_special(core, warp, inst);
        return;
    }
    exec_fill_uniform(warp, isa->d.index, (uint32_t)value);
    if (isa->d.words == 2 && isa->d.index != ISA_URZ)
        exec_fill_uniform(warp, isa->d.index + 1u, (uint32_t)(value >> 32));
}

/* ---- constants ------------------------------------------------------------------------------------------------- */

enum { BANK_BYTES = 65536 };

/* An offset just below zero is the upper half of the bank. An address beyond the bank reads 0. */
static void read_constant(const uint8_t *bank, uint32_t offset, unsigned bytes, uint64_t *value)
{
    *value = 0;
    if (offset >= UINT32_C(0xffff8000))
        offset += BANK_BYTES;
    for (unsigned k = 0; bank && k < bytes && offset + k < BANK_BYTES; k++)
        *value |= (uint64_t)bank[offset + k] << 8 * k;
}

void exec_LDC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa), mode = isa->mod[ISA_MOD_MODE];
    if (isa->b.kind != ISA_CONST || isa->b.bank >= EXEC_BANKS || bytes > 8 ||
        (mode != ISA_LDC_MODE_INDEXED && mode != ISA_LDC_MODE_IS)) {
        exec_refuse(core, warp, inst, "this form of constant load");
        return;
    }
    const uint32_t *row = exec_row(warp, isa->a.kind == ISA_REG ? isa->a.index : ISA_RZ);
    uint64_t data[EXEC_LANES][EXEC_DATA];
    out->space = ISA_SPACE_CONSTANT;
    out->bytes = (uint8_t)bytes;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint32_t offset = row[lane] + isa->b.value, bank = isa->b.bank;
        if (mode == ISA_LDC_MODE_IS) { /* the upper half of the register counts banks */
            bank += row[lane] / BANK_BYTES;
            offset = (row[lane] % BANK_BYTES + isa->b.value) % BANK_BYTES;
        }
        if (bank >= EXEC_BANKS) {
            exec_refuse(core, warp, inst, "only constant banks 0 to 4 exist");
            return;
        }
        out->address[lane] = bank * BANK_BYTES + offset % BANK_BYTES;
        read_constant(warp->cta->launch->bank[bank], offset, bytes, data[lane]);
    }
    lane_data_write(warp, isa->d.index, active, bytes, access_signed(isa), data);
}

/* ---- order, caches, nothing ------------------------------------------------------------------------------------ */

#define NO_EFFECT(id)                                                                                                  \
    void exec_##id(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,      \
                   struct issued *out)                                                                                 \
    {                                                                                                                  \
        (void)core;                                                                                                    \
        (void)warp;                                                                                                    \
        (void)inst;                                                                                                    \
        (void)active;                                                                                                  \
        (void)out;                                                                                                     \
    }

NO_EFFECT(LDGDEPBAR)
NO_EFFECT(DEPBAR)
NO_EFFECT(MEMBAR)
NO_EFFECT(ERRBAR)
NO_EFFECT(CGAERRBAR)
NO_EFFECT(CCTL)
NO_EFFECT(NOP)
NO_EFFECT(PMTRIG)
/* Launches follow one another. */
NO_EFFECT(PREEXIT)
NO_EFFECT(ACQBULK)
