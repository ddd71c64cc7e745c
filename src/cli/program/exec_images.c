#include "cli/program/exec_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin/fatbin.h"

enum image_use exec_image_use(const struct cubin_image *image, unsigned sm)
{
    bool major = image->sm / 10 == sm / 10, ptx = image->kind == CUBIN_IMAGE_PTX;
    if ((!ptx && image->kind != CUBIN_IMAGE_ELF) || image->sm > sm)
        return IMAGE_USELESS;
    if ((image->flags & FATBIN_ARCHITECTURE) && image->sm != sm)
        return IMAGE_USELESS;
    if (!major && (!ptx || (image->flags & FATBIN_FAMILY)))
        return IMAGE_USELESS;
    return ptx ? IMAGE_COMPILES : IMAGE_RUNS;
}

/* The driver judges files that cannot be read here. */
static bool has_kernels(const struct cubin_file *file, const struct cubin_image *image)
{
    struct status ignored = {0};
    struct cubin_bytes bytes;
    struct cubin cubin;
    uint8_t *owned = NULL;
    bool some = true;
    if (image->kind == CUBIN_IMAGE_PTX)
        return true;
    if (image->kind != CUBIN_IMAGE_ELF || !cubin_file_image(file, image, &bytes, &owned, &ignored))
        return false;
    if (cubin_open(&cubin, bytes, file->path, &ignored)) {
        some = cubin.kernel_count > 0;
        cubin_close(&cubin);
    }
    free(owned);
    return some;
}

bool exec_images_have_kernels(const char *path, struct status *status)
{
    struct cubin_file file;
    bool some = false;
    if (!cubin_file_open(&file, path, status))
        return false;
    for (size_t i = 0; i < file.image_count && !some; i++)
        some = has_kernels(&file, &file.images[i]);
    cubin_file_close(&file);
    return some;
}

static void add_word(char *list, size_t size, const char *word)
{
    size_t used = strlen(list);
    const char *found = strstr(list, word);
    size_t length = strlen(word);
    bool known = found && (found == list || found[-1] == ' ') && (found[length] == ',' || found[length] == '\0');
    if (!known && used + length + 3 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

static void add_image(char *list, size_t size, const struct cubin_image *image)
{
    char word[48];
    const char *letter = image->flags & FATBIN_ARCHITECTURE ? "a" : image->flags & FATBIN_FAMILY ? "f" : "";
    snprintf(word, sizeof word, image->kind == CUBIN_IMAGE_PTX ? "PTX of compute_%u%s" : "sm_%u%s", image->sm % 1000,
             letter);
    add_word(list, size, word);
}

static bool fail(const char *path, const struct config *config, const char *has, enum image_use best,
                 struct status *status)
{
    unsigned sm = config->gpu.architecture;
    if (best == IMAGE_COMPILES)
        return status_fail(
            status, STATUS_UNSUPPORTED,
            "%.120s: for the sm_%u of %s it has PTX only, and neither libnvJitLink.so.13 nor ptxas is "
            "here to compile that: install one (LD_LIBRARY_PATH, PATH or CUDA_HOME tell where), or build "
            "with: nvcc -cudart shared -gencode arch=compute_%u,code=sm_%u",
            path, sm, config->gpu.name, sm, sm);
    return status_fail(status, STATUS_UNSUPPORTED,
                       "%.120s: no code that runs on the sm_%u of %s. It has %s. Build with: nvcc -cudart shared "
                       "-gencode arch=compute_%u,code=sm_%u",
                       path, sm, config->gpu.name, has, sm, sm);
}

bool exec_images_check(const char *path, const struct config *config, bool compiler, struct status *status)
{
    struct cubin_file file;
    struct status ignored = {0};
    char has[160] = "";
    enum image_use best = IMAGE_USELESS;
    if (!cubin_file_open(&file, path, &ignored))
        return true;
    for (size_t i = 0; i < file.image_count; i++) {
        const struct cubin_image *image = &file.images[i];
        if (!has_kernels(&file, image))
            continue;
        enum image_use use = exec_image_use(image, config->gpu.architecture);
        best = use > best ? use : best;
        add_image(has, sizeof has, image);
    }
    cubin_file_close(&file);
    if (has[0] == '\0' || best == IMAGE_RUNS || (best == IMAGE_COMPILES && compiler))
        return true;
    return fail(path, config, has, best, status);
}
