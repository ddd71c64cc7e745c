/* The part that the host programs of the workloads share beside examples/util.h. */
#ifndef SUBCORE_VALIDATE_KERNELS_HOST_H
#define SUBCORE_VALIDATE_KERNELS_HOST_H

#include "examples/util.h"
#include "workload.h"

enum { HOST_SMALL_CTAS = 16 };

/* The CTAs of a size: a few, one for each SM, or `fit` for each. */
uint32_t host_ctas(const struct workload_scale *scale, uint32_t fit);

/* The same as a plane of `x` times `y` CTAs. */
struct example_dim host_plane(const struct workload_scale *scale, uint32_t fit);

/* Launches `ctas` in a row, of `threads` in a row. */
void host_launch(struct run *run, const char *kernel, uint32_t ctas, uint32_t threads, const void *params,
                 size_t param_bytes);

/* Host memory filled with random_units. NULL when the run has failed. */
float *host_units(struct run *run, uint32_t *seed, size_t count);

/* Reads `bytes` of device memory into new host memory. */
void *host_read(struct run *run, uint64_t from, size_t bytes);

/* Square matrices that the device factors in place. */
struct host_factors {
    float *want, *got;
    size_t count;    /* elements of all matrices */
    uint64_t matrix; /* on the device: the matrices, and later their factors */
};

/* Makes `batch` matrices of n x n, each with its factors, by `make`. False: the run has failed. */
bool host_factors_start(struct run *run, struct host_factors *f, uint32_t batch, uint32_t n, uint32_t seed,
                        void (*make)(uint32_t *seed, float *matrix, float *factors));

/* |got - want| <= tolerance for each element. */
void host_check_near(struct run *run, const char *name, const float *got, const double *want, size_t count,
                     double tolerance);
void host_check_doubles(struct run *run, const char *name, const double *got, const double *want, size_t count,
                        double tolerance);

/* A coordinate kept in 0..end-1. */
size_t host_clamp(ptrdiff_t at, size_t end);

#endif
