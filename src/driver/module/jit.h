/* From PTX to machine code, with compilers that NVIDIA gives away: the library nvJitLink where it is installed, else
 * ptxas as a child process. Neither needs a driver or a GPU. */
#ifndef SUBCORE_DRIVER_JIT_H
#define SUBCORE_DRIVER_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/enums.h"
#include "driver/abi/result.h"

struct jit; /* the compiler that was found, and its earlier results */

struct jit_input {
    CUjitInputType type;
    const void *data; /* PTX: text, without the zero byte at its end */
    size_t size;
    const char *name; /* for messages */
};

struct jit_options {
    int registers; /* most of a thread (0: as the compiler likes) */
    int level;     /* of optimisation, 0..4 (-1: as the compiler likes) */
    bool debug, lines, verbose;
};

struct jit_request {
    const struct jit_input *inputs;
    size_t count;
    unsigned sm;
    struct jit_options options;
};

struct jit_answer {
    uint8_t *cubin; /* owned; NULL when there is none */
    size_t size;
    char *errors, *notes; /* owned; the compiler's messages (NULL: none) */
};

struct jit *jit_create(void); /* NULL: out of memory */

/* Compiles and links, one request after the other. Without the driver's lock: compilers look for a driver and call it.
 * CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
 * CUDA_ERROR_NO_BINARY_FOR_GPU (PTX for a later architecture), CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_OUT_OF_MEMORY. All
 * but the last are explained on standard error. */
CUresult jit_run(struct jit *jit, const struct jit_request *request, struct jit_answer *answer);
void jit_answer_free(struct jit_answer *answer);

/* ---- the two compilers ------------------------------------------------------------------------------------------- */

struct nvjitlink;                       /* functions of the library */
struct nvjitlink *nvjitlink_open(void); /* NULL: not installed */
CUresult nvjitlink_run(const struct nvjitlink *library, const struct jit_request *request, struct jit_answer *answer);

char *ptxas_find(void); /* its path, owned (NULL: not installed) */
CUresult ptxas_run(const char *path, const struct jit_request *request, struct jit_answer *answer);

#endif
