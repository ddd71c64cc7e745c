#include "cubin/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cubin/elf.h"
#include "cubin/fatbin.h"

#define WRAPPER_MAGIC 0x466243b1u
#define SIZE_LIMIT (UINT64_C(1) << 31) /* of one image */

enum {
    WRAPPER_BYTES = 24,
    PAGE = 4096,
    ENTRIES_LIMIT = 1 << 20,
    OPTIONS_LIMIT = 1 << 16,
    PROGRAM_HEADER = 56,
    NAME = 16 /* room for "PTX for sm_123a" */
};

static const char path[] = "code in memory";

struct search {
    const struct cubin_code_memory *memory;
    const struct cubin_code_wish *wish;
    struct cubin_code *out;
    struct status *status;
    uint64_t best_at; /* entry */
    struct fatbin_entry best;
    bool found;
    char list[240]; /* the images present */
    size_t used;
};

static enum cubin_code_answer wrong(struct search *s, const char *what, uint64_t at, const char *why)
{
    status_fail(s->status, STATUS_FORMAT, "%s: %s at 0x%" PRIx64 ": %s", path, what, at, why);
    return CUBIN_CODE_WRONG;
}

static enum cubin_code_answer short_of_memory(struct search *s)
{
    cubin_fail_memory(s->status, path, "an image");
    return CUBIN_CODE_MEMORY;
}

static bool get(const struct search *s, void *to, uint64_t from, size_t bytes)
{
    return from <= UINT64_MAX - bytes && s->memory->read(s->memory->self, to, from, bytes);
}

/* Copies [from, from + bytes) into a buffer with a zero byte behind it. */
static enum cubin_code_answer fetch(struct search *s, uint8_t **out, uint64_t from, uint64_t bytes)
{
    if (bytes > SIZE_LIMIT)
        return wrong(s, "image", from, "it has more than 2 GiB");
    uint8_t *copy = malloc((size_t)bytes + 1);
    if (copy == NULL)
        return short_of_memory(s);
    if (!get(s, copy, from, (size_t)bytes)) {
        free(copy);
        return wrong(s, "image", from, "it reaches beyond readable memory");
    }
    copy[bytes] = 0;
    *out = copy;
    return CUBIN_CODE_FOUND;
}

/* ---- one image by itself ----------------------------------------------------------------------------------------- */

static void reach(uint64_t *end, uint64_t offset, uint64_t bytes)
{
    if (offset > SIZE_LIMIT || bytes > SIZE_LIMIT)
        *end = UINT64_MAX;
    else if (offset + bytes > *end)
        *end = offset + bytes;
}

/* A cubin ends with the last part that its headers name. */
static enum cubin_code_answer find_cubin(struct search *s, uint64_t at)
{
    uint8_t h[ELF_HEADER_SIZE], section[ELF_SECTION_SIZE];
    if (!get(s, h, at, sizeof h))
        return wrong(s, "ELF header", at, "it reaches beyond readable memory");
    if (elf_machine((struct cubin_bytes){h, sizeof h}) != ELF_MACHINE_CUDA)
        return wrong(s, "ELF header", at, "not a cubin: its machine is not CUDA (190)");
    uint64_t end = sizeof h, table = le64(h + 40);
    uint32_t count = le16(h + 60);
    reach(&end, le64(h + 32), (uint64_t)le16(h + 56) * PROGRAM_HEADER);
    reach(&end, table, (uint64_t)count * sizeof section);
    for (uint32_t i = 0; i < count && end != UINT64_MAX; i++) {
        if (!get(s, section, at + table + i * sizeof section, sizeof section))
            return wrong(s, "section table", at + table, "it reaches beyond readable memory");
        if (le32(section + 4) != 0 && le32(section + 4) != ELF_SECTION_NOBITS)
            reach(&end, le64(section + 24), le64(section + 32));
    }
    s->out->image = (struct cubin_image){.kind = CUBIN_IMAGE_ELF, .stored_bytes = end, .bytes = end};
    return fetch(s, &s->out->stored, at, end);
}

static bool is_ptx(const char *text) { return strstr(text, ".version") != NULL && strstr(text, ".target") != NULL; }

static enum cubin_code_answer find_ptx(struct search *s, uint64_t at)
{
    uint64_t size = 0, room = 0;
    char *text = NULL;
    for (bool ends = false; !ends;) {
        size_t step = (size_t)(PAGE - (at + size) % PAGE);
        if (size + step + 1 > room) {
            room = (size + step + 1) * 2;
            char *larger = room > SIZE_LIMIT ? NULL : realloc(text, (size_t)room);
            if (larger == NULL) {
                free(text);
                return short_of_memory(s);
            }
            text = larger;
        }
        while (step > 0 && !get(s, text + size, at + size, step))
            step /= 2; /* a buffer can end within a page */
        if (step == 0) {
            free(text);
            return wrong(s, "image", at, "neither fatbin, cubin nor PTX text that ends in a zero byte");
        }
        size_t used = strnlen(text + size, step);
        ends = used < step;
        size += used;
    }
    text[size] = 0;
    if (!is_ptx(text)) {
        free(text);
        return wrong(s, "image", at, "neither fatbin, cubin nor PTX text");
    }
    s->out->image = (struct cubin_image){.kind = CUBIN_IMAGE_PTX, .stored_bytes = size, .bytes = size};
    s->out->stored = (uint8_t *)text;
    return CUBIN_CODE_FOUND;
}

/* ---- choice ------------------------------------------------------------------------------------------------------ */

bool cubin_same_family(unsigned a, unsigned b)
{
    static const unsigned families[][2] = {{100, 103}, {120, 121}};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const unsigned *f = families[i];
        if ((a == f[0] || a == f[1]) && (b == f[0] || b == f[1]))
            return true;
    }
    return a == b;
}

static bool runs(const struct cubin_image *image, const struct cubin_code_wish *wish)
{
    if (image->sm > wish->sm || image->kind == CUBIN_IMAGE_OTHER)
        return false;
    if ((image->flags & FATBIN_ARCHITECTURE) != 0)
        return image->sm == wish->sm;
    if ((image->flags & FATBIN_FAMILY) != 0)
        return cubin_same_family(image->sm, wish->sm);
    return image->kind == CUBIN_IMAGE_PTX || image->sm / 10 == wish->sm / 10;
}

/* Larger is better: machine code, then the architecture, then how special it is. */
static unsigned rank(const struct cubin_image *image)
{
    unsigned special = (image->flags & FATBIN_ARCHITECTURE) != 0 ? 2 : (image->flags & FATBIN_FAMILY) != 0 ? 1 : 0;
    return (image->kind == CUBIN_IMAGE_ELF ? 1u << 30 : 0) + (image->sm & 0xffff) * 4 + special;
}

static void list(struct search *s, const struct cubin_image *image)
{
    size_t room = sizeof s->list - s->used;
    if (image->kind == CUBIN_IMAGE_OTHER || room < 2 * NAME)
        return;
    const char *suffix = (image->flags & FATBIN_ARCHITECTURE) != 0 ? "a"
                         : (image->flags & FATBIN_FAMILY) != 0     ? "f"
                                                                   : "";
    int n = snprintf(s->list + s->used, room, "%s%ssm_%u%s", s->used > 0 ? ", " : "",
                     image->kind == CUBIN_IMAGE_PTX ? "PTX for " : "", image->sm, suffix);
    s->used += n > 0 ? (size_t)n : 0;
}

static void consider(struct search *s, const struct fatbin_entry *entry, uint64_t at)
{
    list(s, &entry->image);
    if (!runs(&entry->image, s->wish) || (s->wish->ptx_only && entry->image.kind != CUBIN_IMAGE_PTX))
        return;
    if (s->found && rank(&entry->image) <= rank(&s->best.image))
        return;
    s->found = true;
    s->best = *entry;
    s->best_at = at;
}

/* ---- containers -------------------------------------------------------------------------------------------------- */

static enum cubin_code_answer walk(struct search *s, uint64_t at, uint64_t end)
{
    for (unsigned count = 0; at < end; count++) {
        uint8_t header[FATBIN_ENTRY];
        struct fatbin_entry entry;
        if (end - at < sizeof header || count == ENTRIES_LIMIT)
            return wrong(s, "fatbin entry", at, "the container ends inside the entry header");
        if (!get(s, header, at, sizeof header))
            return wrong(s, "fatbin entry", at, "it reaches beyond readable memory");
        if (!fatbin_entry(&entry, header))
            return wrong(s, "fatbin entry", at, "the compressed size is larger than the payload");
        if (entry.header_bytes < FATBIN_ENTRY || entry.header_bytes > end - at)
            return wrong(s, "fatbin entry", at, "the header size is outside the container");
        if (entry.payload_bytes > end - at - entry.header_bytes)
            return wrong(s, "fatbin entry", at, "the payload ends outside the container");
        consider(s, &entry, at);
        at += entry.header_bytes + entry.payload_bytes;
    }
    return CUBIN_CODE_FOUND;
}

/* The options of a PTX entry: a record of offset and length, then the text. Unexpected parts are left out. */
static enum cubin_code_answer fetch_options(struct search *s)
{
    uint8_t record[8];
    uint32_t at = s->best.options, room = s->best.header_bytes;
    if (s->best.image.kind != CUBIN_IMAGE_PTX || at < FATBIN_ENTRY || at > room - sizeof record)
        return CUBIN_CODE_FOUND;
    if (!get(s, record, s->best_at + at, sizeof record))
        return wrong(s, "fatbin entry", s->best_at, "it reaches beyond readable memory");
    uint32_t start = le32(record), length = le32(record + 4);
    if (length == 0 || length > OPTIONS_LIMIT || start > room || length > room - start)
        return CUBIN_CODE_FOUND;
    uint8_t *text = NULL;
    enum cubin_code_answer answer = fetch(s, &text, s->best_at + start, length);
    s->out->options = (char *)text;
    return answer;
}

static enum cubin_code_answer find_container(struct search *s, uint64_t at)
{
    uint8_t h[FATBIN_HEADER];
    if (!get(s, h, at, sizeof h))
        return wrong(s, "fatbin container", at, "it reaches beyond readable memory");
    uint64_t header = le16(h + 6), entries = le64(h + 8);
    if (le32(h) != FATBIN_MAGIC)
        return wrong(s, "fatbin container", at, "the magic is not 0xba55ed50");
    if (le16(h + 4) != 1 || header < FATBIN_HEADER)
        return wrong(s, "fatbin container", at, "neither its version is 1 nor its header known");
    if (entries > UINT64_MAX - at - header)
        return wrong(s, "fatbin container", at, "the entries end outside of memory");
    enum cubin_code_answer answer = walk(s, at + header, at + header + entries);
    if (answer != CUBIN_CODE_FOUND)
        return answer;
    if (!s->found) {
        status_fail(s->status, STATUS_UNSUPPORTED, "no code that runs on sm_%u%s; there is %s", s->wish->sm,
                    s->wish->ptx_only ? " when PTX alone is allowed (CUDA_FORCE_PTX_JIT)" : "",
                    s->used > 0 ? s->list : "none at all");
        return CUBIN_CODE_NONE;
    }
    s->out->image = s->best.image;
    answer = fetch(s, &s->out->stored, s->best_at + s->best.header_bytes, s->best.image.stored_bytes);
    return answer == CUBIN_CODE_FOUND ? fetch_options(s) : answer;
}

static enum cubin_code_answer find(struct search *s, uint64_t address)
{
    uint8_t magic[4], wrapper[WRAPPER_BYTES];
    if (!get(s, magic, address, sizeof magic))
        return wrong(s, "image", address, "the memory cannot be read");
    if (le32(magic) == WRAPPER_MAGIC) {
        if (!get(s, wrapper, address, sizeof wrapper))
            return wrong(s, "fatbin wrapper", address, "it reaches beyond readable memory");
        return find_container(s, le64(wrapper + 8));
    }
    if (le32(magic) == FATBIN_MAGIC)
        return find_container(s, address);
    if (elf_is((struct cubin_bytes){magic, sizeof magic}))
        return find_cubin(s, address);
    return find_ptx(s, address);
}

enum cubin_code_answer cubin_code_find(struct cubin_code *out, const struct cubin_code_memory *memory, uint64_t address,
                                       const struct cubin_code_wish *wish, struct status *status)
{
    struct search s = {.memory = memory, .wish = wish, .out = out, .status = status};
    *out = (struct cubin_code){0};
    enum cubin_code_answer answer = find(&s, address);
    if (answer != CUBIN_CODE_FOUND)
        cubin_code_free(out);
    return answer;
}

bool cubin_code_unpack(const struct cubin_code *code, struct cubin_bytes *out, uint8_t **owned, struct status *status)
{
    struct cubin_bytes stored = {code->stored, (size_t)code->image.stored_bytes};
    return fatbin_unpack(&code->image, stored, path, out, owned, status);
}

void cubin_code_free(struct cubin_code *code)
{
    free(code->stored);
    free(code->options);
    *code = (struct cubin_code){0};
}
