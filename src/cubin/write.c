#include "cubin/write.h"
#include <stdio.h>
#include <stdlib.h>

#include "cubin/image.h"
#include "cubin/write_info.h"
#include "isa/isa.h"

enum {
    SYMBOL_OBJECT = 1,
    SYMBOL_SECTION = 3,
    SYMBOL_GLOBAL = 0x10,
    SYMBOL_WEAK = 0x20,
    OTHER_KERNEL = 0x10,
    OTHER_RESERVED_SHARED = 0xa0,
    RESERVED_SHARED_BYTES = 0x40,
    TEXT_ALIGNMENT = 128,
    INSTRUCTION_BYTES = 16
};

/* Indices of sections (0: there is none). */
struct function_sections {
    uint32_t text, info, constant0, constant2, shared;
};

struct writer {
    const struct cubin_new *module;
    struct image image;
    struct function_sections *functions;
    uint32_t *function_symbols, *bank_symbols; /* of each function, and its constant bank 0 */
    uint32_t *symbols;                         /* for each of the module's symbols */
    uint32_t strings, symbol_table, info, compat, tool_note, cuda_note, callgraph, action;
    uint32_t constant3, constant4, global_init, global, reserved;
    uint32_t symbol_count;
    struct status *status;
};

static struct image_section *section(struct writer *w, uint32_t index) { return &w->image.sections[index]; }

static uint32_t place_section(const struct writer *w, enum cubin_place place, uint32_t function)
{
    switch (place) {
    case CUBIN_PLACE_TEXT: return w->functions[function].text;
    case CUBIN_PLACE_CONSTANT3: return w->constant3;
    case CUBIN_PLACE_CONSTANT4: return w->constant4;
    case CUBIN_PLACE_GLOBAL_INIT: return w->global_init;
    case CUBIN_PLACE_GLOBAL: return w->global;
    default: return 0;
    }
}

/* ---- sections, in the order of CUDA 13 --------------------------------------------------------------------------- */

static uint32_t add(struct writer *w, const char *name, const char *suffix, uint32_t type, uint32_t flags,
                    uint32_t alignment)
{
    return image_add(&w->image, name, suffix, type, flags, alignment);
}

static void add_bytes(struct writer *w, uint32_t *index, const char *name, const char *suffix, uint32_t flags,
                      uint32_t alignment, struct cubin_bytes bytes)
{
    if (bytes.size == 0)
        return;
    *index = add(w, name, suffix, IMAGE_PROGBITS, flags, alignment);
    if (!w->image.failed)
        buffer_put(&section(w, *index)->bytes, bytes.data, bytes.size);
}

static void add_descriptions(struct writer *w)
{
    const struct cubin_new *m = w->module;
    add(w, "", "", 0, 0, 0);
    add(w, ".shstrtab", "", IMAGE_STRTAB, 0, 1);
    w->strings = add(w, ".strtab", "", IMAGE_STRTAB, 0, 1);
    w->symbol_table = add(w, ".symtab", "", ELF_SECTION_SYMTAB, 0, 8);
    w->tool_note = add(w, ".note.nv.tkinfo", "", IMAGE_NOTE, IMAGE_NOTE_TOOL, 4);
    w->cuda_note = add(w, ".note.nv.cuinfo", "", IMAGE_NOTE, IMAGE_NOTE_CUDA, 4);
    w->info = add(w, ".nv.info", "", IMAGE_CUDA_INFO, 0, 4);
    if (image_is_new(m->sm))
        w->compat = add(w, ".nv.compat", "", IMAGE_CUDA_COMPAT, 0, 4);
    for (size_t i = 0; i < m->function_count; i++)
        w->functions[i].info = add(w, ".nv.info.", m->functions[i].name, IMAGE_CUDA_INFO, IMAGE_INFO_LINK, 4);
    w->callgraph = add(w, ".nv.callgraph", "", IMAGE_CUDA_CALLGRAPH, 0, 4);
    if (!image_is_new(m->sm))
        w->action = add(w, ".nv.rel.action", "", IMAGE_CUDA_RELOCINFO, 0, 8);
}

/* Up to sm_89 an addend that is not 0 asks for RELA, later all relocations are RELA. */
static bool wants_addend(const struct writer *w, const struct cubin_new_relocation *r)
{
    return image_is_new(w->module->sm) || r->addend != 0;
}

static bool any_relocation(const struct writer *w, enum cubin_place place, uint32_t function, bool addend)
{
    for (size_t i = 0; i < w->module->relocation_count; i++) {
        const struct cubin_new_relocation *r = &w->module->relocations[i];
        if (r->place == place && (place != CUBIN_PLACE_TEXT || r->function == function) && wants_addend(w, r) == addend)
            return true;
    }
    return false;
}

static void add_relocations(struct writer *w, enum cubin_place place, uint32_t function, const char *name,
                            const char *suffix)
{
    for (unsigned addend = 0; addend < 2; addend++) {
        if (!any_relocation(w, place, function, addend))
            continue;
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%s%s", addend ? ".rela" : ".rel", name);
        add(w, prefix, suffix, addend ? ELF_SECTION_RELA : ELF_SECTION_REL, IMAGE_INFO_LINK, 8);
    }
}

static void add_all_relocations(struct writer *w)
{
    for (uint32_t i = 0; i < w->module->function_count; i++)
        add_relocations(w, CUBIN_PLACE_TEXT, i, ".text.", w->module->functions[i].name);
    add_relocations(w, CUBIN_PLACE_CONSTANT3, 0, ".nv.constant3", "");
    add_relocations(w, CUBIN_PLACE_CONSTANT4, 0, ".nv.constant4", "");
    add_relocations(w, CUBIN_PLACE_GLOBAL_INIT, 0, ".nv.global.init", "");
}

static void add_bank0(struct writer *w)
{
    for (size_t i = 0; i < w->module->function_count; i++) {
        const struct cubin_new_function *f = &w->module->functions[i];
        if (!f->kernel)
            continue;
        uint32_t index = add(w, ".nv.constant0.", f->name, IMAGE_PROGBITS, IMAGE_ALLOC | IMAGE_INFO_LINK, 4);
        w->functions[i].constant0 = index;
        if (!w->image.failed)
            buffer_zero(&section(w, index)->bytes, f->parameter_base + f->parameter_bytes);
    }
}

static uint32_t add_zero(struct writer *w, const char *name, const char *suffix, uint32_t flags, uint32_t alignment,
                         uint64_t size)
{
    uint32_t index = add(w, name, suffix, ELF_SECTION_NOBITS, IMAGE_WRITE | IMAGE_ALLOC | flags, alignment);
    if (!w->image.failed)
        section(w, index)->size = size;
    return index;
}

static void add_contents(struct writer *w)
{
    const struct cubin_new *m = w->module;
    add_bytes(w, &w->constant4, ".nv.constant4", "", IMAGE_ALLOC, 8, m->constant4);
    add_bytes(w, &w->constant3, ".nv.constant3", "", IMAGE_ALLOC, 16, m->constant3);
    for (size_t i = 0; i < m->function_count; i++)
        add_bytes(w, &w->functions[i].constant2, ".nv.constant2.", m->functions[i].name, IMAGE_ALLOC | IMAGE_INFO_LINK,
                  8, m->functions[i].constant2);
    if (!image_is_new(m->sm))
        add_bank0(w);
    for (size_t i = 0; i < m->function_count; i++)
        add_bytes(w, &w->functions[i].text, ".text.", m->functions[i].name, IMAGE_ALLOC | IMAGE_EXECUTE, TEXT_ALIGNMENT,
                  m->functions[i].code);
    add_bytes(w, &w->global_init, ".nv.global.init", "", IMAGE_WRITE | IMAGE_ALLOC, 16, m->global_init);
    if (image_is_new(m->sm))
        w->reserved =
            add_zero(w, ".nv.shared.reserved.", "0", 0, 1, m->sm >= 100 ? (uint64_t)RESERVED_SHARED_BYTES : 0);
    if (m->global_bytes)
        w->global = add_zero(w, ".nv.global", "", 0, 16, m->global_bytes);
    for (size_t i = 0; i < m->function_count; i++)
        if (m->functions[i].static_shared_bytes)
            w->functions[i].shared = add_zero(w, ".nv.shared.", m->functions[i].name, IMAGE_INFO_LINK, 16,
                                              m->functions[i].static_shared_bytes);
    if (image_is_new(m->sm))
        add_bank0(w);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

struct symbol {
    const char *name;
    unsigned info, other;
    uint32_t section;
    uint64_t value, size;
};

static uint32_t put_symbol(struct writer *w, const struct symbol *s)
{
    uint32_t name = s->name[0] ? buffer_string(&section(w, w->strings)->bytes, s->name) : 0;
    struct buffer *out = &section(w, w->symbol_table)->bytes;
    buffer_number(out, name, 4);
    buffer_number(out, s->info, 1);
    buffer_number(out, s->other, 1);
    buffer_number(out, s->section, 2);
    buffer_number(out, s->value, 8);
    buffer_number(out, s->size, 8);
    return w->symbol_count++;
}

static uint32_t put_section_symbol(struct writer *w, uint32_t index)
{
    if (index == 0)
        return 0;
    return put_symbol(w, &(struct symbol){.name = section(w, index)->name, .info = SYMBOL_SECTION, .section = index});
}

static void put_section_symbols(struct writer *w)
{
    const uint32_t module[] = {w->tool_note,   w->cuda_note, w->constant4, w->constant3,
                               w->global_init, w->global,    w->callgraph, w->action};
    for (size_t i = 0; i < sizeof module / sizeof *module; i++)
        put_section_symbol(w, module[i]);
    for (size_t i = 0; i < w->module->function_count; i++) {
        put_section_symbol(w, w->functions[i].text);
        put_section_symbol(w, w->functions[i].constant2);
        put_section_symbol(w, w->functions[i].shared);
        w->bank_symbols[i] = put_section_symbol(w, w->functions[i].constant0);
    }
}

/* Local ones are the module's own data and the functions inside of a kernel's code. */
static void put_module_symbols(struct writer *w, bool local)
{
    for (size_t i = 0; i < w->module->symbol_count; i++) {
        const struct cubin_new_symbol *s = &w->module->symbols[i];
        if ((s->place != CUBIN_PLACE_NONE) != local)
            continue;
        unsigned type = s->code ? ELF_SYMBOL_FUNCTION : SYMBOL_OBJECT;
        w->symbols[i] = put_symbol(w, &(struct symbol){.name = s->name,
                                                       .info = local ? type : type | SYMBOL_GLOBAL,
                                                       .section = place_section(w, s->place, s->function),
                                                       .value = s->value,
                                                       .size = s->size});
    }
}

static void put_symbols(struct writer *w)
{
    struct buffer *strings = &section(w, w->strings)->bytes;
    buffer_string(strings, "");
    put_symbol(w, &(struct symbol){.name = ""});
    put_section_symbols(w);
    put_module_symbols(w, true);
    section(w, w->symbol_table)->info = w->symbol_count;
    if (w->reserved)
        put_symbol(w, &(struct symbol){.name = "__nv_reservedSMEM_offset_0_alias",
                                       .info = SYMBOL_WEAK,
                                       .other = OTHER_RESERVED_SHARED,
                                       .section = w->reserved,
                                       .value = section(w, w->reserved)->size});
    for (size_t i = 0; i < w->module->function_count; i++) {
        const struct cubin_new_function *f = &w->module->functions[i];
        w->function_symbols[i] = put_symbol(w, &(struct symbol){.name = f->name,
                                                                .info = SYMBOL_GLOBAL | ELF_SYMBOL_FUNCTION,
                                                                .other = f->kernel ? OTHER_KERNEL : 0,
                                                                .section = w->functions[i].text,
                                                                .size = f->code.size});
    }
    put_module_symbols(w, false);
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

/* Byte offsets of the EXITs; NULL without memory. */
static uint32_t *find_exits(const struct isa_decoder *decoder, struct cubin_bytes code, size_t *count)
{
    uint32_t *exits = calloc(code.size / INSTRUCTION_BYTES + 1, sizeof *exits);
    *count = 0;
    for (uint32_t pc = 0; exits && pc + INSTRUCTION_BYTES <= code.size; pc += INSTRUCTION_BYTES) {
        struct isa_inst inst;
        struct word128 word = {le64(code.data + pc), le64(code.data + pc + 8)};
        if (isa_decode(decoder, word, pc, &inst) && isa_op_info((enum isa_op)inst.op)->flags & ISA_EXIT)
            exits[(*count)++] = pc;
    }
    return exits;
}

static void fill_function(struct writer *w, const struct isa_decoder *decoder, size_t index)
{
    const struct cubin_new_function *f = &w->module->functions[index];
    const struct function_sections *s = &w->functions[index];
    const uint32_t linked[] = {s->info, s->constant0, s->constant2, s->shared};
    for (size_t i = 0; i < sizeof linked / sizeof *linked; i++)
        if (linked[i])
            section(w, linked[i])->info = s->text;
    section(w, s->info)->link = w->symbol_table;
    section(w, s->text)->link = w->symbol_table;
    section(w, s->text)->info = w->function_symbols[index] | (image_is_new(w->module->sm) ? 0 : f->registers << 24);
    size_t count;
    uint32_t *exits = find_exits(decoder, f->code, &count);
    w->image.failed |= !exits;
    if (exits)
        write_function_info(w->module, f, w->bank_symbols[index], exits, count, &section(w, s->info)->bytes);
    free(exits);
}

static uint32_t find_section(const struct writer *w, const char *prefix, const char *name)
{
    size_t length = strlen(prefix);
    for (uint32_t i = 1; i < w->image.count; i++) {
        const char *candidate = w->image.sections[i].name;
        if (strncmp(candidate, prefix, length) == 0 && strcmp(candidate + length, name) == 0)
            return i;
    }
    return 0;
}

static void put_relocation(struct writer *w, const struct cubin_new_relocation *r)
{
    bool addend = wants_addend(w, r);
    uint32_t target = place_section(w, r->place, r->function);
    uint32_t symbol = r->against_function ? w->function_symbols[r->symbol] : w->symbols[r->symbol];
    struct image_section *s = section(w, find_section(w, addend ? ".rela" : ".rel", section(w, target)->name));
    s->link = w->symbol_table;
    s->info = target;
    s->entry = addend ? ELF_RELA_SIZE : ELF_REL_SIZE;
    buffer_number(&s->bytes, r->offset, 8);
    buffer_number(&s->bytes, r->type, 4);
    buffer_number(&s->bytes, symbol, 4);
    if (addend)
        buffer_number(&s->bytes, (uint64_t)r->addend, 8);
}

static void fill(struct writer *w, const struct isa_decoder *decoder)
{
    put_symbols(w);
    struct image_section *table = section(w, w->symbol_table);
    table->link = w->strings;
    table->entry = ELF_SYMBOL_SIZE;
    write_tool_note(&section(w, w->tool_note)->bytes);
    write_cuda_note(w->module->sm, &section(w, w->cuda_note)->bytes);
    section(w, w->cuda_note)->link = w->tool_note;
    if (w->compat) {
        write_compat(w->module, &section(w, w->compat)->bytes);
        section(w, w->cuda_note)->flags |= IMAGE_INFO_LINK;
        section(w, w->cuda_note)->info = w->compat;
    }
    write_module_info(w->module, w->function_symbols, &section(w, w->info)->bytes);
    section(w, w->info)->link = w->symbol_table;
    write_callgraph(&section(w, w->callgraph)->bytes);
    section(w, w->callgraph)->link = w->symbol_table;
    section(w, w->callgraph)->entry = 8;
    if (w->action) {
        write_relocation_action(&section(w, w->action)->bytes);
        section(w, w->action)->entry = 8;
    }
    for (size_t i = 0; i < w->module->function_count; i++)
        fill_function(w, decoder, i);
    for (size_t i = 0; i < w->module->relocation_count; i++)
        put_relocation(w, &w->module->relocations[i]);
}

static bool check(const struct cubin_new *m, struct status *status)
{
    for (size_t i = 0; i < m->function_count; i++) {
        const struct cubin_new_function *f = &m->functions[i];
        if (f->code.size == 0 || f->code.size % INSTRUCTION_BYTES != 0)
            return status_fail(status, STATUS_FORMAT, "%.200s: code of %zu bytes", f->name, f->code.size);
    }
    return true;
}

static bool build(struct writer *w, const struct isa_decoder *decoder, struct buffer *out)
{
    add_descriptions(w);
    add_all_relocations(w);
    add_contents(w);
    if (!w->image.failed)
        fill(w, decoder);
    image_finish(&w->image, out);
    return !out->failed || status_fail(w->status, STATUS_MEMORY, "no memory for the cubin");
}

bool cubin_write(const struct cubin_new *module, uint8_t **bytes, size_t *size, struct status *status)
{
    if (!check(module, status))
        return false;
    struct isa_decoder *decoder = isa_decoder_create(module->sm, status);
    if (!decoder)
        return false;
    struct writer w = {.module = module, .image = {.sm = module->sm}, .status = status};
    w.functions = calloc(module->function_count + 1, sizeof *w.functions);
    w.function_symbols = calloc(module->function_count + 1, sizeof *w.function_symbols);
    w.bank_symbols = calloc(module->function_count + 1, sizeof *w.bank_symbols);
    w.symbols = calloc(module->symbol_count + 1, sizeof *w.symbols);
    struct buffer out = {0};
    bool ok = w.functions && w.function_symbols && w.bank_symbols && w.symbols
                  ? build(&w, decoder, &out)
                  : status_fail(status, STATUS_MEMORY, "no memory for the cubin");
    if (!ok)
        buffer_free(&out);
    *bytes = out.data;
    *size = out.size;
    image_free(&w.image);
    free(w.functions);
    free(w.function_symbols);
    free(w.bank_symbols);
    free(w.symbols);
    isa_decoder_destroy(decoder);
    return ok;
}
