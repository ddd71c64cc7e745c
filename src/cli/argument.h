/* A kernel argument as --arg gives it:
 *
 *   TYPE:VALUE                       i32:5   f32:1.5   u64:0x100
 *   TYPE[COUNT]=PATTERN[>FILE]       f32[1024]=seed:1   i32[64]=zero>out.bin
 *   hex:DIGITS                       bytes as they lie in memory, for parameters that are structs
 *   null                             a null pointer
 *
 * PATTERN: zero, a constant, iota, seed:N, seed:N%M, file:PATH. */
#ifndef SUBCORE_CLI_ARGUMENT_H
#define SUBCORE_CLI_ARGUMENT_H

#include "base/status.h"
#include "cli/value.h"

enum argument_kind { ARGUMENT_SCALAR, ARGUMENT_ARRAY, ARGUMENT_BYTES, ARGUMENT_NULL };
enum argument_pattern { PATTERN_CONSTANT, PATTERN_IOTA, PATTERN_SEED, PATTERN_FILE };

struct argument {
    const char *spec; /* borrowed */
    enum argument_kind kind;
    enum value_type type;
    uint64_t count; /* elements of an array */
    enum argument_pattern pattern;
    uint64_t bits; /* scalar or constant */
    uint64_t seed, below;
    char *file, *out; /* NULL: none; owned */
    uint64_t address; /* of an array, once it is in device memory; else 0 */
    uint64_t before;  /* hash of its contents then */
};

bool argument_parse(const char *spec, struct argument *out, struct status *status);
void argument_free(struct argument *argument);

/* Bytes of the parameter. */
size_t argument_size(const struct argument *argument);
/* Bytes of an array. */
uint64_t argument_array_bytes(const struct argument *argument);

/* Writes the parameter itself, argument_size bytes. An array must have its address. */
void argument_store(const struct argument *argument, uint8_t *to);
/* Fills an array's first contents, argument_array_bytes. */
bool argument_fill(const struct argument *argument, uint8_t *to, struct status *status);
/* Element `index` of an array's contents. */
uint64_t argument_element(const struct argument *argument, const uint8_t *bytes, uint64_t index);

#endif
