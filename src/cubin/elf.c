#include "cubin/elf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static const char table_name[] = "section table";

bool cubin_fail(struct status *status, const char *path, const char *where, const char *what, uint64_t offset,
                const char *why, ...)
{
    char reason[256], place[128];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(reason, sizeof reason, why, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%s", where);
    text_make_printable(reason, "");
    text_make_printable(place, "");
    return status_fail(status, STATUS_FORMAT, "%s: %s: %s at 0x%" PRIx64 ": %s", path, place, what, offset, reason);
}

bool cubin_fail_memory(struct status *status, const char *path, const char *what)
{
    return status_fail(status, STATUS_MEMORY, "%s: no memory for %s", path, what);
}

bool elf_is(struct cubin_bytes image) { return image.size >= 4 && memcmp(image.data, "\177ELF", 4) == 0; }

uint16_t elf_machine(struct cubin_bytes image) { return image.size >= 20 ? le16(image.data + 18) : 0; }

uint64_t elf_offset(struct cubin_bytes image, const struct cubin_section *section)
{
    return section->bytes.size == 0 ? 0 : (uint64_t)(section->bytes.data - image.data);
}

unsigned elf_sm(const struct elf *elf)
{
    return elf->os_abi == ELF_OS_ABI_CUDA_13 ? elf->flags >> 8 & 0xff : elf->flags & 0xff;
}

static bool read_identity(struct elf *e, struct status *status)
{
    const uint8_t *h = e->image.data;
    if (!elf_is(e->image))
        return cubin_fail(status, e->path, "ELF header", "magic", 0, "not an ELF file");
    if (e->image.size < ELF_HEADER_SIZE)
        return cubin_fail(status, e->path, "ELF header", "header", 0, "the file ends after %zu of %d bytes",
                          e->image.size, ELF_HEADER_SIZE);
    if (h[4] != 2)
        return cubin_fail(status, e->path, "ELF header", "class", 4, "%u is not ELF64 (2)", h[4]);
    if (h[5] != 1)
        return cubin_fail(status, e->path, "ELF header", "data encoding", 5, "%u is not little-endian (1)", h[5]);
    e->os_abi = h[7];
    e->abi_version = h[8];
    e->type = le16(h + 16);
    e->machine = le16(h + 18);
    e->flags = le32(h + 48);
    return true;
}

struct table {
    uint64_t offset, count;
    uint32_t names;
};

/* With 0xff00 sections and more, count and name section stand in section 0 (System V ABI, "extended numbering"). */
static bool read_table_place(const struct elf *e, struct table *t, struct status *status)
{
    const uint8_t *h = e->image.data;
    *t = (struct table){.offset = le64(h + 40), .count = le16(h + 60), .names = le16(h + 62)};
    if (t->offset == 0)
        return cubin_fail(status, e->path, "ELF header", "section table offset", 40, "the file has no section table");
    if (le16(h + 58) != ELF_SECTION_SIZE)
        return cubin_fail(status, e->path, "ELF header", "section header size", 58, "%u instead of %d", le16(h + 58),
                          ELF_SECTION_SIZE);
    if (!bytes_hold(e->image, t->offset, ELF_SECTION_SIZE))
        return cubin_fail(status, e->path, table_name, "table", t->offset, "it starts outside the file of %zu bytes",
                          e->image.size);
    const uint8_t *first = e->image.data + t->offset;
    if (t->count == 0)
        t->count = le64(first + 32);
    if (t->names == 0xffff)
        t->names = le32(first + 40);
    if (t->count > (e->image.size - t->offset) / ELF_SECTION_SIZE)
        return cubin_fail(status, e->path, table_name, "table", t->offset,
                          "%" PRIu64 " sections do not fit into the file of %zu bytes", t->count, e->image.size);
    if (t->names >= t->count)
        return cubin_fail(status, e->path, "ELF header", "index of the section name table", 62,
                          "%" PRIu32 " of %" PRIu64 " sections", t->names, t->count);
    return true;
}

static bool read_section(struct elf *e, size_t index, const uint8_t *raw, struct status *status)
{
    struct cubin_section *s = &e->sections[index];
    s->type = le32(raw + 4);
    s->flags = (uint32_t)le64(raw + 8);
    s->link = le32(raw + 40);
    s->info = le32(raw + 44);
    s->name = "";
    if (s->type == 0)
        return true;
    s->size = le64(raw + 32);
    if (s->type == ELF_SECTION_NOBITS)
        return true;
    uint64_t offset = le64(raw + 24);
    if (!bytes_hold(e->image, offset, s->size))
        return cubin_fail(status, e->path, table_name, "section header", (uint64_t)(raw - e->image.data),
                          "section %zu (offset 0x%" PRIx64 ", %" PRIu64 " bytes) ends outside the file of %zu bytes",
                          index, offset, s->size, e->image.size);
    s->bytes = bytes_slice(e->image, offset, s->size);
    return true;
}

static bool read_name(struct elf *e, size_t index, const uint8_t *raw, struct cubin_bytes names, struct status *status)
{
    uint32_t offset = le32(raw);
    if (offset == 0 && names.size == 0)
        return true;
    const char *name = bytes_string(names, offset);
    if (name == NULL)
        return cubin_fail(status, e->path, table_name, "section header", (uint64_t)(raw - e->image.data),
                          "name of section %zu (0x%" PRIx32 ") is outside the name table", index, offset);
    e->sections[index].name = name;
    return true;
}

static bool read_sections(struct elf *e, const struct table *t, struct status *status)
{
    e->sections = calloc((size_t)t->count, sizeof *e->sections);
    if (e->sections == NULL)
        return cubin_fail_memory(status, e->path, "the section table");
    e->section_count = (size_t)t->count;
    const uint8_t *raw = e->image.data + t->offset;
    for (size_t i = 0; i < e->section_count; i++)
        if (!read_section(e, i, raw + i * ELF_SECTION_SIZE, status))
            return false;
    struct cubin_bytes names = e->sections[t->names].bytes;
    for (size_t i = 0; i < e->section_count; i++)
        if (!read_name(e, i, raw + i * ELF_SECTION_SIZE, names, status))
            return false;
    return true;
}

bool elf_open(struct elf *out, struct cubin_bytes image, const char *path, struct status *status)
{
    struct table t;
    *out = (struct elf){.path = path, .image = image};
    if (read_identity(out, status) && read_table_place(out, &t, status) && read_sections(out, &t, status))
        return true;
    elf_close(out);
    return false;
}

void elf_close(struct elf *elf)
{
    free(elf->sections);
    *elf = (struct elf){0};
}
