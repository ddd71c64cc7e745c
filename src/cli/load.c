#include "cli/load.h"

#include <stdlib.h>

#include "cli/code/assembly.h"

/* The file's image that suits the GPU. Without timing the GPU does not matter: then it may be the newest one. */
static const struct cubin_image *select_image(const struct cubin_file *file, const struct gpu *gpu, bool functional,
                                              struct status *status)
{
    const struct cubin_image *image = cubin_file_select(file, gpu_config(gpu)->gpu.architecture, status);
    unsigned newest = 0;
    for (size_t i = 0; i < file->image_count; i++)
        if (file->images[i].kind == CUBIN_IMAGE_ELF && file->images[i].sm > newest)
            newest = file->images[i].sm;
    if (image || !functional || !newest)
        return image;
    *status = (struct status){0};
    return cubin_file_select(file, newest, status);
}

static struct exec_module *load_file(struct gpu *gpu, const char *path, bool functional, struct status *status)
{
    struct cubin_file file;
    if (!cubin_file_open(&file, path, status))
        return NULL;
    struct exec_module *module = NULL;
    const struct cubin_image *image = select_image(&file, gpu, functional, status);
    struct cubin_bytes bytes;
    uint8_t *owned = NULL;
    if (image && cubin_file_image(&file, image, &bytes, &owned, status))
        module = gpu_load(gpu, bytes, path, status);
    free(owned);
    cubin_file_close(&file);
    return module;
}

struct exec_module *load_module(struct gpu *gpu, const char *path, bool functional, struct status *status)
{
    if (!assembly_is(path))
        return load_file(gpu, path, functional, status);
    const struct asm_input input = {.arch = gpu_config(gpu)->gpu.architecture};
    struct cubin_bytes bytes = {0};
    uint8_t *cubin = NULL;
    struct exec_module *module = NULL;
    if (assembly_read(path, input, &cubin, &bytes.size, status)) {
        bytes.data = cubin;
        module = gpu_load(gpu, bytes, path, status);
    }
    free(cubin);
    return module;
}
