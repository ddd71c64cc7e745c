/* Numbers of the types that kernels take: from text, to text, at random. */
#ifndef SUBCORE_CLI_VALUE_H
#define SUBCORE_CLI_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_UNSIGNED, VALUE_SIGNED, VALUE_FLOAT };

/* X(id, kind, bytes, bits of a float's fraction, smallest normal exponent of a float) */
#define VALUE_TYPES(X)                                                                                                 \
    X(u8, UNSIGNED, 1, 0, 0)                                                                                           \
    X(i8, SIGNED, 1, 0, 0)                                                                                             \
    X(u16, UNSIGNED, 2, 0, 0)                                                                                          \
    X(i16, SIGNED, 2, 0, 0)                                                                                            \
    X(u32, UNSIGNED, 4, 0, 0)                                                                                          \
    X(i32, SIGNED, 4, 0, 0)                                                                                            \
    X(u64, UNSIGNED, 8, 0, 0)                                                                                          \
    X(i64, SIGNED, 8, 0, 0)                                                                                            \
    X(f16, FLOAT, 2, 10, -14)                                                                                          \
    X(bf16, FLOAT, 2, 7, -126)                                                                                         \
    X(f32, FLOAT, 4, 23, -126)                                                                                         \
    X(f64, FLOAT, 8, 52, -1022)

enum value_type {
#define X(id, kind, bytes, fraction, exponent) VALUE_##id,
    VALUE_TYPES(X)
#undef X
        VALUE_TYPE_COUNT
};

struct value_info {
    const char *name;
    enum value_kind kind;
    unsigned bytes;
    int fraction, exponent;
};

const struct value_info *value_info(enum value_type type);
/* VALUE_TYPE_COUNT when `length` letters of `name` are no type. */
enum value_type value_type_find(const char *name, size_t length);

/* The bit pattern of a value. Memory holds its little-endian bytes. False: not a number of the type. */
bool value_parse(enum value_type type, const char *text, uint64_t *bits);
/* The whole number `n`, wrapped around or rounded to the type. */
uint64_t value_whole(enum value_type type, uint64_t n);
/* Number `index` in the sequence of `seed`: all bits, or below `below` when that is not 0. Floats are in [0, 1). */
uint64_t value_random(enum value_type type, uint64_t seed, uint64_t index, uint64_t below);
void value_print(enum value_type type, uint64_t bits, char *out, size_t size);

#endif
