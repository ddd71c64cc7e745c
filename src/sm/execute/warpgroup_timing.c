#include "sm/execute/warpgroup_timing.h"

#include "base/bits.h"
#include "base/order.h"
#include "isa/matrix.h"

enum { ROWS = 64, BYTES = 32 };

static uint32_t interval_of(const struct isa_inst *inst, const struct config_core *c)
{
    switch (isa_warpgroup_kind(inst)) {
    case ISA_MATRIX_EIGHT: return c->wgmma_fp8_interval;
    case ISA_MATRIX_INTEGER: return c->wgmma_int8_interval;
    case ISA_MATRIX_BIT: return c->wgmma_bit_interval;
    default: return inst->mod[ISA_MOD_MMA_TYPE] == ISA_MMA_TYPE_TF32 ? c->wgmma_tf32_interval : c->wgmma_f16_interval;
    }
}

struct warpgroup_timing warpgroup_timing(const struct isa_inst *inst, const struct config_core *config)
{
    uint32_t columns = isa_warpgroup_columns(inst);
    uint32_t bytes = columns * BYTES << (inst->mod[ISA_MOD_SPARSE] ? 1 : 0);
    bytes += inst->a.kind == ISA_REG ? 0 : ROWS * BYTES;
    uint32_t port = div_up32(bytes, config->wgmma_port_bytes), cycles = interval_of(inst, config) * columns / 8;
    uint32_t early = inst->a.kind == ISA_REG ? smaller(config->wgmma_registers, config->wgmma_latency) : 0;
    return (struct warpgroup_timing){.interval = larger(larger(cycles, port), config->wgmma_least),
                                     .port = port,
                                     .latency = cycles + config->wgmma_latency - early};
}
