#include "exec/atomic.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static float as_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static uint64_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return isnan(f) ? UINT32_C(0x7fffffff) : bits;
}

static float flush(float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0.0f, f) : f; }

static uint64_t add_doubles(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? UINT64_C(0x7fffffffffffffff) : bits;
}

static uint64_t add(enum atomic_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case ATOMIC_F32: return float_bits(as_float(a) + as_float(b));
    case ATOMIC_F32_FTZ: return float_bits(flush(flush(as_float(a)) + flush(as_float(b))));
    case ATOMIC_F64: return add_doubles(a, b);
    default: return a + b;
    }
}

static bool less(enum atomic_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case ATOMIC_S32: return (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
    case ATOMIC_S64: return (int64_t)a < (int64_t)b;
    case ATOMIC_U64: return a < b;
    default: return (uint32_t)a < (uint32_t)b;
    }
}

/* INC and DEC count within 0..bound. */
static uint64_t increment(uint64_t old, uint64_t bound) { return old >= bound ? 0 : old + 1; }

static uint64_t decrement(uint64_t old, uint64_t bound) { return old == 0 || old > bound ? bound : old - 1; }

static uint64_t narrow(enum atomic_type type, uint64_t value)
{
    return atomic_bytes(type) == 8 ? value : (uint32_t)value;
}

uint64_t atomic_result(enum atomic_function function, enum atomic_type type, uint64_t old, uint64_t operand,
                       uint64_t other)
{
    old = narrow(type, old);
    operand = narrow(type, operand);
    switch (function) {
    case ATOMIC_ADD: return narrow(type, add(type, old, operand));
    case ATOMIC_MIN: return less(type, operand, old) ? operand : old;
    case ATOMIC_MAX: return less(type, old, operand) ? operand : old;
    case ATOMIC_INC: return increment(old, operand);
    case ATOMIC_DEC: return decrement(old, operand);
    case ATOMIC_AND: return old & operand;
    case ATOMIC_OR: return old | operand;
    case ATOMIC_XOR: return old ^ operand;
    case ATOMIC_EXCHANGE: return operand;
    case ATOMIC_COUNT: return narrow(type, old + 1);
    case ATOMIC_COMPARE_SWAP:
    case ATOMIC_CAST: return old == operand ? narrow(type, other) : old;
    case ATOMIC_BAD_FUNCTION: break;
    }
    return old;
}

/* ---- what the fields of an instruction mean -------------------------------------------------------------------- */

enum atomic_function atomic_function_of(const struct isa_inst *isa)
{
    enum { CAS = 16, CAST = 17, POPC_INC = 18 };
    unsigned code = isa->mod[ISA_MOD_FUNCTION];
    if (isa->op == ISA_OP_ATOMG_CAS || (isa->op == ISA_OP_ATOMS && code == CAS))
        return ATOMIC_COMPARE_SWAP;
    if (isa->op == ISA_OP_ATOMS && code == CAST)
        return ATOMIC_CAST;
    if (isa->op == ISA_OP_ATOMS && code == POPC_INC && isa->d.index == ISA_RZ)
        return ATOMIC_COUNT;
    return code <= ATOMIC_EXCHANGE ? (enum atomic_function)code : ATOMIC_BAD_FUNCTION;
}

enum atomic_type atomic_type_of(const struct isa_inst *isa)
{
    static const uint8_t types[] = {ATOMIC_U32, ATOMIC_S32, ATOMIC_U64,      ATOMIC_F32_FTZ, ATOMIC_BAD_TYPE,
                                    ATOMIC_S64, ATOMIC_F64, ATOMIC_BAD_TYPE, ATOMIC_F32};
    unsigned code = isa->mod[ISA_MOD_ATOM_TYPE];
    return code < sizeof types ? (enum atomic_type)types[code] : ATOMIC_BAD_TYPE;
}

bool atomic_supported(enum atomic_function function, enum atomic_type type)
{
    bool floating = type == ATOMIC_F32 || type == ATOMIC_F32_FTZ || type == ATOMIC_F64;
    return function != ATOMIC_BAD_FUNCTION && type != ATOMIC_BAD_TYPE && (!floating || function == ATOMIC_ADD);
}
