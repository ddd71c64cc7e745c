/* Micro-benchmarks: kernels of ours that measure a GPU's memory system from outside, and the host side that prepares
 * their inputs, launches them and makes one table of each.
 *
 * The host side sees a GPU only through struct measure_device, so that `subcore measure` and a program on a real GPU
 * (validate/hw) share everything but that: the same machine code, the same tables. */
#ifndef SUBCORE_MEASURE_MEASURE_H
#define SUBCORE_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEASURE_COLUMNS = 10, MEASURE_TEXT = 48, MEASURE_BLOCKS = 16 };

/* The facts of the GPU that the host side has to know. */
struct measure_gpu {
    char name[64];         /* as `subcore gpus` lists it, for reference numbers */
    unsigned architecture; /* 86 of sm_86 */
    unsigned sms;
    double clock;       /* MHz of the SMs */
    double dram;        /* GB/s of the pins (0: unknown) */
    uint64_t memory;    /* bytes */
    uint64_t l2;        /* bytes */
    uint64_t l1;        /* bytes of L1 and shared memory together */
    unsigned warps;     /* that an SM holds */
    const uint8_t *gpc; /* of each SM (NULL: unknown) */
    bool cold;          /* each launch begins with empty caches, and the clocks of all SMs agree */
};

struct measure_device {
    void *self;
    struct measure_gpu gpu;
    uint64_t (*alloc)(void *self, uint64_t bytes); /* zero-filled, at least 256-byte aligned (0: no memory) */
    void (*release)(void *self, uint64_t address);
    bool (*write)(void *self, uint64_t to, const void *from, uint64_t bytes);
    bool (*read)(void *self, void *to, uint64_t from, uint64_t bytes);
    /* Runs one kernel to its end. `parameters` is laid out as the CUDA compiler does. */
    bool (*launch)(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                   const void *parameters, size_t parameter_bytes);
    /* Launches a kernel without parameters so often, each right behind the one before. `ns`: from before the first to
     * after the last. */
    bool (*repeat)(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned launches, double *ns);
};

/* ---- results ----------------------------------------------------------------------------------------------------- */

struct measure_column {
    const char *name;
    int decimals;
};

struct measure_row {
    char label[MEASURE_TEXT];
    double cell[MEASURE_COLUMNS]; /* NaN: empty */
};

/* A number that can be compared with one measured elsewhere. */
struct measure_value {
    char name[MEASURE_TEXT]; /* "chase.l2" */
    double value;
};

enum measure_scale { SCALE_LINEAR, SCALE_LOG };

/* How a table is drawn: its columns from the second on against the first, or bars for rows that have labels. */
struct measure_plot {
    const char *x, *y; /* titles of the axes */
    enum measure_scale x_scale, y_scale;
    unsigned first;        /* column drawn first (0: the one after x, or of rows with labels the first) */
    unsigned series;       /* columns drawn (0: all from there) */
    const char *across[6]; /* values of references drawn as lines at this y. NULL ends */
    const char *down[4];   /* and of this x */
};

struct measure_run;

struct measure {
    const char *name, *title, *about;
    const char *label; /* heading of the rows' labels (NULL: they have none) */
    struct measure_column column[MEASURE_COLUMNS];
    unsigned columns;
    unsigned keys; /* first columns that tell rows apart, beside the label (0: the first one where there is no label) */
    struct measure_plot plot;
    void (*run)(struct measure_run *run);
};

/* All, in the order of --list. */
const struct measure *const *measure_list(size_t *count);

struct measure_run {
    const struct measure *measure;
    const struct measure_device *device;
    bool quick; /* fewer points, none of the slow ones */
    bool failed;
    char error[160];
    struct measure_row *row;
    size_t rows, row_room;
    struct measure_value *value;
    size_t values, value_room;
    uint64_t block[MEASURE_BLOCKS]; /* device memory, released at the end */
    unsigned blocks;
};

/* False: it failed, and error says why. Free the run in any case. */
bool measure_run(struct measure_run *run, const struct measure *measure, const struct measure_device *device,
                 bool quick);
void measure_run_free(struct measure_run *run);

#endif
