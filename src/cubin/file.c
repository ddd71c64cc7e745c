#include "base/file.h"

#include "cubin/elf.h"
#include "cubin/fatbin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Line tables and row orders count a file's bytes in 32 bits. */
#define FILE_LIMIT ((size_t)UINT32_MAX)

enum { PTX_SEARCH = 4096 };

static const char fatbin_section[] = ".nv_fatbin";
static const char relocatable_section[] = "__nv_relfatbin";

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static bool list_cubin(struct cubin_file *f, struct image_list *list, struct status *status)
{
    struct elf e;
    if (!elf_open(&e, f->bytes, f->path, status))
        return false;
    struct cubin_image image = {
        .kind = CUBIN_IMAGE_ELF, .sm = elf_sm(&e), .stored_bytes = f->bytes.size, .bytes = f->bytes.size};
    elf_close(&e);
    f->kind = CUBIN_FILE_CUBIN;
    return image_list_add(list, &image, f->path, status);
}

static bool list_fatbin(struct cubin_file *f, struct image_list *list, struct status *status)
{
    f->kind = CUBIN_FILE_FATBIN;
    return fatbin_list(list, f->bytes, 0, f->bytes.size, f->path, status);
}

/* The containers of one program can be spread over several sections of the same name (in an object file). */
static bool list_sections(const struct elf *e, const char *name, struct image_list *list, struct status *status)
{
    uint64_t total = 0;
    for (size_t i = 0; i < e->section_count; i++) {
        const struct cubin_section *s = &e->sections[i];
        if (strcmp(s->name, name) != 0 || s->bytes.size == 0)
            continue;
        total += s->bytes.size;
        uint64_t start = elf_offset(e->image, s);
        if (total > e->image.size)
            return cubin_fail(status, e->path, name, "section", start, "the sections of this name overlap");
        if (!fatbin_list(list, e->image, start, start + s->bytes.size, e->path, status))
            return false;
    }
    return true;
}

static bool list_host(struct cubin_file *f, struct image_list *list, struct status *status)
{
    struct elf e;
    f->kind = CUBIN_FILE_HOST;
    if (!elf_open(&e, f->bytes, f->path, status))
        return false;
    bool ok = list_sections(&e, fatbin_section, list, status);
    if (ok && list->count == 0)
        ok = list_sections(&e, relocatable_section, list, status);
    elf_close(&e);
    if (ok && list->count == 0)
        return cubin_fail(status, f->path, "section table", "table", le64(f->bytes.data + 40),
                          "no device code in this host file: there is no section %s", fatbin_section);
    return ok;
}

static bool contains(struct cubin_bytes b, const char *text)
{
    return memmem(b.data, b.size < PTX_SEARCH ? b.size : PTX_SEARCH, text, strlen(text)) != NULL;
}

static bool list_images(struct cubin_file *f, struct image_list *list, struct status *status)
{
    if (f->bytes.size == 0)
        return cubin_fail(status, f->path, "file", "header", 0, "the file is empty");
    if (fatbin_is(f->bytes))
        return list_fatbin(f, list, status);
    if (elf_is(f->bytes))
        return elf_machine(f->bytes) == ELF_MACHINE_CUDA ? list_cubin(f, list, status) : list_host(f, list, status);
    if (contains(f->bytes, ".version") && contains(f->bytes, ".target"))
        return cubin_fail(status, f->path, "file", "header", 0,
                          "PTX text has no machine code; compile it for an architecture with ptxas or nvcc -cubin");
    return cubin_fail(status, f->path, "file", "header", 0, "neither a cubin, a fatbin nor a host ELF file");
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Takes over `data`. */
static bool open_owned(struct cubin_file *out, uint8_t *data, size_t size, const char *path, struct status *status)
{
    struct image_list list = {.images = NULL};
    *out = (struct cubin_file){.path = strdup(path), .bytes = {data, size}};
    bool ok = out->path != NULL ? list_images(out, &list, status) : cubin_fail_memory(status, path, "the path");
    out->images = list.images;
    out->image_count = list.count;
    if (!ok)
        cubin_file_close(out);
    return ok;
}

bool cubin_file_open(struct cubin_file *out, const char *path, struct status *status)
{
    struct file_bytes bytes;
    *out = (struct cubin_file){0};
    return file_read(path, FILE_LIMIT, &bytes, status) && open_owned(out, bytes.data, bytes.size, path, status);
}

bool cubin_file_open_bytes(struct cubin_file *out, struct cubin_bytes bytes, const char *path, struct status *status)
{
    *out = (struct cubin_file){0};
    uint8_t *copy = malloc(bytes.size > 0 ? bytes.size : 1);
    if (copy == NULL)
        return cubin_fail_memory(status, path, "a copy of the file");
    if (bytes.size > 0)
        memcpy(copy, bytes.data, bytes.size);
    return open_owned(out, copy, bytes.size, path, status);
}

void cubin_file_close(struct cubin_file *file)
{
    free(file->path);
    free((uint8_t *)(uintptr_t)file->bytes.data);
    free(file->images);
    *file = (struct cubin_file){0};
}

/* ---- choice of an image ------------------------------------------------------------------------------------------ */

static const char *kind_prefix(enum cubin_image_kind kind)
{
    switch (kind) {
    case CUBIN_IMAGE_ELF: return "";
    case CUBIN_IMAGE_PTX: return "PTX for ";
    default: return "other for ";
    }
}

static void list_architectures(const struct cubin_file *f, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < f->image_count && room - used > 32; i++) {
        const struct cubin_image *image = &f->images[i];
        int n = snprintf(text + used, room - used, "%s%ssm_%u", i > 0 ? ", " : "", kind_prefix(image->kind), image->sm);
        used += n > 0 ? (size_t)n : 0;
    }
    if (room - used <= 32)
        snprintf(text + used, room - used, ", and more");
}

/* Code runs on its own architecture and on later ones of the same major number. */
static bool better(const struct cubin_image *a, const struct cubin_image *b)
{
    return b == NULL || a->sm > b->sm || (a->sm == b->sm && a->bytes > b->bytes);
}

const struct cubin_image *cubin_file_select(const struct cubin_file *file, unsigned sm, struct status *status)
{
    const struct cubin_image *best = NULL;
    for (size_t i = 0; i < file->image_count; i++) {
        const struct cubin_image *image = &file->images[i];
        bool fits = image->kind == CUBIN_IMAGE_ELF && image->sm / 10 == sm / 10 && image->sm <= sm;
        if (fits && better(image, best))
            best = image;
    }
    if (best != NULL)
        return best;
    char list[320];
    list_architectures(file, list, sizeof list);
    status_fail(status, STATUS_UNSUPPORTED, "%s: no machine code that runs on sm_%u; the file has %s", file->path, sm,
                file->image_count > 0 ? list : "no image");
    return NULL;
}
