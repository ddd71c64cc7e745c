#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/executors.h"
#include "exec/relocate.h"

enum { BANK_BYTES = 65536 };

/* ---- loading --------------------------------------------------------------------------------------------------- */

static bool fits(const struct exec_module *module, unsigned sm, struct status *status)
{
    if (module->cubin.relocatable)
        return status_fail(status, STATUS_UNSUPPORTED, "%s: a relocatable object; it has to be linked first",
                           module->cubin.path);
    if (!isa_supported(sm) || !cubin_abi(sm))
        return status_fail(status, STATUS_UNSUPPORTED, "%s: code for sm_%u, which is not simulated", module->cubin.path,
                           sm);
    return true;
}

static bool place_globals(struct exec_module *module, struct status *status)
{
    uint64_t bytes = relocate_zero_offset(&module->cubin) + module->cubin.global_bytes;
    if (bytes == 0)
        return true;
    module->globals = memory_alloc(module->memory, bytes);
    if (!module->globals)
        return status_fail(status, STATUS_MEMORY, "%s: no device memory for %" PRIu64 " bytes of global variables",
                           module->cubin.path, bytes);
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
    if (!fits(module, cubin->sm, status) || !place_globals(module, status) ||
        !relocate(cubin, module->image, module->globals, status))
        return false;
    if (cubin->global_init.size &&
        !memory_write(module->memory, module->globals, cubin->global_init.data, cubin->global_init.size))
        return status_fail(status, STATUS_FORMAT, "%s: initialised globals do not fit", path);
    module->kernels = calloc(cubin->kernel_count ? cubin->kernel_count : 1, sizeof *module->kernels);
    if (!module->kernels)
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for its kernels", path);
    module->decoder = isa_decoder_create(cubin->sm, status);
    return module->decoder && fill_bank(&module->bank3, cubin->constant3, path, status) &&
           fill_bank(&module->bank4, cubin->constant4, path, status);
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
        free(module->kernels[i].code);
    free(module->kernels);
    free(module->bank3);
    free(module->bank4);
    isa_decoder_destroy(module->decoder);
    if (module->globals)
        memory_free(module->memory, module->globals);
    cubin_close(&module->cubin);
    free(module->image);
    *module = (struct exec_module){0};
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

static uint32_t rows_of(const struct isa_operand *o)
{
    return o->kind == ISA_REG && o->index != ISA_RZ ? (uint32_t)o->index + o->words : 0;
}

/* Registers that the instruction can touch; a word with impossible register numbers must not reach beyond the
 * warp's. */
static uint32_t rows_named(const struct isa_inst *isa)
{
    const struct isa_operand *operands[] = {&isa->d, &isa->a, &isa->b, &isa->c, &isa->e, &isa->f, &isa->g};
    uint32_t rows = 0;
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++)
        rows = rows_of(operands[i]) > rows ? rows_of(operands[i]) : rows;
    return rows;
}

static struct word128 word_at(struct cubin_bytes code, size_t index)
{
    struct word128 word;
    memcpy(&word.lo, code.data + 16 * index, 8);
    memcpy(&word.hi, code.data + 16 * index + 8, 8);
    return word;
}

static uint32_t local_bytes(const struct cubin_kernel *kernel)
{
    enum { STACK_LIMIT = 1024 }; /* the driver's default for call graphs that are not known */
    uint32_t bytes = kernel->stack_bytes > kernel->frame_bytes ? kernel->stack_bytes : kernel->frame_bytes;
    return (uint32_t)align_up(bytes, 16) + (kernel->stack_unknown ? STACK_LIMIT : 0);
}

static bool decode_kernel(const struct exec_module *module, struct exec_kernel *kernel,
                          const struct cubin_kernel *cubin, struct status *status)
{
    size_t count = cubin->code.size / 16;
    kernel->code = calloc(count + 1, sizeof *kernel->code);
    if (!kernel->code)
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for the code of %s", module->cubin.path,
                           cubin->name);
    kernel->cubin = cubin;
    kernel->count = (uint32_t)count;
    kernel->rows = cubin->registers;
    kernel->local_bytes = local_bytes(cubin);
    for (size_t i = 0; i <= count; i++) {
        struct exec_inst *inst = &kernel->code[i];
        /* Behind the end stands a word that is no instruction and whose guard is PT: nothing runs past it. */
        struct word128 word = i < count ? word_at(cubin->code, i) : (struct word128){0x7000, 0};
        isa_decode(module->decoder, word, (uint32_t)(16 * i), &inst->isa);
        if (rows_named(&inst->isa) > 256)
            inst->isa.op = ISA_INVALID;
        uint32_t rows = inst->isa.op == ISA_INVALID ? 0 : rows_named(&inst->isa);
        kernel->rows = rows > kernel->rows ? rows : kernel->rows;
        exec_inst_prepare(inst, module->sm);
    }
    return true;
}

const struct exec_kernel *exec_module_kernel(struct exec_module *module, const char *name, struct status *status)
{
    const struct cubin_kernel *cubin = cubin_find_kernel(&module->cubin, name, status);
    if (!cubin)
        return NULL;
    struct exec_kernel *kernel = &module->kernels[cubin - module->cubin.kernels];
    if (!kernel->code && !decode_kernel(module, kernel, cubin, status))
        return NULL;
    return kernel;
}
