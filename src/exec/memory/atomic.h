/* Atomic operations on one place in memory. */
#ifndef SUBCORE_EXEC_ATOMIC_H
#define SUBCORE_EXEC_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/memory.h"
#include "isa/isa.h"

/* CAST: a compare-and-swap that returns 1 when it has swapped, else 0. COUNT: adds one. ARRIVE: an arrival at a barrier
 * object of sm_80. */
enum atomic_function {
    ATOMIC_ADD = ISA_ATOM_ADD,
    ATOMIC_MIN = ISA_ATOM_MIN,
    ATOMIC_MAX = ISA_ATOM_MAX,
    ATOMIC_INC = ISA_ATOM_INC,
    ATOMIC_DEC = ISA_ATOM_DEC,
    ATOMIC_AND = ISA_ATOM_AND,
    ATOMIC_OR = ISA_ATOM_OR,
    ATOMIC_XOR = ISA_ATOM_XOR,
    ATOMIC_EXCHANGE = ISA_ATOM_EXCH,
    ATOMIC_COMPARE_SWAP,
    ATOMIC_CAST,
    ATOMIC_COUNT,
    ATOMIC_ARRIVE,
    ATOMIC_BAD_FUNCTION
};

/* Types: X(id, bytes of an element, elements, its kind). */
#define ATOMIC_TYPES(X)                                                                                                \
    X(U32, 4, 1, UNSIGNED)                                                                                             \
    X(S32, 4, 1, SIGNED)                                                                                               \
    X(U64, 8, 1, UNSIGNED)                                                                                             \
    X(S64, 8, 1, SIGNED)                                                                                               \
    X(B128, 16, 1, UNSIGNED)                                                                                           \
    X(F32, 4, 1, FLOAT)                                                                                                \
    X(F32X2, 4, 2, FLOAT)                                                                                              \
    X(F32X4, 4, 4, FLOAT)                                                                                              \
    X(F32_FTZ, 4, 1, FLUSHED)                                                                                          \
    X(F32X2_FTZ, 4, 2, FLUSHED)                                                                                        \
    X(F32X4_FTZ, 4, 4, FLUSHED)                                                                                        \
    X(F64, 8, 1, DOUBLE)                                                                                               \
    X(F16X2, 2, 2, HALF)                                                                                               \
    X(F16X4, 2, 4, HALF)                                                                                               \
    X(F16X8, 2, 8, HALF)                                                                                               \
    X(BF16X2, 2, 2, BFLOAT)                                                                                            \
    X(BF16X4, 2, 4, BFLOAT)                                                                                            \
    X(BF16X8, 2, 8, BFLOAT)

enum atomic_type {
#define X(id, bytes, elements, kind) ATOMIC_##id,
    ATOMIC_TYPES(X)
#undef X
        ATOMIC_BAD_TYPE
};

/* All elements together. */
unsigned atomic_bytes(enum atomic_type type);
enum atomic_function atomic_function_of(const struct isa_inst *isa);
enum atomic_type atomic_type_of(const struct isa_inst *isa);
bool atomic_supported(enum atomic_function function, enum atomic_type type);

/* Changes memory. `data` has the operand, then the result: the old value, or the result of CAST. Of a
 * compare-and-swap data[0..1] is compared and data[2..3] new. */
void atomic_apply(enum atomic_function function, enum atomic_type type, uint64_t memory[2], uint64_t data[4]);
/* Does that to `bytes` in host memory, and to those at an address in device memory. */
void atomic_at(uint8_t *at, unsigned bytes, enum atomic_function function, enum atomic_type type, uint64_t data[4]);
void atomic_operate(struct memory *memory, uint64_t address, unsigned bytes, enum atomic_function function,
                    enum atomic_type type, uint64_t data[4]);

#endif
