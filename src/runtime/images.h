/* Images of device code that the program's host code has registered: fatbins with their kernels and variables, known
 * by the addresses of their host twins. An image is loaded when something of it is first used. Thread safe. */
#ifndef SUBCORE_RUNTIME_IMAGES_H
#define SUBCORE_RUNTIME_IMAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/abi/error.h"
#include "runtime/abi/handles.h"

struct image;

enum image_symbol { IMAGE_VARIABLE, IMAGE_FUNCTION, IMAGE_TEXTURE, IMAGE_SURFACE };

/* A texture or surface reference of an image. */
struct image_reference {
    CUmodule module;
    const char *name;
    bool fractions; /* whole numbers are read as fractions of 1 */
    size_t offset;  /* bytes from the texture's beginning to the memory that was bound last */
};

/* `wrapper` stays the caller's and must live until image_remove. NULL if there is no memory. */
struct image *image_add(void *wrapper);
/* Unloads the image, for programs that unload part of themselves. */
void image_remove(struct image *image);
/* From the exit of the process on image_remove keeps everything: destructors may still use it, and no exit waits for
 * a kernel. To be called before the program can exit, and after its images were added. */
void images_watch_exit(void);
/* Names stay the caller's. */
void image_add_function(struct image *image, const void *host, const char *name);
void image_add_variable(struct image *image, const void *host, const char *name, size_t size);
void image_add_managed(struct image *image, void **shadow, const char *name, size_t size);
void image_add_reference(struct image *image, const void *host, const char *name, enum image_symbol kind,
                         bool fractions);
/* Loads the image, and sets the shadows of its managed variables. Needs a context, as the functions below. */
cudaError_t image_load(struct image *image);

/* The kernel of a host function: cudaErrorInvalidDeviceFunction if there is none. A kernel stands for itself. */
cudaError_t images_kernel(const void *host, CUkernel *kernel);
/* Why the last kernel that was asked for could not be had: for a launch that follows without it. */
cudaError_t images_missing_kernel(void);
/* The device variable of a host variable: cudaErrorInvalidSymbol if there is none. Size in bytes. */
cudaError_t images_variable(const void *host, CUdeviceptr *address, size_t *size);
/* The reference of this kind with a host twin: cudaErrorInvalidTexture or cudaErrorInvalidSurface if there is none. */
cudaError_t images_reference(const void *host, enum image_symbol kind, struct image_reference *reference);
void images_note_offset(const void *host, size_t offset);
/* The host function of a kernel's function, NULL if no registered one. */
const void *images_host(CUfunction function);

/* The number of cudaDeviceReset so far, and one more. After it images set their managed variables anew. */
unsigned images_resets(void);
void images_count_reset(void);

#endif
