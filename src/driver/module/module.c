#include "driver/module/module.h"
#include "driver/module/reference.h"

#include <stdlib.h>
#include <string.h>

#include "cubin/elf.h"
#include "driver/memory/allocation.h"
#include "driver/queue/queue.h"
#include "driver/state/say.h"
#include "exec/code/relocate.h"

enum {
    SYMBOL_MANAGED = 0x04, /* in st_other */
    SYMBOL_OBJECT = 1,     /* type */
    ATTACH_GLOBAL = 1      /* CU_MEM_ATTACH_GLOBAL */
};

/* ---- its memory in the table of allocations ---------------------------------------------------------------------- */

struct range {
    uint64_t base, bytes;
    bool managed;
};

static bool enter(struct CUmod_st *module, struct range range)
{
    const struct allocation allocation = {
        .base = range.base,
        .bytes = range.bytes,
        .kind = range.managed ? ALLOCATION_MANAGED : ALLOCATION_MODULE,
        .flags = range.managed ? ATTACH_GLOBAL : 0,
        .context = module->context,
        .variable = true,
    };
    if (range.bytes == 0)
        return true;
    uint64_t *ranges = realloc(module->ranges, (module->range_count + 1) * sizeof *ranges);
    if (!ranges)
        return false;
    module->ranges = ranges;
    if (!allocation_add(module->context->driver, &allocation))
        return false;
    ranges[module->range_count++] = range.base;
    return true;
}

static uint64_t global_bytes(const struct exec_module *exec)
{
    return relocate_zero_offset(&exec->cubin) + exec->cubin.global_bytes;
}

static bool address_of(const struct exec_module *exec, const struct cubin_symbol *s, uint64_t *address)
{
    const char *section = s->section < exec->cubin.section_count ? exec->cubin.sections[s->section].name : "";
    if (strcmp(section, ".nv.constant3") == 0)
        *address = exec->constants + s->value;
    else if (strcmp(section, ".nv.global.init") == 0)
        *address = exec->globals + s->value;
    else if (strcmp(section, ".nv.global") == 0)
        *address = exec->globals + relocate_zero_offset(&exec->cubin) + s->value;
    else
        return false;
    return true;
}

static int by_base(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

/* Managed variables of the module, ascending; *count of them. NULL: out of memory. */
static struct range *managed_variables(const struct exec_module *exec, size_t *count)
{
    const struct cubin *cubin = &exec->cubin;
    struct range *list = calloc(cubin->symbol_count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < cubin->symbol_count; i++) {
        const struct cubin_symbol *s = &cubin->symbols[i];
        uint64_t address;
        if (s->type == SYMBOL_OBJECT && (s->other & SYMBOL_MANAGED) != 0 && s->size > 0 &&
            address_of(exec, s, &address))
            list[(*count)++] = (struct range){address, s->size, true};
    }
    if (list)
        qsort(list, *count, sizeof *list, by_base);
    return list;
}

/* The module's variables are one block, in which the managed ones stand out. */
static bool enter_variables(struct CUmod_st *module)
{
    const struct exec_module *exec = module->exec;
    uint64_t at = exec->globals, end = at + global_bytes(exec);
    if (exec->constants && !enter(module, (struct range){exec->constants, exec->cubin.constant3.size, false}))
        return false;
    if (!exec->globals)
        return true;
    size_t count;
    struct range *managed = managed_variables(exec, &count);
    bool ok = managed != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        struct range m = managed[i];
        if (m.base < at || m.base > end || m.bytes > end - m.base)
            continue;
        ok = enter(module, (struct range){at, m.base - at, false}) && enter(module, m);
        at = m.base + m.bytes;
    }
    free(managed);
    return ok && enter(module, (struct range){at, end - at, false});
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static CUresult result_of(const struct status *status)
{
    say("%s", status->text);
    switch (status->code) {
    case STATUS_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case STATUS_UNSUPPORTED: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_INVALID_IMAGE;
    }
}

CUresult image_check(const struct driver *driver, const struct image *image)
{
    struct status status = {0};
    struct elf elf;
    if (!elf_open(&elf, (struct cubin_bytes){image->bytes, image->size}, image->name, &status))
        return result_of(&status);
    unsigned sm = elf_sm(&elf), device = driver->device.config.gpu.architecture;
    bool linked = elf.type == ELF_TYPE_EXECUTABLE;
    elf_close(&elf);
    if (sm / 10 != device / 10 || sm > device) {
        say("%s: code for sm_%u does not run on sm_%u (%s)", image->name, sm, device, driver->device.config.gpu.name);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (!linked) {
        say("%s: a relocatable object; it has to be linked first (nvcc -dlink, or cuLinkAddData)", image->name);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    return CUDA_SUCCESS;
}

static bool fill(struct CUmod_st *module, const struct image *image)
{
    const struct cubin *cubin = &module->exec->cubin;
    module->ptx_version = image->compiled_for ? image->compiled_for : cubin->virtual_sm;
    module->names = names_create(cubin);
    module->functions = calloc(cubin->kernel_count + 1, sizeof(struct CUfunc_st *));
    return module->names && module->functions && enter_variables(module);
}

CUresult module_load(struct CUctx_st *context, const struct image *image, struct CUmod_st **out)
{
    struct driver *driver = context->driver;
    struct status status = {0};
    CUresult result = image_check(driver, image);
    if (result != CUDA_SUCCESS)
        return result;
    struct exec_module *exec =
        gpu_load(driver->device.gpu, (struct cubin_bytes){image->bytes, image->size}, image->name, &status);
    if (!exec)
        return result_of(&status);
    struct CUmod_st *module = handle_new(driver->handles, HANDLE_MODULE, sizeof *module);
    if (!module) {
        gpu_unload(driver->device.gpu, exec);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    module->context = context;
    module->exec = exec;
    module->next = context->modules;
    context->modules = module;
    if (!fill(module, image)) {
        module_free(module);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = module;
    return CUDA_SUCCESS;
}

CUresult module_load_code(struct CUctx_st *context, const struct cubin_code *code, const struct jit_settings *settings,
                          const char *name, struct CUmod_st **out)
{
    struct driver *driver = context->driver;
    struct image image;
    CUresult result = load_image(driver, code, settings, name, &image);
    if (result != CUDA_SUCCESS)
        return result;
    queue_pause(driver); /* as compiling, it releases the lock: the context may be gone */
    if (!context_lives(driver, context))
        result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    else
        result = module_load(context, &image, out);
    image_drop(&image);
    return result;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void unlink_module(struct CUmod_st *module)
{
    struct CUmod_st **at = &module->context->modules;
    while (*at && *at != module)
        at = &(*at)->next;
    if (*at)
        *at = module->next;
    if (!module->library)
        return;
    for (at = &module->library->modules; *at && *at != module;)
        at = &(*at)->sibling;
    if (*at)
        *at = module->sibling;
}

void module_free(struct CUmod_st *module)
{
    struct driver *driver = module->context->driver;
    unlink_module(module);
    for (size_t i = 0; module->functions && i < module->exec->cubin.kernel_count; i++)
        function_free(driver, module->functions[i]);
    for (size_t i = 0; i < module->range_count; i++)
        allocation_remove(driver, module->ranges[i]);
    references_free(module);
    free(module->ranges);
    free(module->functions);
    names_free(module->names);
    gpu_unload(driver->device.gpu, module->exec);
    handle_free(driver->handles, module);
}

void modules_clear(struct CUctx_st *context)
{
    while (context->modules)
        module_free(context->modules);
}

/* ---- its contents ------------------------------------------------------------------------------------------------ */

CUresult module_variable(const struct CUmod_st *module, const char *name, bool managed, CUdeviceptr *address,
                         size_t *bytes)
{
    size_t index;
    uint64_t place;
    if (!names_variable(module->names, name, &index))
        return CUDA_ERROR_NOT_FOUND;
    const struct cubin_symbol *s = &module->exec->cubin.symbols[index];
    if ((managed && (s->other & SYMBOL_MANAGED) == 0) || !address_of(module->exec, s, &place))
        return CUDA_ERROR_NOT_FOUND;
    if (address)
        *address = place;
    if (bytes)
        *bytes = s->size;
    return CUDA_SUCCESS;
}
