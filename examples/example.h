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
};

struct example_result {
    bool ok;        /* every launch ran and the check passed */
    char text[160]; /* what was checked, or what went wrong and where: "y[17] = 3.0, expected 2.5" */
};

struct example {
    const char *name;    /* "sgemm-register" : as `subcore demo NAME` takes it */
    const char *module;  /* "sgemm" : examples/sgemm.cu, one cubin per architecture */
    const char *summary; /* one line for --list */
    struct example_result (*run)(const struct example_device *device);
};

/* All examples, in the order of --list; `*count` receives their number. */
const struct example *example_list(size_t *count);

#endif
