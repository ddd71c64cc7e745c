/* From a program's image to a cubin: choice of the image, unpacking, PTX compilation. */
#ifndef SUBCORE_DRIVER_LOAD_H
#define SUBCORE_DRIVER_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "cubin/code.h"
#include "driver/module/jit.h"
#include "driver/state/driver.h"

/* The options that a program passes in two arrays, and where it wants its answers. */
struct jit_settings {
    struct jit_options options;
    char *notes, *errors;             /* buffers of the program (NULL: none) */
    size_t notes_size, errors_size;   /* bytes */
    void **notes_used, **errors_used; /* where the bytes used are written, as numbers (NULL: nowhere) */
    void **wall_time;                 /* milliseconds, as a float in the first bytes */
};

/* CUDA_ERROR_INVALID_VALUE when there are no arrays for the options, or an option does not exist. Options that change
 * nothing here are taken and forgotten. */
CUresult jit_settings_read(struct jit_settings *settings, unsigned count, const CUjit_option *options, void **values);
void jit_settings_answer(const struct jit_settings *settings, const struct jit_answer *answer, double milliseconds);

/* A cubin that can be loaded. */
struct image {
    uint8_t *bytes; /* owned */
    size_t size;
    unsigned compiled_for; /* virtual architecture of the PTX that was compiled now (0: it came as machine code) */
    char name[128];        /* for messages */
};

void image_drop(struct image *image);
/* CUDA_ERROR_NO_BINARY_FOR_GPU for code of another architecture, CUDA_ERROR_INVALID_IMAGE for an image that cannot
 * be loaded. */
CUresult image_check(const struct driver *driver, const struct image *image);

/* Reads a file, with a zero byte behind its last: CUDA_ERROR_FILE_NOT_FOUND, CUDA_ERROR_INVALID_IMAGE. */
CUresult load_file(const char *path, struct file_bytes *out);

/* Chooses among the images at an address of the program, as the driver does (cubin/code.h) and CUDA_FORCE_PTX_JIT
 * and CUDA_DISABLE_PTX_JIT ask for: CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_IMAGE. Says nothing. The reason
 * is in the status. */
CUresult load_choose(const struct driver *driver, const void *data, struct cubin_code *code, struct status *status);
/* The same of a file's bytes, behind which stands a zero byte. */
CUresult load_choose_bytes(const struct driver *driver, const uint8_t *bytes, size_t size, struct cubin_code *code,
                           struct status *status);
/* As jit_run, with the lock released meanwhile: look up handles afterwards. */
CUresult load_compile(struct driver *driver, const struct jit_request *request, struct jit_answer *answer);

/* The cubin of a chosen image, by way of load_compile when it is PTX. Prints reasons on standard error. */
CUresult load_image(struct driver *driver, const struct cubin_code *code, const struct jit_settings *settings,
                    const char *name, struct image *image);

#endif
