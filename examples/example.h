/* An example: one CUDA source of ours, the cubins that ptxas made of it, and a small host program
 * in C that prepares the inputs, launches, reads back and checks against a plain CPU reference.
 *
 * The host program sees a GPU only through struct example_device, so that the command line, the tests
 * and the benchmarks can each bring their own. */
#ifndef SUBCORE_EXAMPLES_EXAMPLE_H
#define SUBCORE_EXAMPLES_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct example_dim {
    uint32_t x, y, z;
};

/* A matrix of FP16 elements in device memory, row after row, and the part of it that one copy moves. Copies exchange
 * chunks of 16 bytes within 128 (the swizzle of 128 bytes). */
struct example_matrix {
    uint64_t address; /* a multiple of 16 */
    uint32_t rows, columns;
    uint32_t box_rows, box_columns; /* at most 256, and 64 */
};

enum { EXAMPLE_MAP = 128 /* bytes of a tensor map */ };

struct example_device {
    void *self;
    /* Device address of `bytes` new bytes, 256-byte aligned, zero-filled; 0 when memory is exhausted. */
    uint64_t (*alloc)(void *self, size_t bytes);
    bool (*write)(void *self, uint64_t to, const void *from, size_t bytes);
    bool (*read)(void *self, void *to, uint64_t from, size_t bytes);
    /* Runs one kernel of the example's cubin to completion. `params` is the parameter block laid out as the
     * CUDA compiler lays it out (natural alignment, declaration order), which a C struct of the same members is. */
    bool (*launch)(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                   uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes);
    /* Writes a tensor map of the matrix for kernels that copy parts of it (NULL: the device has none). */
    bool (*tensor_map)(void *self, uint8_t map[EXAMPLE_MAP], const struct example_matrix *matrix);
};

struct example_result {
    bool ok;        /* every launch ran and the check passed */
    char text[160]; /* the check, or the first error and its place: "y[17] = 3.0, expected 2.5" */
};

struct example {
    const char *name;    /* "sgemm-register" : as `subcore demo NAME` takes it */
    const char *module;  /* "sgemm" : examples/sgemm.cu, one cubin per architecture */
    const char *summary; /* one line for --list */
    struct example_result (*run)(const struct example_device *device);
};

/* The examples that have code for every architecture, or all but sm_75, in the order of --list. `*count` receives their
 * number. */
const struct example *example_list(size_t *count);
/* The same for those that need clusters of sm_90 and later, or features that Hopper alone has. */
const struct example *example_list_hopper(size_t *count);
/* The same of those that need tensor memory, which sm_100 has. */
const struct example *example_list_blackwell(size_t *count);

#endif
