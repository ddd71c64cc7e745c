#include "sm/execute/engine_timing.h"

#include "base/bits.h"
#include "base/order.h"
#include "isa/matrix.h"

enum { ROW_BYTES = 32, LONG_ROW_BYTES = 48 /* of 96 4-bit elements */, TYPE_TF32 = 2 };

static uint32_t field(uint32_t descriptor, unsigned low, unsigned bits)
{
    return descriptor >> low & ((1u << bits) - 1);
}

/* Cycles of eight columns. */
static uint32_t interval_of(const struct code *code, uint32_t descriptor, const struct config_tcgen05 *c)
{
    switch (code_engine_kind(code)) {
    case ISA_ENGINE_HALF: return field(descriptor, 7, 3) == TYPE_TF32 ? c->tf32_interval : c->f16_interval;
    case ISA_ENGINE_INTEGER: return c->int8_interval;
    case ISA_ENGINE_FOUR: return c->fp4_interval;
    default: return c->fp8_interval;
    }
}

static struct engine_timing product_timing(const struct code *code, uint32_t descriptor, const struct config_tcgen05 *c)
{
    unsigned flags = code->transfer;
    bool pair = flags & CODE_ENGINE_PAIR, sparse = field(descriptor, 2, 1);
    uint32_t rows = field(descriptor, 24, 5) * 16 / (pair ? 2 : 1), columns = field(descriptor, 17, 6) * 8;
    bool halves = rows == 64 && (flags & CODE_ENGINE_STATIONARY || (pair && !sparse));
    uint32_t pieces = halves ? 2 : rows == 32 && flags & CODE_ENGINE_STATIONARY ? 4 : 1;
    bool longer = code_engine_kind(code) == ISA_ENGINE_FOUR && field(descriptor, 31, 1);
    uint32_t row_bytes = longer ? LONG_ROW_BYTES : ROW_BYTES, b = columns / (pair ? 2 : 1) * row_bytes << sparse;
    uint32_t interval = div_up32(interval_of(code, descriptor, c) * columns, 8 * pieces);
    interval += flags & CODE_ENGINE_SCALED ? c->scale_cycles : 0;
    return (struct engine_timing){
        .interval = (uint16_t)larger(interval, 1),
        .before = (uint16_t)(flags & CODE_ENGINE_A_SHARED ? div_up32(rows * row_bytes, c->port_bytes) : 0),
        .during = (uint16_t)div_up32(b, c->port_bytes),
        .latency = (uint16_t)(pair ? halves ? c->pair_half_latency : c->pair_latency : c->latency),
        .product = true};
}

struct engine_timing engine_timing(const struct code *code, uint32_t descriptor, const struct config *config)
{
    const struct config_tmem *t = &config->tmem;
    if (code_engine_kind(code) == ISA_ENGINE_COPY)
        return (struct engine_timing){
            .interval = code->interval, .during = code->interval, .latency = (uint16_t)t->copy_latency};
    if (code_engine_kind(code) == ISA_ENGINE_SHIFT)
        return (struct engine_timing){.interval = code->interval, .latency = 1};
    return product_timing(code, descriptor, &config->tcgen05);
}
