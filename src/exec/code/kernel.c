#include "exec/code/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "isa/pascal.h"

/* ---- addresses ------------------------------------------------------------------------------------------------- */

bool kernel_place(const struct exec_kernel *kernel, uint64_t address, uint32_t *pc)
{
    uint64_t offset = address - EXEC_CODE_WINDOW;
    uint64_t section = offset >> EXEC_SECTION_SHIFT, within = offset & ((UINT64_C(1) << EXEC_SECTION_SHIFT) - 1);
    if (kernel->packed)
        within = pascal_pc((uint32_t)within);
    if (address - EXEC_EXTERN_WINDOW < UINT64_C(1) << EXEC_SECTION_SHIFT) {
        uint64_t symbol = (address - EXEC_EXTERN_WINDOW) / 16;
        for (uint32_t i = 0; i < kernel->service_count; i++) {
            *pc = kernel->services + 16 * i;
            if (kernel->service[i] == symbol)
                return true;
        }
        return false;
    }
    if (section == kernel->cubin->section) {
        *pc = (uint32_t)within;
        return true;
    }
    for (uint32_t i = 0; i < kernel->part_count; i++) {
        const struct exec_part *part = &kernel->part[i];
        *pc = part->pc + (uint32_t)within;
        if (part->section == section && within < part->bytes)
            return true;
    }
    return false;
}

static uint32_t offset_of(const struct exec_kernel *kernel, uint32_t pc)
{
    return kernel->packed ? pascal_address(pc) : pc;
}

uint64_t kernel_address(const struct exec_kernel *kernel, uint32_t pc)
{
    for (uint32_t i = 0; i < kernel->part_count; i++)
        if (pc - kernel->part[i].pc < kernel->part[i].bytes)
            return exec_section_address(kernel->part[i].section) + offset_of(kernel, pc - kernel->part[i].pc);
    return exec_section_address(kernel->cubin->section) + offset_of(kernel, pc);
}

const char *kernel_function(const struct exec_module *module, const struct exec_kernel *kernel, uint32_t pc)
{
    for (uint32_t i = 0; i < kernel->part_count; i++)
        if (pc - kernel->part[i].pc < kernel->part[i].bytes)
            return module->cubin.sections[kernel->part[i].section].name + sizeof ".text." - 1;
    if (pc - kernel->services < 16 * kernel->service_count)
        return module->cubin.symbols[kernel->service[(pc - kernel->services) / 16]].name;
    return NULL;
}

/* ---- decoding -------------------------------------------------------------------------------------------------- */

static uint32_t rows_of(const struct isa_operand *o)
{
    return o->kind == ISA_REG && o->index != ISA_RZ ? (uint32_t)o->index + o->words : 0;
}

/* Registers that the instruction can touch. A word with impossible register numbers must not reach beyond the
 * warp's. */
static uint32_t rows_named(const struct isa_inst *isa)
{
    const struct isa_operand *operands[] = {&isa->d, &isa->a, &isa->b, &isa->c, &isa->e, &isa->f, &isa->g};
    uint32_t rows = 0;
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++)
        rows = rows_of(operands[i]) > rows ? rows_of(operands[i]) : rows;
    return rows;
}

static uint32_t count_of(const struct exec_module *module, size_t bytes) { return isa_code_count(module->sm, bytes); }

static struct word128 word_at(const struct exec_module *module, struct cubin_bytes code, uint32_t index)
{
    if (pascal_supported(module->sm))
        return pascal_word(code.data, index);
    struct word128 word;
    memcpy(&word.lo, code.data + (size_t)16 * index, 8);
    memcpy(&word.hi, code.data + (size_t)16 * index + 8, 8);
    return word;
}

static uint32_t local_bytes(const struct cubin_kernel *kernel)
{
    uint32_t bytes = kernel->stack_bytes > kernel->frame_bytes ? kernel->stack_bytes : kernel->frame_bytes;
    return (uint32_t)align_up(bytes, 16);
}

static void decode_word(const struct exec_module *module, struct exec_kernel *kernel, uint32_t index,
                        struct word128 word)
{
    struct exec_inst *inst = &kernel->code[index];
    isa_decode(module->decoder, word, 16 * index, &inst->isa);
    if (rows_named(&inst->isa) > 256)
        inst->isa.op = ISA_INVALID;
    uint32_t rows = inst->isa.op == ISA_INVALID ? 0 : rows_named(&inst->isa);
    kernel->rows = rows > kernel->rows ? rows : kernel->rows;
    kernel->reconfigures |= inst->isa.op == ISA_OP_USETMAXREG;
    kernel->allocates |= inst->isa.op == ISA_OP_UTCATOMSWS;
    inst->rows = (uint16_t)rows;
    exec_inst_prepare(inst);
}

static void decode_range(const struct exec_module *module, struct exec_kernel *kernel, uint32_t first,
                         struct cubin_bytes code)
{
    uint32_t count = count_of(module, code.size);
    for (uint32_t i = 0; i < count; i++)
        decode_word(module, kernel, first + i, word_at(module, code, i));
}

/* ---- members of a kernel ---------------------------------------------------------------------------------- */

static bool is_kernel(const struct cubin *cubin, size_t section)
{
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (cubin->kernels[i].section == section)
            return true;
    return false;
}

static bool is_function(const struct cubin *cubin, size_t section)
{
    const struct cubin_section *s = &cubin->sections[section];
    return s->name && strncmp(s->name, ".text.", 6) == 0 && s->bytes.size >= 16 && !is_kernel(cubin, section);
}

static bool is_service(const struct cubin *cubin, size_t symbol)
{
    const struct cubin_symbol *s = &cubin->symbols[symbol];
    return s->section == 0 && s->name && *s->name;
}

/* Sections of the functions behind `pc`. Returns the pc behind them. */
static uint32_t place_parts(const struct exec_module *module, struct exec_kernel *kernel, uint32_t pc)
{
    const struct cubin *cubin = &module->cubin;
    for (size_t i = 0; i < cubin->section_count; i++) {
        if (!is_function(cubin, i))
            continue;
        uint32_t bytes = count_of(module, cubin->sections[i].bytes.size) * 16;
        kernel->part[kernel->part_count++] = (struct exec_part){(uint32_t)i, pc, bytes};
        pc += bytes;
    }
    kernel->services = pc;
    for (size_t i = 0; i < cubin->symbol_count; i++)
        if (is_service(cubin, i))
            kernel->service[kernel->service_count++] = (uint32_t)i;
    return pc + 16 * kernel->service_count;
}

/* A driver function is one instruction: it does its work and returns to the address in R20 and R21. */
static void add_services(const struct exec_module *module, struct exec_kernel *kernel)
{
    static const struct word128 later = {.lo = UINT64_C(0x0000000014007950), .hi = UINT64_C(0x03ffea0003e00000)};
    static const struct word128 pascal = {.lo = UINT64_C(0xe32000000007000f), .hi = UINT64_C(0x007e0)};
    struct word128 ret = pascal_supported(module->sm) ? pascal : later;
    for (uint32_t i = 0; i < kernel->service_count; i++) {
        uint32_t index = kernel->services / 16 + i;
        decode_word(module, kernel, index, ret);
        kernel->code[index].run = exec_service;
    }
}

bool kernel_build(const struct exec_module *module, struct exec_kernel *kernel, const struct cubin_kernel *cubin,
                  struct status *status)
{
    const struct cubin *all = &module->cubin;
    *kernel = (struct exec_kernel){.cubin = cubin,
                                   .rows = cubin->registers,
                                   .local_bytes = local_bytes(cubin),
                                   .packed = pascal_supported(module->sm)};
    kernel->part = calloc(all->section_count + 1, sizeof *kernel->part);
    kernel->service = calloc(all->symbol_count + 1, sizeof *kernel->service);
    if (kernel->part && kernel->service) {
        kernel->count = place_parts(module, kernel, count_of(module, cubin->code.size) * 16) / 16;
        kernel->code = calloc(kernel->count + 1u, sizeof *kernel->code);
    }
    if (!kernel->code) {
        kernel_free(kernel);
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for the code of %s", all->path, cubin->name);
    }
    decode_range(module, kernel, 0, cubin->code);
    for (uint32_t i = 0; i < kernel->part_count; i++)
        decode_range(module, kernel, kernel->part[i].pc / 16, all->sections[kernel->part[i].section].bytes);
    add_services(module, kernel);
    /* Behind the end stands a word that is no instruction and whose guard is PT: nothing runs past it. */
    decode_word(module, kernel, kernel->count, (struct word128){pascal_supported(module->sm) ? 0 : 0x7000, 0});
    return true;
}

void kernel_free(struct exec_kernel *kernel)
{
    free(kernel->code);
    free(kernel->part);
    free(kernel->service);
    *kernel = (struct exec_kernel){0};
}
