#include "cubin/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    RELOCATION_32 = 1, /* R_CUDA_32, R_CUDA_64: whole words of data */
    RELOCATION_64 = 2
};

void module_where(const struct cubin *cubin, size_t section, char text[static MODULE_WHERE])
{
    snprintf(text, MODULE_WHERE, "section %zu (%.70s)", section, cubin->sections[section].name);
}

bool module_fail(struct module *m, size_t section, const char *what, uint64_t offset, const char *why)
{
    char where[MODULE_WHERE];
    module_where(m->cubin, section, where);
    return cubin_fail(m->status, m->cubin->path, where, what, offset, "%s", why);
}

bool module_owns(const struct cubin_section *s) { return (s->flags & ELF_SECTION_MERCURY) == 0; }

/* ---- header ------------------------------------------------------------------------------------------------------ */

/* Sections of a cubin do not overlap. Insisting on it keeps everything below linear in the size of the file. */
static bool check_total(const struct elf *e, struct status *status)
{
    uint64_t total = 0;
    for (size_t i = 0; i < e->section_count; i++)
        if (module_owns(&e->sections[i]))
            total += e->sections[i].bytes.size; /* each at most the file size, and at most file size / 64 of them */
    if (total <= e->image.size)
        return true;
    return cubin_fail(status, e->path, "section table", "table", le64(e->image.data + 40),
                      "the sections overlap: together they have %" PRIu64 " bytes, the file has %zu", total,
                      e->image.size);
}

/* Before CUDA 13 the virtual architecture stands in the ELF header; since then in a note, behind its header and name:
 * a 2, the number, the toolkit's version, 16 bits each. */
static unsigned virtual_architecture(const struct elf *e)
{
    enum { NOTE = 24, NOTE_BYTES = 32 };
    if (e->os_abi != ELF_OS_ABI_CUDA_13)
        return e->flags >> 16 & 0xff;
    for (size_t i = 0; i < e->section_count; i++) {
        const struct cubin_section *s = &e->sections[i];
        if (strcmp(s->name, ".note.nv.cuinfo") == 0 && s->bytes.size >= NOTE_BYTES)
            return le16(s->bytes.data + NOTE + 2);
    }
    return 0;
}

static bool read_header(struct cubin *c, struct elf *e, struct status *status)
{
    if (e->machine != ELF_MACHINE_CUDA)
        return cubin_fail(status, e->path, "ELF header", "machine", 18, "%u is not CUDA (190)", e->machine);
    if (e->type != ELF_TYPE_EXECUTABLE && e->type != ELF_TYPE_RELOCATABLE)
        return cubin_fail(status, e->path, "ELF header", "type", 16, "%u is neither executable (2) nor relocatable (1)",
                          e->type);
    c->sm = elf_sm(e);
    if (c->sm == 0)
        return cubin_fail(status, e->path, "ELF header", "flags", 48, "0x%08" PRIx32 " names no architecture",
                          e->flags);
    c->virtual_sm = virtual_architecture(e);
    c->abi = e->abi_version;
    c->relocatable = e->type == ELF_TYPE_RELOCATABLE;
    return check_total(e, status);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static bool read_symbol(struct module *m, size_t table, size_t index, struct cubin_bytes names)
{
    const uint8_t *p = m->cubin->sections[table].bytes.data + index * ELF_SYMBOL_SIZE;
    uint64_t offset = (uint64_t)(p - m->image.data);
    struct cubin_symbol *s = &m->cubin->symbols[index];
    *s = (struct cubin_symbol){.name = "",
                               .type = p[4] & 0xf,
                               .other = p[5],
                               .section = le16(p + 6),
                               .value = le64(p + 8),
                               .size = le64(p + 16)};
    uint32_t name = le32(p);
    if (name != 0 || names.size != 0)
        s->name = bytes_string(names, name);
    if (s->name == NULL)
        return module_fail(m, table, "symbol", offset, "its name is outside the string table");
    if (s->section >= m->cubin->section_count && s->section < 0xff00)
        return module_fail(m, table, "symbol", offset, "its section is outside the section table");
    return true;
}

static bool read_symbols(struct module *m)
{
    struct cubin *c = m->cubin;
    size_t table = 0;
    while (table < c->section_count &&
           (c->sections[table].type != ELF_SECTION_SYMTAB || !module_owns(&c->sections[table])))
        table++;
    if (table == c->section_count)
        return cubin_fail(m->status, c->path, "section table", "table", le64(m->image.data + 40), "no symbol table");
    const struct cubin_section *s = &c->sections[table];
    if (s->bytes.size % ELF_SYMBOL_SIZE != 0)
        return module_fail(m, table, "table", elf_offset(m->image, s), "its size is no multiple of 24");
    if (s->link >= c->section_count)
        return module_fail(m, table, "link", elf_offset(m->image, s), "the string table is outside the section table");
    size_t count = s->bytes.size / ELF_SYMBOL_SIZE;
    c->symbols = calloc(count > 0 ? count : 1, sizeof *c->symbols);
    if (c->symbols == NULL)
        return cubin_fail_memory(m->status, c->path, "symbols");
    c->symbol_count = count;
    for (size_t i = 0; i < count; i++)
        if (!read_symbol(m, table, i, c->sections[s->link].bytes))
            return false;
    return true;
}

/* ---- relocations ------------------------------------------------------------------------------------------------- */

static size_t relocation_size(const struct cubin_section *s)
{
    return s->type == ELF_SECTION_RELA ? ELF_RELA_SIZE : ELF_REL_SIZE;
}

static bool has_relocations(const struct cubin_section *s)
{
    return (s->type == ELF_SECTION_REL || s->type == ELF_SECTION_RELA) && module_owns(s);
}

/* A REL entry keeps its addend in the field. Only whole words of data are read: in code the field has always been 0. */
static int64_t implied_addend(const struct cubin_section *target, uint32_t type, uint64_t offset)
{
    if (type == RELOCATION_64 && bytes_hold(target->bytes, offset, 8))
        return (int64_t)le64(target->bytes.data + offset);
    if (type == RELOCATION_32 && bytes_hold(target->bytes, offset, 4))
        return (int64_t)le32(target->bytes.data + offset);
    return 0;
}

static bool read_relocation(struct module *m, size_t table, const uint8_t *p)
{
    struct cubin *c = m->cubin;
    const struct cubin_section *s = &c->sections[table], *target = &c->sections[s->info];
    struct cubin_relocation r = {
        .section = (uint16_t)s->info, .type = le32(p + 8), .symbol = le32(p + 12), .offset = le64(p)};
    if (r.offset >= target->size)
        return module_fail(m, table, "relocation", (uint64_t)(p - m->image.data), "it patches outside its section");
    if (r.symbol >= c->symbol_count)
        return module_fail(m, table, "relocation", (uint64_t)(p - m->image.data),
                           "the symbol index is outside the symbol table");
    r.addend = s->type == ELF_SECTION_RELA ? (int64_t)le64(p + 16) : implied_addend(target, r.type, r.offset);
    c->relocations[c->relocation_count++] = r;
    return true;
}

static bool read_relocation_table(struct module *m, size_t table)
{
    const struct cubin_section *s = &m->cubin->sections[table];
    if (s->info >= m->cubin->section_count || s->info > UINT16_MAX)
        return module_fail(m, table, "info", elf_offset(m->image, s),
                           "the patched section is outside the section table");
    if (s->bytes.size % relocation_size(s) != 0)
        return module_fail(m, table, "table", elf_offset(m->image, s), "its size is no multiple of an entry's");
    for (size_t at = 0; at < s->bytes.size; at += relocation_size(s))
        if (!read_relocation(m, table, s->bytes.data + at))
            return false;
    return true;
}

static bool read_relocations(struct module *m)
{
    struct cubin *c = m->cubin;
    size_t count = 0;
    for (size_t i = 0; i < c->section_count; i++)
        if (has_relocations(&c->sections[i]))
            count += c->sections[i].bytes.size / relocation_size(&c->sections[i]);
    c->relocations = calloc(count > 0 ? count : 1, sizeof *c->relocations);
    if (c->relocations == NULL)
        return cubin_fail_memory(m->status, c->path, "relocations");
    for (size_t i = 0; i < c->section_count; i++)
        if (has_relocations(&c->sections[i]) && !read_relocation_table(m, i))
            return false;
    return true;
}

/* ---- module ------------------------------------------------------------------------------------------------------ */

static bool read_module(struct module *m, const char *path)
{
    struct cubin *c = m->cubin;
    struct elf e;
    c->path = strdup(path);
    if (c->path == NULL)
        return cubin_fail_memory(m->status, path, "the path");
    if (!elf_open(&e, m->image, path, m->status))
        return false;
    c->sections = e.sections;
    c->section_count = e.section_count;
    return read_header(c, &e, m->status) && read_symbols(m) && kernels_read(m) && read_relocations(m) &&
           lines_read_files(c, m->image, m->status);
}

bool cubin_open(struct cubin *out, struct cubin_bytes image, const char *path, struct status *status)
{
    *out = (struct cubin){0};
    struct module m = {.cubin = out, .image = image, .status = status};
    bool ok = read_module(&m, path);
    free(m.kernel_of_section);
    free(m.notes);
    if (!ok)
        cubin_close(out);
    return ok;
}

void cubin_close(struct cubin *cubin)
{
    for (size_t i = 0; i < cubin->kernel_count; i++)
        free(cubin->kernels[i].parameters);
    free(cubin->path);
    free(cubin->kernels);
    free(cubin->sections);
    free(cubin->symbols);
    free(cubin->relocations);
    free(cubin->line_files);
    *cubin = (struct cubin){0};
}
