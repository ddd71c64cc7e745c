#include "cubin/host.h"

#include <stdlib.h>

#include "cubin/elf.h"

/* System V ABI, "Program Header" and "Dynamic Section". */
enum {
    PROGRAM_HEADER_SIZE = 56,
    SEGMENT_LOAD = 1,
    SEGMENT_DYNAMIC = 2,
    DYNAMIC_ENTRY_SIZE = 16,
    DYNAMIC_END = 0,
    DYNAMIC_NEEDED = 1,
    DYNAMIC_STRINGS = 5,
    DYNAMIC_STRINGS_SIZE = 10,
    SHORTEST_HEADER = 20
};

static const char headers_name[] = "program headers", dynamic_name[] = "dynamic section";

struct segments {
    struct cubin_bytes image;
    const char *path;
    uint64_t at, count;
    struct status *status;
};

static const uint8_t *segment(const struct segments *s, uint64_t index)
{
    return s->image.data + s->at + index * PROGRAM_HEADER_SIZE;
}

static bool find_segments(struct segments *s)
{
    const uint8_t *h = s->image.data;
    if (s->image.size < ELF_HEADER_SIZE)
        return cubin_fail(s->status, s->path, "ELF header", "header", 0, "the file ends after %zu of %d bytes",
                          s->image.size, ELF_HEADER_SIZE);
    s->at = le64(h + 32);
    s->count = le16(h + 56);
    if (s->count > 0 && le16(h + 54) != PROGRAM_HEADER_SIZE)
        return cubin_fail(s->status, s->path, "ELF header", "program header size", 54, "%u instead of %d", le16(h + 54),
                          PROGRAM_HEADER_SIZE);
    if (!bytes_hold(s->image, s->at, s->count * PROGRAM_HEADER_SIZE))
        return cubin_fail(s->status, s->path, headers_name, "table", s->at, "it ends outside the file of %zu bytes",
                          s->image.size);
    return true;
}

/* The bytes that a segment has in the file. */
static bool contents(const struct segments *s, uint64_t index, struct cubin_bytes *out)
{
    const uint8_t *p = segment(s, index);
    uint64_t offset = le64(p + 8), size = le64(p + 32);
    if (!bytes_hold(s->image, offset, size))
        return cubin_fail(s->status, s->path, headers_name, "segment", (uint64_t)(p - s->image.data),
                          "it ends outside the file of %zu bytes", s->image.size);
    *out = bytes_slice(s->image, offset, size);
    return true;
}

/* The bytes loaded at an address, to the end of its segment. */
static bool at_address(const struct segments *s, uint64_t address, struct cubin_bytes *out)
{
    for (uint64_t i = 0; i < s->count; i++) {
        const uint8_t *p = segment(s, i);
        uint64_t begin = le64(p + 16);
        struct cubin_bytes bytes;
        if (le32(p) != SEGMENT_LOAD || address < begin || address - begin >= le64(p + 32))
            continue;
        if (!contents(s, i, &bytes))
            return false;
        *out = bytes_slice(bytes, address - begin, bytes.size - (address - begin));
        return true;
    }
    return cubin_fail(s->status, s->path, dynamic_name, "string table", address, "no segment has its address");
}

/* Value of a kind's first entry; 0 where there is none. */
static uint64_t entry(struct cubin_bytes dynamic, uint64_t tag)
{
    for (size_t at = 0; at + DYNAMIC_ENTRY_SIZE <= dynamic.size; at += DYNAMIC_ENTRY_SIZE) {
        uint64_t found = le64(dynamic.data + at);
        if (found == tag)
            return le64(dynamic.data + at + 8);
        if (found == DYNAMIC_END)
            break;
    }
    return 0;
}

static bool find_strings(struct host_program *program, const struct segments *s, struct cubin_bytes dynamic)
{
    uint64_t address = entry(dynamic, DYNAMIC_STRINGS), size = entry(dynamic, DYNAMIC_STRINGS_SIZE);
    if (size == 0)
        return true;
    if (!at_address(s, address, &program->strings))
        return false;
    if (size > program->strings.size || program->strings.data[size - 1] != 0)
        return cubin_fail(s->status, s->path, dynamic_name, "string table", address,
                          "it ends outside its segment, or without a zero byte");
    program->strings.size = (size_t)size;
    return true;
}

static bool take_string(const struct host_program *program, const struct segments *s, uint64_t offset,
                        const char **text)
{
    *text = bytes_string(program->strings, offset);
    return *text || cubin_fail(s->status, s->path, dynamic_name, "name", offset, "it is outside the string table");
}

static bool read_entries(struct host_program *program, const struct segments *s, struct cubin_bytes dynamic)
{
    program->needed = calloc(dynamic.size / DYNAMIC_ENTRY_SIZE + 1, sizeof *program->needed);
    if (!program->needed)
        return cubin_fail_memory(s->status, s->path, "the list of libraries");
    for (size_t at = 0; at + DYNAMIC_ENTRY_SIZE <= dynamic.size; at += DYNAMIC_ENTRY_SIZE) {
        uint64_t tag = le64(dynamic.data + at), value = le64(dynamic.data + at + 8);
        if (tag == DYNAMIC_END)
            break;
        if (tag == DYNAMIC_NEEDED && !take_string(program, s, value, &program->needed[program->needed_count++]))
            return false;
    }
    return true;
}

static bool read_dynamic(struct host_program *program, const struct segments *s)
{
    for (uint64_t i = 0; i < s->count; i++) {
        struct cubin_bytes dynamic;
        if (le32(segment(s, i)) != SEGMENT_DYNAMIC)
            continue;
        program->dynamic = true;
        return contents(s, i, &dynamic) && find_strings(program, s, dynamic) && read_entries(program, s, dynamic);
    }
    return true;
}

/* A program whose section table was removed still runs: it has no device code that anything could find. */
static bool has_device_code(struct cubin_bytes image, const char *path)
{
    struct elf e;
    struct status ignored = {0};
    bool found = false;
    if (!elf_open(&e, image, path, &ignored))
        return false;
    for (size_t i = 0; i < e.section_count; i++)
        found |= e.sections[i].bytes.size > 0 &&
                 (strcmp(e.sections[i].name, ".nv_fatbin") == 0 || strcmp(e.sections[i].name, "__nv_relfatbin") == 0);
    elf_close(&e);
    return found;
}

bool host_program_open(struct host_program *out, struct cubin_bytes image, const char *path, struct status *status)
{
    struct segments s = {.image = image, .path = path, .status = status};
    *out = (struct host_program){0};
    if (!elf_is(image) || image.size < SHORTEST_HEADER || image.data[5] != 1)
        return cubin_fail(status, path, "ELF header", "header", 0, "not a little-endian ELF file");
    *out = (struct host_program){.wide = image.data[4] == 2, .machine = elf_machine(image)};
    if (!out->wide)
        return true;
    out->device_code = has_device_code(image, path);
    if (find_segments(&s) && read_dynamic(out, &s))
        return true;
    host_program_close(out);
    return false;
}

void host_program_close(struct host_program *program)
{
    free(program->needed);
    *program = (struct host_program){0};
}

bool host_program_mentions(const struct host_program *program, const char *symbol)
{
    const char *text = (const char *)program->strings.data;
    for (size_t at = 0; at < program->strings.size; at += strlen(text + at) + 1)
        if (strcmp(text + at, symbol) == 0)
            return true;
    return false;
}

bool host_library_is_closed(const char *name)
{
    static const char *const names[] = {"libcublas",     "libcufft",  "libcusparse", "libcusolver", "libcurand",
                                        "libcudnn",      "libnpp",    "libnvjpeg",   "libnccl",     "libcutensor",
                                        "libcusparseLt", "libcufile", "libnvblas",   "libcupti"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}
