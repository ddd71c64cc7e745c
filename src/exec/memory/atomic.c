#include "exec/memory/atomic.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "exec/arithmetic/half.h"

enum kind { KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT, KIND_FLUSHED, KIND_DOUBLE, KIND_HALF, KIND_BFLOAT };

static const struct {
    uint8_t bytes, elements, kind;
} types[] = {
#define X(id, bytes, elements, kind) {bytes, elements, KIND_##kind},
    ATOMIC_TYPES(X)
#undef X
};

unsigned atomic_bytes(enum atomic_type type) { return (unsigned)types[type].bytes * types[type].elements; }

/* ---- one element ------------------------------------------------------------------------------------------------- */

static uint32_t flushed(uint32_t f) { return (f & 0x7f800000) == 0 ? f & 0x80000000 : f; }

static uint32_t add_floats(uint32_t a, uint32_t b)
{
    float sum = float_of(a) + float_of(b);
    return isnan(sum) ? UINT32_C(0x7fffffff) : float_bits(sum);
}

static uint64_t add_doubles(uint64_t a, uint64_t b)
{
    double sum = double_of(a) + double_of(b);
    return isnan(sum) ? UINT64_C(0x7fffffffffffffff) : double_bits(sum);
}

/* A float has more than twice the digits of the two formats, so that rounding twice does no harm. */
static uint32_t widened(enum kind kind, uint64_t h)
{
    return kind == KIND_HALF ? half_to_float((uint32_t)h) : bf16_to_float((uint32_t)h);
}

static uint64_t add_halves(enum kind kind, uint64_t a, uint64_t b)
{
    uint32_t sum = float_bits(float_of(widened(kind, a)) + float_of(widened(kind, b)));
    return kind == KIND_HALF ? half_from_float(sum) : bf16_from_float(sum);
}

static uint64_t add(enum kind kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case KIND_FLOAT: return add_floats((uint32_t)a, (uint32_t)b);
    case KIND_FLUSHED: return flushed(add_floats(flushed((uint32_t)a), flushed((uint32_t)b)));
    case KIND_DOUBLE: return add_doubles(a, b);
    case KIND_HALF:
    case KIND_BFLOAT: return add_halves(kind, a, b);
    case KIND_UNSIGNED:
    case KIND_SIGNED: break;
    }
    return a + b;
}

/* -0 is less than +0. A NaN loses, and two of them give the canonical one. */
static uint64_t pick_half(enum kind kind, bool greater, uint64_t a, uint64_t b)
{
    float x = float_of(widened(kind, a)), y = float_of(widened(kind, b));
    if (isnan(x) || isnan(y))
        return !isnan(x) ? a : !isnan(y) ? b : HALF_NAN;
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    return less != greater ? a : b;
}

static uint64_t pick(enum kind kind, unsigned bytes, bool greater, uint64_t a, uint64_t b)
{
    if (kind == KIND_HALF || kind == KIND_BFLOAT)
        return pick_half(kind, greater, a, b);
    bool less = a < b;
    if (kind == KIND_SIGNED)
        less = bytes == 4 ? (int32_t)(uint32_t)a < (int32_t)(uint32_t)b : (int64_t)a < (int64_t)b;
    return less != greater ? a : b;
}

/* INC and DEC count within 0..bound. */
static uint64_t increment(uint64_t old, uint64_t bound) { return old >= bound ? 0 : old + 1; }

static uint64_t decrement(uint64_t old, uint64_t bound) { return old == 0 || old > bound ? bound : old - 1; }

/* {expected, pending}: the lower word is 2^30 less the threads expected, the upper counts up from 2^31 less that
 * number. Its last bit is the phase, which the last arrival turns over. */
static uint64_t arrive(uint64_t old)
{
    uint32_t reload = (uint32_t)old + UINT32_C(0x40000000), count = (uint32_t)(old >> 32) + 1;
    if ((count & 0x7fffffff) == 0)
        count += reload & 0x7fffffff;
    return (uint64_t)count << 32 | (uint32_t)old;
}

static uint64_t element(enum atomic_function function, enum kind kind, unsigned bytes, uint64_t old, uint64_t operand)
{
    switch (function) {
    case ATOMIC_ADD: return add(kind, old, operand);
    case ATOMIC_MIN: return pick(kind, bytes, false, old, operand);
    case ATOMIC_MAX: return pick(kind, bytes, true, old, operand);
    case ATOMIC_INC: return increment(old, operand);
    case ATOMIC_DEC: return decrement(old, operand);
    case ATOMIC_AND: return old & operand;
    case ATOMIC_OR: return old | operand;
    case ATOMIC_XOR: return old ^ operand;
    case ATOMIC_EXCHANGE: return operand;
    case ATOMIC_COUNT: return old + 1;
    case ATOMIC_ARRIVE: return arrive(old);
    case ATOMIC_COMPARE_SWAP:
    case ATOMIC_CAST:
    case ATOMIC_BAD_FUNCTION: break;
    }
    return old;
}

/* An element with 2, 4 or 8 bytes, `at` bytes from the begin. Shifts cost less than a memcpy with a variable length. */
static uint64_t take_element(const uint64_t words[2], unsigned at, unsigned bytes)
{
    return words[at / 8] >> at % 8 * 8 & UINT64_MAX >> (64 - 8 * bytes);
}

static void put_element(uint64_t words[2], unsigned at, unsigned bytes, uint64_t value)
{
    uint64_t mask = (UINT64_MAX >> (64 - 8 * bytes)) << at % 8 * 8;
    words[at / 8] = (words[at / 8] & ~mask) | (value << at % 8 * 8 & mask);
}

/* ---- the place ------------------------------------------------------------------------------------------------- */

static void compare_swap(enum atomic_function function, unsigned bytes, uint64_t memory[2], uint64_t data[4])
{
    bool equal = memcmp(memory, data, bytes) == 0;
    uint64_t old[2];
    memcpy(old, memory, sizeof old);
    if (equal)
        memcpy(memory, data + 2, bytes);
    memcpy(data, old, sizeof old);
    if (function == ATOMIC_CAST) {
        data[0] = equal;
        data[1] = 0;
    }
}

/* One element with at most 64 bits, which is the usual case. Returns the new value. `data` gets the old one, or the
 * answer to CAST. */
static uint64_t apply_one(enum atomic_function function, enum atomic_type type, uint64_t old, uint64_t data[4])
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * types[type].bytes), operand = data[0] & mask, result;
    old &= mask;
    data[0] = old;
    data[1] = 0;
    if (function == ATOMIC_COMPARE_SWAP || function == ATOMIC_CAST) {
        result = old == operand ? data[2] & mask : old;
        if (function == ATOMIC_CAST)
            data[0] = old == operand;
    } else {
        result = function == ATOMIC_EXCHANGE ? operand
                                             : element(function, types[type].kind, types[type].bytes, old, operand);
    }
    return result & mask;
}

static bool is_one(enum atomic_type type) { return types[type].elements == 1 && types[type].bytes <= 8; }

void atomic_apply(enum atomic_function function, enum atomic_type type, uint64_t memory[2], uint64_t data[4])
{
    unsigned bytes = types[type].bytes;
    if (is_one(type)) {
        memory[0] = apply_one(function, type, memory[0], data);
        return;
    }
    if (function == ATOMIC_COMPARE_SWAP || function == ATOMIC_CAST) {
        compare_swap(function, atomic_bytes(type), memory, data);
        return;
    }
    uint64_t operand[2], old[2];
    memcpy(operand, data, sizeof operand);
    memcpy(old, memory, sizeof old);
    if (function == ATOMIC_EXCHANGE) {
        memcpy(memory, operand, sizeof operand);
    } else {
        for (unsigned at = 0; at < atomic_bytes(type); at += bytes) {
            uint64_t a = take_element(old, at, bytes), b = take_element(operand, at, bytes);
            put_element(memory, at, bytes, element(function, types[type].kind, bytes, a, b));
        }
    }
    memcpy(data, old, sizeof old);
}

/* ---- meaning of an instruction's fields -------------------------------------------------------------------------- */

enum atomic_function atomic_function_of(const struct isa_inst *isa)
{
    unsigned code = isa->mod[ISA_MOD_FUNCTION];
    switch (code) {
    case ISA_ATOM_FORM_CAS: return ATOMIC_COMPARE_SWAP;
    case ISA_ATOM_FORM_CAST: return ATOMIC_CAST;
    case ISA_ATOM_FORM_POPC_INC: return isa->d.index == ISA_RZ ? ATOMIC_COUNT : ATOMIC_BAD_FUNCTION;
    case ISA_ATOM_FORM_ARRIVE: return ATOMIC_ARRIVE;
    default: break;
    }
    if (isa->op == ISA_OP_ATOMG_CAS)
        return ATOMIC_COMPARE_SWAP;
    return code <= ATOMIC_EXCHANGE ? (enum atomic_function)code : ATOMIC_BAD_FUNCTION;
}

enum atomic_type atomic_type_of(const struct isa_inst *isa)
{
    static const uint8_t by_code[] = {
        [ISA_ATOM_TYPE_U32] = ATOMIC_U32,
        [ISA_ATOM_TYPE_S32] = ATOMIC_S32,
        [ISA_ATOM_TYPE_64] = ATOMIC_U64,
        [ISA_ATOM_TYPE_F32_FTZ_RN] = ATOMIC_F32_FTZ,
        [ISA_ATOM_TYPE_F16X2_RN] = ATOMIC_F16X2,
        [ISA_ATOM_TYPE_S64] = ATOMIC_S64,
        [ISA_ATOM_TYPE_F64_RN] = ATOMIC_F64,
        [ISA_ATOM_TYPE_128] = ATOMIC_B128,
        [ISA_ATOM_TYPE_F32_RN] = ATOMIC_F32,
        [ISA_ATOM_TYPE_BF16X2_RN] = ATOMIC_BF16X2,
        [ISA_ATOM_TYPE_F16X4_RN] = ATOMIC_F16X4,
        [ISA_ATOM_TYPE_F16X8_RN] = ATOMIC_F16X8,
        [ISA_ATOM_TYPE_BF16X4_RN] = ATOMIC_BF16X4,
        [ISA_ATOM_TYPE_BF16X8_RN] = ATOMIC_BF16X8,
        [ISA_ATOM_TYPE_F32X2_RN] = ATOMIC_F32X2,
        [ISA_ATOM_TYPE_F32X4_RN] = ATOMIC_F32X4,
        [ISA_ATOM_TYPE_F32X2_FTZ_RN] = ATOMIC_F32X2_FTZ,
        [ISA_ATOM_TYPE_F32X4_FTZ_RN] = ATOMIC_F32X4_FTZ,
    };
    unsigned code = isa->mod[ISA_MOD_ATOM_TYPE];
    return code < sizeof by_code ? (enum atomic_type)by_code[code] : ATOMIC_BAD_TYPE;
}

bool atomic_supported(enum atomic_function function, enum atomic_type type)
{
    if (function == ATOMIC_BAD_FUNCTION || type == ATOMIC_BAD_TYPE)
        return false;
    bool swaps = function == ATOMIC_EXCHANGE || function == ATOMIC_COMPARE_SWAP || function == ATOMIC_CAST;
    switch ((enum kind)types[type].kind) {
    case KIND_UNSIGNED:
    case KIND_SIGNED: return type != ATOMIC_B128 || swaps;
    case KIND_FLOAT:
    case KIND_FLUSHED:
    case KIND_DOUBLE: return function == ATOMIC_ADD;
    case KIND_HALF:
    case KIND_BFLOAT: return function <= ATOMIC_MAX;
    }
    return false;
}

void atomic_at(uint8_t *at, unsigned bytes, enum atomic_function function, enum atomic_type type, uint64_t data[4])
{
    if (bytes == sizeof(uint32_t) && is_one(type)) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        word = (uint32_t)apply_one(function, type, word, data);
        memcpy(at, &word, sizeof word);
        return;
    }
    uint64_t value[2] = {0};
    memcpy(value, at, bytes);
    atomic_apply(function, type, value, data);
    memcpy(at, value, bytes);
}

void atomic_operate(struct memory *memory, uint64_t address, unsigned bytes, enum atomic_function function,
                    enum atomic_type type, uint64_t data[4])
{
    atomic_at(memory_at(memory, address), bytes, function, type, data);
}
