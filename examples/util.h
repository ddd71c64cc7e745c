/* The part that the host programs of the examples share: deterministic inputs, and a run - a device, the memory on
 * both sides, and the first thing that went wrong. After a failure every further call on the run does
 * nothing, so a host program reads straight down. It tests run.failed before it uses host memory itself. */
#ifndef SUBCORE_EXAMPLES_UTIL_H
#define SUBCORE_EXAMPLES_UTIL_H

#include "example.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUN_BLOCKS = 32 };

struct run {
    const struct example_device *device;
    bool failed;
    char text[160];           /* why it failed */
    void *blocks[RUN_BLOCKS]; /* host memory, freed by run_finish */
    size_t block_count;
};

struct run run_start(const struct example_device *device);

/* Frees the run's host memory and turns the run into a result. The text is used when nothing failed. */
struct example_result run_finish(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Notes a failure, unless one is noted already. */
void run_fail(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed host memory that lives until run_finish. NULL, and the run failed, when there is none. */
void *run_memory(struct run *run, size_t count, size_t size);

/* New device memory that holds a copy of `from`. */
uint64_t run_upload(struct run *run, const void *from, size_t bytes);

/* New device memory for results of 4-byte words, filled with a pattern, and guard words of the same pattern
 * behind it; run_download reads the words back and fails when a guard word has changed. */
uint64_t run_output(struct run *run, size_t words);
void *run_download(struct run *run, uint64_t from, size_t words);

/* Reads device memory into memory of the caller's. */
void run_read(struct run *run, void *to, uint64_t from, size_t bytes);

/* Writes or reads one word of device memory. */
void run_write_word(struct run *run, uint64_t to, uint32_t word);
uint32_t run_read_word(struct run *run, uint64_t from);

void run_launch(struct run *run, const char *kernel, struct example_dim grid, struct example_dim block,
                const void *params, size_t param_bytes);

/* The same with shared memory that the launch gives each block. */
void run_launch_shared(struct run *run, const char *kernel, struct example_dim grid, struct example_dim block,
                       uint32_t shared_bytes, const void *params, size_t param_bytes);

/* Writes a tensor map of the matrix. */
void run_tensor_map(struct run *run, uint8_t map[EXAMPLE_MAP], const struct example_matrix *matrix);

/* The checks; all look at every element. Exact means the same bits. */
void run_check_ints(struct run *run, const char *name, const int32_t *got, const int32_t *want, size_t count);
void run_check_floats(struct run *run, const char *name, const float *got, const float *want, size_t count);

/* |got - want| <= tolerance * scale, element by element. Returns the largest |got - want| / scale. A scale
 * of zero demands equality, and NaN never passes. */
double run_check_close(struct run *run, const char *name, const float *got, const double *want, const double *scale,
                       size_t count, double tolerance);

/* The smallest number of parts, `part` each, that cover `whole`. */
uint32_t parts(uint32_t whole, uint32_t part);

/* A small generator (xorshift32): the same numbers on every machine. The seed is not zero. */
uint32_t random_next(uint32_t *state);
uint32_t random_below(uint32_t *state, uint32_t bound);
float random_unit(uint32_t *state); /* in [-1, 1), a multiple of 2^-23 */
void random_units(uint32_t *state, float *to, size_t count);
void random_eighths(uint32_t *state, float *to, size_t count); /* multiples of 1/8 from -4 to 4 */

/* The FP16 bits of a float that is exact there and not subnormal. */
uint16_t half_bits(float value);

#endif
