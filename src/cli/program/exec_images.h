/* The device code in a program, held against the GPU that shall run it. */
#ifndef SUBCORE_CLI_EXEC_IMAGES_H
#define SUBCORE_CLI_EXEC_IMAGES_H

#include "config/config.h"
#include "cubin/cubin.h"

/* The driver's choice for an image on a GPU of architecture `sm`. */
enum image_use { IMAGE_USELESS, IMAGE_COMPILES, IMAGE_RUNS };
enum image_use exec_image_use(const struct cubin_image *image, unsigned sm);

/* Whether the file holds a kernel: the linker of nvcc adds an image without any. PTX counts as having some. */
bool exec_images_have_kernels(const char *path, struct status *status);

/* Fails where no image with kernels suits the GPU; `compiler`: PTX can be compiled. Files without device code pass. */
bool exec_images_check(const char *path, const struct config *config, bool compiler, struct status *status);

#endif
