/* Atomic operations on one value in memory. */
#ifndef SUBCORE_EXEC_ATOMIC_H
#define SUBCORE_EXEC_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

// clang-format off
/* CAST: a compare-and-swap that returns 1 when it has swapped, else 0. COUNT: adds one. */
enum atomic_function {
    ATOMIC_ADD, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_INC, ATOMIC_DEC, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_EXCHANGE,
    ATOMIC_COMPARE_SWAP, ATOMIC_CAST, ATOMIC_COUNT, ATOMIC_BAD_FUNCTION
};

enum atomic_type {
    ATOMIC_U32, ATOMIC_S32, ATOMIC_U64, ATOMIC_S64, ATOMIC_F32, ATOMIC_F32_FTZ, ATOMIC_F64, ATOMIC_BAD_TYPE
};
// clang-format on

static inline unsigned atomic_bytes(enum atomic_type type)
{
    return type == ATOMIC_U64 || type == ATOMIC_S64 || type == ATOMIC_F64 ? 8 : 4;
}

enum atomic_function atomic_function_of(const struct isa_inst *isa);
enum atomic_type atomic_type_of(const struct isa_inst *isa);
bool atomic_supported(enum atomic_function function, enum atomic_type type);

/* The value that memory holds afterwards. `other` is the new value of a compare-and-swap. */
uint64_t atomic_result(enum atomic_function function, enum atomic_type type, uint64_t old, uint64_t operand,
                       uint64_t other);

#endif
