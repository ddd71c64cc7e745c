#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/code/kernel.h"
#include "exec/code/references.h"
#include "exec/code/relocate.h"
#include "exec/memory/heap.h"
#include "isa/isa.h"

enum { BANK_BYTES = 65536 };

/* ---- loading --------------------------------------------------------------------------------------------------- */

static bool fits(const struct exec_module *module, unsigned sm, struct status *status)
{
    if (module->cubin.relocatable)
        return status_fail(status, STATUS_UNSUPPORTED, "%s: a relocatable object; it has to be linked first",
                           module->cubin.path);
    if (!isa_table(sm) || !cubin_abi(sm))
        return status_fail(status, STATUS_UNSUPPORTED, "%s: code for sm_%u, which is not simulated", module->cubin.path,
                           sm);
    return true;
}

static bool has_managed(const struct cubin *cubin)
{
    enum { OBJECT = 1, MANAGED = 0x04 }; /* type of a symbol; in st_other */
    for (size_t i = 0; i < cubin->symbol_count; i++)
        if (cubin->symbols[i].type == OBJECT && (cubin->symbols[i].other & MANAGED) != 0)
            return true;
    return false;
}

/* Code reads and writes managed variables like others. The host does, too, at the same addresses. */
static bool place_globals(struct exec_module *module, struct status *status)
{
    uint64_t bytes = relocate_zero_offset(&module->cubin) + module->cubin.global_bytes;
    if (bytes == 0)
        return true;
    if (has_managed(&module->cubin))
        module->globals = memory_alloc_visible(module->memory, bytes);
    if (!module->globals)
        module->globals = memory_alloc(module->memory, bytes);
    if (!module->globals)
        return status_fail(status, STATUS_MEMORY, "%s: no device memory for %" PRIu64 " bytes of global variables",
                           module->cubin.path, bytes);
    return true;
}

/* A program that calls malloc finds the heap. A `free` alone has nothing to free in it. */
static bool make_heap(struct exec_module *module, struct status *status)
{
    for (size_t i = 0; i < module->cubin.symbol_count; i++) {
        const struct cubin_symbol *s = &module->cubin.symbols[i];
        if (s->section == 0 && s->name && strcmp(s->name, "malloc") == 0)
            return heap_prepare(module->memory, status);
    }
    return true;
}

static bool fill_bank(uint8_t **bank, struct cubin_bytes bytes, const char *path, struct status *status)
{
    if (bytes.size == 0)
        return true;
    if (bytes.size > BANK_BYTES)
        return status_fail(status, STATUS_FORMAT, "%s: a constant bank of %zu bytes, more than %d", path, bytes.size,
                           BANK_BYTES);
    *bank = calloc(1, BANK_BYTES);
    if (!*bank)
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for a constant bank", path);
    memcpy(*bank, bytes.data, bytes.size);
    return true;
}

/* Code that has the address of a constant reads it from memory. */
static bool place_constants(struct exec_module *module, struct status *status)
{
    struct cubin_bytes bytes = module->cubin.constant3;
    if (bytes.size == 0)
        return true;
    module->constants = memory_alloc(module->memory, bytes.size);
    if (!module->constants || !memory_write(module->memory, module->constants, bytes.data, bytes.size))
        return status_fail(status, STATUS_MEMORY, "%s: no device memory for %zu bytes of constants", module->cubin.path,
                           bytes.size);
    return true;
}

static bool load(struct exec_module *module, struct cubin_bytes image, const char *path, struct status *status)
{
    struct cubin *cubin = &module->cubin;
    module->image = malloc(image.size ? image.size : 1);
    if (!module->image)
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for %zu bytes", path, image.size);
    memcpy(module->image, image.data, image.size);
    if (!cubin_open(cubin, (struct cubin_bytes){module->image, image.size}, path, status))
        return false;
    module->sm = cubin->sm;
    if (!fits(module, cubin->sm, status) || !place_globals(module, status) || !make_heap(module, status) ||
        !references_make(cubin, module->memory, status) || !relocate(cubin, module->image, module->globals, status))
        return false;
    if (cubin->global_init.size &&
        !memory_write(module->memory, module->globals, cubin->global_init.data, cubin->global_init.size))
        return status_fail(status, STATUS_FORMAT, "%s: initialised globals do not fit", path);
    module->kernels = calloc(cubin->kernel_count ? cubin->kernel_count : 1, sizeof *module->kernels);
    if (!module->kernels)
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for its kernels", path);
    module->decoder = isa_decoder_create(cubin->sm, status);
    return module->decoder && fill_bank(&module->bank3, cubin->constant3, path, status) &&
           fill_bank(&module->bank4, cubin->constant4, path, status) && place_constants(module, status);
}

bool exec_module_load(struct exec_module *module, struct memory *memory, struct cubin_bytes image, const char *path,
                      struct status *status)
{
    *module = (struct exec_module){.memory = memory};
    if (load(module, image, path, status))
        return true;
    exec_module_unload(module);
    return false;
}

void exec_module_unload(struct exec_module *module)
{
    for (size_t i = 0; module->kernels && i < module->cubin.kernel_count; i++)
        kernel_free(&module->kernels[i]);
    free(module->kernels);
    free(module->bank3);
    free(module->bank4);
    isa_decoder_destroy(module->decoder);
    if (module->globals)
        memory_free(module->memory, module->globals);
    if (module->constants)
        memory_free(module->memory, module->constants);
    references_drop(&module->cubin, module->memory);
    cubin_close(&module->cubin);
    free(module->image);
    *module = (struct exec_module){0};
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

const struct exec_kernel *exec_module_function(struct exec_module *module, const struct cubin_kernel *function,
                                               struct status *status)
{
    struct exec_kernel *kernel = &module->kernels[function - module->cubin.kernels];
    if (!kernel->code && !kernel_build(module, kernel, function, status))
        return NULL;
    return kernel;
}

const struct exec_kernel *exec_module_kernel(struct exec_module *module, const char *name, struct status *status)
{
    const struct cubin_kernel *function = cubin_find_kernel(&module->cubin, name, status);
    return function ? exec_module_function(module, function, status) : NULL;
}
