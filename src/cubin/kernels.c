#include "cubin/module.h"

#include <stdlib.h>

enum {
    SYMBOL_KERNEL = 0x10, /* bit of st_other */
    INSTRUCTION_BYTES = 16,
    BARRIER_SHIFT = 20, /* in the flags of a .text section */
    BARRIER_MASK = 0x7f,
    BANK_BYTES = 0x10000
};

static const char text_prefix[] = ".text.";

static bool starts(const char *name, const char *prefix) { return strncmp(name, prefix, strlen(prefix)) == 0; }

/* ---- which kernels there are ------------------------------------------------------------------------------------- */

static bool is_kernel(const struct cubin *c, const struct cubin_symbol *s)
{
    return s->type == ELF_SYMBOL_FUNCTION && (s->other & SYMBOL_KERNEL) != 0 && s->section != 0 &&
           s->section < c->section_count && module_owns(&c->sections[s->section]) &&
           starts(c->sections[s->section].name, text_prefix);
}

static bool add_kernel(struct module *m, size_t index)
{
    struct cubin *c = m->cubin;
    const struct cubin_symbol *symbol = &c->symbols[index];
    const struct cubin_section *text = &c->sections[symbol->section];
    uint64_t offset = elf_offset(m->image, text);
    if (m->kernel_of_section[symbol->section] != MODULE_UNKNOWN)
        return module_fail(m, symbol->section, "code", offset, "two kernels share the section");
    if (symbol->value != 0)
        return module_fail(m, symbol->section, "code", offset, "the kernel does not start where its section does");
    if (text->bytes.size == 0 || text->bytes.size % INSTRUCTION_BYTES != 0 || text->bytes.size > UINT32_MAX)
        return module_fail(m, symbol->section, "code", offset, "its size is no positive multiple of 16");
    m->kernel_of_section[symbol->section] = (uint32_t)c->kernel_count;
    m->notes[c->kernel_count].symbol = (uint32_t)index;
    c->kernels[c->kernel_count++] =
        (struct cubin_kernel){.name = symbol->name, .section = symbol->section, .code = text->bytes};
    return true;
}

static bool find_kernels(struct module *m)
{
    struct cubin *c = m->cubin;
    size_t count = 0;
    for (size_t i = 0; i < c->symbol_count; i++)
        count += is_kernel(c, &c->symbols[i]);
    c->kernels = calloc(count > 0 ? count : 1, sizeof *c->kernels);
    m->notes = calloc(count > 0 ? count : 1, sizeof *m->notes);
    m->kernel_of_section = malloc(c->section_count * sizeof *m->kernel_of_section);
    if (c->kernels == NULL || m->notes == NULL || m->kernel_of_section == NULL)
        return cubin_fail_memory(m->status, c->path, "kernels");
    for (size_t i = 0; i < c->section_count; i++)
        m->kernel_of_section[i] = MODULE_UNKNOWN;
    for (size_t i = 0; i < c->symbol_count; i++)
        if (is_kernel(c, &c->symbols[i]) && !add_kernel(m, i))
            return false;
    return true;
}

/* ---- the sections of a kernel and its module --------------------------------------------------------------------- */

static bool set_bank(struct module *m, size_t section, struct cubin_bytes *bank)
{
    const struct cubin_section *s = &m->cubin->sections[section];
    if (s->size > BANK_BYTES)
        return module_fail(m, section, "constant bank", elf_offset(m->image, s), "it is larger than 64 KiB");
    *bank = s->bytes;
    return true;
}

static bool read_kernel_section(struct module *m, size_t section, uint32_t kernel)
{
    const struct cubin_section *s = &m->cubin->sections[section];
    struct cubin_kernel *k = &m->cubin->kernels[kernel];
    if (starts(s->name, ".nv.info."))
        return nvinfo_read_kernel(m, section, kernel);
    if (starts(s->name, ".nv.constant0."))
        return set_bank(m, section, &k->constant0);
    if (starts(s->name, ".nv.constant2."))
        return set_bank(m, section, &k->constant2);
    if (!starts(s->name, ".nv.shared."))
        return true;
    if (s->size > UINT32_MAX)
        return module_fail(m, section, "size", 0, "4 GiB of shared memory and more");
    k->static_shared_bytes = (uint32_t)s->size;
    return true;
}

static bool read_section(struct module *m, size_t section)
{
    struct cubin *c = m->cubin;
    const struct cubin_section *s = &c->sections[section];
    if (strcmp(s->name, ".nv.info") == 0)
        return nvinfo_read_module(m, section);
    if (strcmp(s->name, ".nv.constant3") == 0)
        return set_bank(m, section, &c->constant3);
    if (strcmp(s->name, ".nv.constant4") == 0)
        return set_bank(m, section, &c->constant4);
    if (strcmp(s->name, ".nv.global.init") == 0)
        c->global_init = s->bytes;
    if (strcmp(s->name, ".nv.global") == 0)
        c->global_bytes = s->size;
    uint32_t kernel = s->info < c->section_count ? m->kernel_of_section[s->info] : MODULE_UNKNOWN;
    return kernel == MODULE_UNKNOWN || read_kernel_section(m, section, kernel);
}

/* ---- facts from several records ---------------------------------------------------------------------------------- */

/* Code for sm_75 to sm_89 repeats the register count in the section header. */
static bool settle_registers(struct module *m, uint32_t kernel)
{
    struct cubin_kernel *k = &m->cubin->kernels[kernel];
    if (!m->notes[kernel].has_registers)
        k->registers = m->cubin->sections[k->section].info >> 24;
    if (k->registers > 0)
        return true;
    return module_fail(m, k->section, "code", elf_offset(m->image, &m->cubin->sections[k->section]),
                       "no register count for the kernel");
}

static bool settle_parameters(struct module *m, uint32_t kernel)
{
    struct cubin_kernel *k = &m->cubin->kernels[kernel];
    const struct cubin_abi *abi = cubin_abi(m->cubin->sm);
    if (!m->notes[kernel].has_parameter_base && abi != NULL)
        k->parameter_base = abi->parameters;
    if (k->parameter_base + k->parameter_bytes <= BANK_BYTES)
        return true;
    return module_fail(m, k->section, "code", elf_offset(m->image, &m->cubin->sections[k->section]),
                       "the kernel's parameters do not fit into constant bank 0");
}

/* Toolkits before CUDA 13 keep the number of barriers in the section's flags. */
static void settle_barriers(struct cubin_kernel *k, const struct cubin_section *text)
{
    if (k->barriers == 0)
        k->barriers = text->flags >> BARRIER_SHIFT & BARRIER_MASK;
}

/* nvlink marks an unknown stack. If it compiles a whole program, ptxas leaves recursive functions out of the minimum
 * and records a frame of 0 for functions that align their own. */
static void settle_stack(struct cubin_kernel *k, const struct kernel_notes *n)
{
    uint64_t deep = (uint64_t)k->frame_bytes + n->callee_frame;
    k->stack_unknown = n->min_stack == MODULE_UNKNOWN || n->max_stack == MODULE_UNKNOWN;
    if (n->has_callee && (n->frameless_callee || n->min_stack < deep))
        k->stack_unknown = true;
    uint64_t bytes = k->stack_unknown ? deep : k->frame_bytes;
    if (n->min_stack != MODULE_UNKNOWN && n->min_stack > bytes)
        bytes = n->min_stack;
    if (n->max_stack != MODULE_UNKNOWN && n->max_stack > bytes)
        bytes = n->max_stack;
    k->stack_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

bool kernels_read(struct module *m)
{
    struct cubin *c = m->cubin;
    if (!find_kernels(m))
        return false;
    for (size_t i = 0; i < c->section_count; i++)
        if (module_owns(&c->sections[i]) && !read_section(m, i))
            return false;
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        if (!settle_registers(m, i) || !settle_parameters(m, i))
            return false;
        settle_barriers(&c->kernels[i], &c->sections[c->kernels[i].section]);
        settle_stack(&c->kernels[i], &m->notes[i]);
    }
    return true;
}
