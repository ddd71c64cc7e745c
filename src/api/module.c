/* Code: files, kernels, variables. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "exec/code/relocate.h"

/* ---- loading ----------------------------------------------------------------------------------------------------- */

/* The image of a container that this GPU would take (NULL: none). */
static const struct cubin_image *choose(const struct cubin_file *file, uint32_t container, unsigned sm)
{
    const struct cubin_image *best = NULL;
    for (size_t i = 0; i < file->image_count; i++) {
        const struct cubin_image *image = &file->images[i];
        if (image->container != container || image->kind != CUBIN_IMAGE_ELF || image->sm / 10 != sm / 10 ||
            image->sm > sm || (best && image->sm <= best->sm))
            continue;
        best = image;
    }
    return best;
}

static bool load_image(struct subcore_module *module, const struct cubin_file *file, const struct cubin_image *image,
                       struct status *status)
{
    struct cubin_bytes bytes;
    uint8_t *owned = NULL;
    struct exec_module **grown = realloc(module->images, (module->image_count + 1) * sizeof *grown);
    if (!grown)
        return status_fail(status, STATUS_MEMORY, "%s: out of memory", file->path);
    module->images = grown;
    if (!cubin_file_image(file, image, &bytes, &owned, status))
        return false;
    struct exec_module *code = gpu_load(module->gpu->gpu, bytes, file->path, status);
    free(owned);
    if (code)
        module->images[module->image_count++] = code;
    return code != NULL;
}

static bool load_images(struct subcore_module *module, const struct cubin_file *file, struct status *status)
{
    unsigned sm = gpu_config(module->gpu->gpu)->gpu.architecture;
    uint32_t containers = 0;
    if (!cubin_file_select(file, sm, status))
        return false;
    for (size_t i = 0; i < file->image_count; i++)
        containers = file->images[i].container >= containers ? file->images[i].container + 1 : containers;
    for (uint32_t c = 0; c < containers; c++) {
        const struct cubin_image *image = choose(file, c, sm);
        if (image && !load_image(module, file, image, status))
            return false;
    }
    return true;
}

static bool list_kernels(struct subcore_module *module, struct status *status)
{
    size_t count = 0;
    for (size_t i = 0; i < module->image_count; i++)
        count += module->images[i]->cubin.kernel_count;
    module->kernels = calloc(count + 1, sizeof *module->kernels);
    if (!module->kernels)
        return status_fail(status, STATUS_MEMORY, "out of memory for %zu kernels", count);
    for (size_t i = 0; i < module->image_count; i++)
        for (size_t k = 0; k < module->images[i]->cubin.kernel_count; k++)
            module->kernels[module->kernel_count++] =
                (struct subcore_kernel){module->images[i], &module->images[i]->cubin.kernels[k]};
    return true;
}

static void destroy(struct subcore_module *module)
{
    for (size_t i = 0; i < module->image_count; i++)
        gpu_unload(module->gpu->gpu, module->images[i]);
    free(module->images);
    free(module->kernels);
    free(module);
}

static struct subcore_module *load_file(struct subcore_gpu *gpu, const struct cubin_file *file,
                                        struct subcore_error *error)
{
    struct status status = {0};
    struct subcore_module *module = calloc(1, sizeof *module);
    if (!module) {
        api_fail(error, SUBCORE_MEMORY, "%s: out of memory", file->path);
        return NULL;
    }
    module->gpu = gpu;
    if (load_images(module, file, &status) && list_kernels(module, &status)) {
        module->next = gpu->modules;
        gpu->modules = module;
        return module;
    }
    api_fail_status(error, &status);
    destroy(module);
    return NULL;
}

struct subcore_module *subcore_load_file(struct subcore_gpu *gpu, const char *path, struct subcore_error *error)
{
    struct cubin_file file;
    struct status status = {0};
    if (!cubin_file_open(&file, path, &status)) {
        api_fail_status(error, &status);
        return NULL;
    }
    struct subcore_module *module = load_file(gpu, &file, error);
    cubin_file_close(&file);
    return module;
}

struct subcore_module *subcore_load(struct subcore_gpu *gpu, const void *image, size_t bytes, const char *name,
                                    struct subcore_error *error)
{
    struct cubin_file file;
    struct status status = {0};
    const struct cubin_bytes whole = {image, bytes};
    if (!cubin_file_open_bytes(&file, whole, name ? name : "image", &status)) {
        api_fail_status(error, &status);
        return NULL;
    }
    struct subcore_module *module = load_file(gpu, &file, error);
    cubin_file_close(&file);
    return module;
}

void subcore_unload(struct subcore_gpu *gpu, struct subcore_module *module)
{
    for (struct subcore_module **link = &gpu->modules; *link; link = &(*link)->next) {
        if (*link != module)
            continue;
        *link = module->next;
        destroy(module);
        return;
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

const struct subcore_kernel *subcore_kernel(struct subcore_module *module, const char *name,
                                            struct subcore_error *error)
{
    struct status first = {0};
    for (size_t i = 0; i < module->image_count; i++) {
        struct status status = {0};
        const struct cubin_kernel *found = cubin_find_kernel(&module->images[i]->cubin, name, &status);
        for (size_t k = 0; found && k < module->kernel_count; k++)
            if (module->kernels[k].cubin == found)
                return &module->kernels[k];
        if (!first.code)
            first = status;
    }
    if (first.code)
        api_fail(error, SUBCORE_ARGUMENT, "%s", first.text);
    else
        api_fail(error, SUBCORE_ARGUMENT, "subcore_kernel: the module has no code, and no kernel %s", name);
    return NULL;
}

const struct subcore_kernel *subcore_kernel_at(struct subcore_module *module, size_t index)
{
    return index < module->kernel_count ? &module->kernels[index] : NULL;
}

static uint32_t bound(const struct cubin_kernel *k)
{
    uint32_t threads = k->max_threads[0];
    for (unsigned axis = 1; axis < 3; axis++)
        threads *= k->max_threads[axis] ? k->max_threads[axis] : 1;
    return threads;
}

void subcore_kernel_facts(const struct subcore_kernel *kernel, struct subcore_kernel_facts *facts)
{
    const struct cubin_kernel *k = kernel->cubin;
    *facts = (struct subcore_kernel_facts){
        .name = k->name,
        .architecture = kernel->code->sm,
        .registers = k->registers,
        .shared_bytes = k->static_shared_bytes,
        .local_bytes = k->stack_bytes > k->frame_bytes ? k->stack_bytes : k->frame_bytes,
        .parameters = k->parameter_count,
        .parameter_bytes = k->parameter_bytes,
        .max_threads = bound(k),
    };
}

bool subcore_kernel_parameter(const struct subcore_kernel *kernel, uint32_t index, uint32_t *offset, uint32_t *bytes)
{
    if (index >= kernel->cubin->parameter_count)
        return false;
    *offset = kernel->cubin->parameters[index].offset;
    *bytes = kernel->cubin->parameters[index].size;
    return true;
}

size_t subcore_sass(const struct subcore_kernel *kernel, uint32_t pc, char *text, size_t size)
{
    struct status status = {0};
    const struct exec_kernel *code = exec_module_function(kernel->code, kernel->cubin, &status);
    char line[ISA_TEXT];
    if (!code || pc % 16 || pc / 16 >= code->count)
        return 0;
    isa_print(&code->code[pc / 16].isa, line);
    if (size)
        snprintf(text, size, "%s", line);
    return strlen(line);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct exec_module *code, const struct cubin_symbol *s)
{
    const char *section = s->section < code->cubin.section_count ? code->cubin.sections[s->section].name : NULL;
    if (!section)
        return 0;
    if (strcmp(section, ".nv.constant3") == 0)
        return code->constants + s->value;
    if (strcmp(section, ".nv.global.init") == 0)
        return code->globals + s->value;
    if (strcmp(section, ".nv.global") == 0)
        return code->globals + relocate_zero_offset(&code->cubin) + s->value;
    return 0;
}

uint64_t subcore_variable(struct subcore_module *module, const char *name, uint64_t *bytes, struct subcore_error *error)
{
    for (size_t i = 0; i < module->image_count; i++) {
        const struct cubin *cubin = &module->images[i]->cubin;
        for (size_t k = 0; k < cubin->symbol_count; k++) {
            const struct cubin_symbol *s = &cubin->symbols[k];
            uint64_t address = s->name && strcmp(s->name, name) == 0 ? address_of(module->images[i], s) : 0;
            if (!address)
                continue;
            if (bytes)
                *bytes = s->size;
            return address;
        }
    }
    api_fail(error, SUBCORE_ARGUMENT, "subcore_variable: the module has no variable %s", name);
    return 0;
}
