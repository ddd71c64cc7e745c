#include "sm/execute/tensor.h"

#include "isa/matrix.h"

/* The configuration gives one shape of each type: the one that takes a whole register pair of B. */
enum base_shape {
    BASE_HALF = 16 * 16,  /* m16n8k16 */
    BASE_TF32 = 16 * 8,   /* m16n8k8 */
    BASE_EIGHT = 16 * 32, /* m16n8k32 */
    BASE_FOUR = 16 * 64,  /* m16n8k64 */
    BASE_BIT = 16 * 256,  /* m16n8k256 */
    BASE_DOUBLE = 8 * 4   /* m8n8k4 */
};

struct base {
    struct tensor_timing timing;
    uint32_t size; /* rows x depth, for 8 columns */
};

static struct base half_base(const struct isa_inst *inst, const struct isa_matrix *m, const struct config_core *c)
{
    if (inst->mod[ISA_MOD_MMA_TYPE] == ISA_MMA_TYPE_TF32)
        return (struct base){{c->tensor_tf32_interval, c->tensor_tf32_latency}, BASE_TF32};
    if (m->bits_c == 32)
        return (struct base){{c->tensor_f32_interval, c->tensor_f32_latency}, BASE_HALF};
    return (struct base){{c->tensor_f16_interval, c->tensor_f16_latency}, BASE_HALF};
}

static struct base base_of(const struct isa_inst *inst, const struct isa_matrix *m, const struct config_core *c)
{
    switch ((enum isa_matrix_kind)m->kind) {
    case ISA_MATRIX_INTEGER:
        /* Operands of different widths go at the rate of the wider one. */
        if (m->bits_a == 4 && m->bits_b == 4)
            return (struct base){{c->tensor_int4_interval, c->tensor_int4_latency}, BASE_FOUR};
        return (struct base){{c->tensor_int8_interval, c->tensor_int8_latency}, BASE_EIGHT};
    case ISA_MATRIX_BIT: return (struct base){{c->tensor_bit_interval, c->tensor_bit_latency}, BASE_BIT};
    case ISA_MATRIX_DOUBLE: return (struct base){{c->tensor_f64_interval, c->tensor_f64_latency}, BASE_DOUBLE};
    case ISA_MATRIX_EIGHT:
        if (inst->mod[ISA_MOD_MMA_ACC])
            return (struct base){{c->tensor_fp8_f32_interval, c->tensor_fp8_f32_latency}, BASE_EIGHT};
        return (struct base){{c->tensor_fp8_f16_interval, c->tensor_fp8_f16_latency}, BASE_EIGHT};
    case ISA_MATRIX_FOUR: return (struct base){{c->tensor_fp4_interval, c->tensor_fp4_latency}, BASE_FOUR};
    case ISA_MATRIX_HALF: break;
    }
    return half_base(inst, m, c);
}

/* The interval goes with the number of products. The latency less the interval is the pipeline's depth, the same for
 * all shapes: HMMA.1688 of TU102, 14 cycles, has 8 less than the pair that makes an HMMA.16816. A sparse product does
 * half the work for its depth (measured on RTX 5090: as long as the dense one of half the depth). */
struct tensor_timing tensor_timing(const struct isa_inst *inst, const struct config_core *config)
{
    struct isa_matrix m = isa_matrix_of(inst);
    struct base base = base_of(inst, &m, config);
    uint32_t size = (uint32_t)m.rows * (m.sparse ? m.depth / 2u : m.depth);
    if (size == 0)
        return base.timing; /* a shape without meaning, which is not executed */
    uint32_t interval = (base.timing.interval * size + base.size - 1) / base.size;
    uint32_t depth = base.timing.latency > base.timing.interval ? base.timing.latency - base.timing.interval : 1;
    return (struct tensor_timing){interval, depth + interval};
}
