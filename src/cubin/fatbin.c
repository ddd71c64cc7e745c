#include "cubin/fatbin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

enum { CONTAINER_VERSION = 1, ENTRY_PTX = 1, ENTRY_ELF = 2, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, ALIGNMENT = 8 };

/* No decoder of ours expands further than this. The margin is for small images. */
enum { EXPANSION_MAX = 1024, EXPANSION_FREE = 64 << 20 };

struct walk {
    struct image_list *list;
    struct cubin_bytes file;
    const char *path;
    struct status *status;
};

static bool fail(const struct walk *w, const char *what, uint64_t offset, const char *why)
{
    return cubin_fail(w->status, w->path, "fatbin", what, offset, "%s", why);
}

bool fatbin_is(struct cubin_bytes bytes) { return bytes.size >= 4 && le32(bytes.data) == FATBIN_MAGIC; }

bool image_list_add(struct image_list *list, const struct cubin_image *image, const char *path, struct status *status)
{
    if (list->count == list->capacity) {
        size_t more = list->capacity == 0 ? 4 : list->capacity * 2;
        struct cubin_image *grown = realloc(list->images, more * sizeof *grown);
        if (grown == NULL)
            return cubin_fail_memory(status, path, "the list of images");
        list->images = grown;
        list->capacity = more;
    }
    list->images[list->count++] = *image;
    return true;
}

static enum cubin_compression compression_of(const uint8_t *entry)
{
    uint64_t flags = le64(entry + 0x28);
    if (le32(entry + 0x10) == 0)
        return CUBIN_PLAIN;
    if ((flags & FLAG_ZSTD) != 0)
        return CUBIN_ZSTD;
    return (flags & FLAG_LZ4) != 0 ? CUBIN_LZ4 : CUBIN_COMPRESSION_UNKNOWN;
}

bool fatbin_entry(struct fatbin_entry *out, const uint8_t *p)
{
    uint16_t kind = le16(p);
    uint64_t payload = le64(p + 8);
    struct cubin_image image = {.kind = kind == ENTRY_ELF ? CUBIN_IMAGE_ELF : CUBIN_IMAGE_OTHER,
                                .sm = le32(p + 0x1c),
                                .compression = compression_of(p),
                                .stored_bytes = payload,
                                .bytes = payload,
                                .flags = le64(p + 0x28)};
    if (kind == ENTRY_PTX)
        image.kind = CUBIN_IMAGE_PTX;
    if (image.compression != CUBIN_PLAIN) {
        image.stored_bytes = le32(p + 0x10);
        image.bytes = le64(p + 0x38);
    }
    *out = (struct fatbin_entry){
        .image = image, .header_bytes = le32(p + 4), .payload_bytes = payload, .options = le32(p + 0x14)};
    return image.stored_bytes <= payload;
}

static bool add_entry(const struct walk *w, uint64_t at)
{
    struct fatbin_entry entry;
    if (!fatbin_entry(&entry, w->file.data + at))
        return fail(w, "entry", at, "the compressed size is larger than the payload");
    entry.image.offset = at + entry.header_bytes;
    entry.image.container = w->list->containers;
    return image_list_add(w->list, &entry.image, w->path, w->status);
}

/* Entries in [at, end). */
static bool list_entries(const struct walk *w, uint64_t at, uint64_t end)
{
    while (at < end) {
        if (end - at < FATBIN_ENTRY)
            return fail(w, "entry", at, "the container ends inside the entry header");
        const uint8_t *p = w->file.data + at;
        uint32_t header = le32(p + 4);
        uint64_t payload = le64(p + 8);
        if (header < FATBIN_ENTRY || header > end - at)
            return fail(w, "entry", at, "the header size is outside the container");
        if (payload > end - at - header)
            return fail(w, "entry", at, "the payload ends outside the container");
        if (!add_entry(w, at))
            return false;
        at += header + payload;
    }
    return true;
}

static bool list_container(const struct walk *w, uint64_t start, uint64_t limit, uint64_t *end)
{
    if (limit - start < FATBIN_HEADER)
        return fail(w, "container", start, "the file ends inside the container header");
    const uint8_t *p = w->file.data + start;
    uint64_t header = le16(p + 6), entries = le64(p + 8);
    if (le32(p) != FATBIN_MAGIC)
        return fail(w, "container", start, "the magic is not 0xba55ed50");
    if (le16(p + 4) != CONTAINER_VERSION)
        return fail(w, "container", start, "its version is not 1");
    if (header < FATBIN_HEADER || header > limit - start)
        return fail(w, "container", start, "the header size is outside the file");
    if (entries > limit - start - header)
        return fail(w, "container", start, "the entries end outside the file");
    *end = start + header + entries;
    if (!list_entries(w, start + header, *end))
        return false;
    w->list->containers++;
    return true;
}

/* Linkers fill the space between containers with zeros. */
static uint64_t skip_padding(struct cubin_bytes file, uint64_t at, uint64_t end)
{
    while (at < end && (at % ALIGNMENT != 0 || file.data[at] == 0))
        at++;
    return at;
}

bool fatbin_list(struct image_list *list, struct cubin_bytes file, uint64_t start, uint64_t end, const char *path,
                 struct status *status)
{
    const struct walk w = {.list = list, .file = file, .path = path, .status = status};
    for (uint64_t at = start; at < end; at = skip_padding(file, at, end))
        if (!list_container(&w, at, end, &at))
            return false;
    return true;
}

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

static bool decode(enum cubin_compression compression, struct cubin_bytes in, uint8_t *out, size_t size)
{
    if (compression == CUBIN_LZ4)
        return lz4_decode(in, out, size);
    size_t n = ZSTD_decompress(out, size, in.data, in.size);
    return !ZSTD_isError(n) && n == size;
}

bool fatbin_unpack(const struct cubin_image *image, struct cubin_bytes in, const char *path, struct cubin_bytes *out,
                   uint8_t **owned, struct status *status)
{
    const struct walk w = {.path = path, .status = status};
    *owned = NULL;
    *out = in;
    if (image->compression == CUBIN_PLAIN)
        return true;
    if (image->compression == CUBIN_COMPRESSION_UNKNOWN)
        return fail(&w, "image", image->offset, "compressed in a way that is not known (neither LZ4 nor zstd)");
    if (image->bytes == 0)
        return fail(&w, "image", image->offset, "its uncompressed size is missing");
    if (image->bytes > EXPANSION_FREE && image->bytes / EXPANSION_MAX > image->stored_bytes)
        return fail(&w, "image", image->offset, "its uncompressed size is out of proportion to the stored size");
    *owned = malloc((size_t)image->bytes);
    if (*owned == NULL)
        return cubin_fail_memory(status, path, "an uncompressed image");
    if (decode(image->compression, in, *owned, (size_t)image->bytes)) {
        *out = (struct cubin_bytes){*owned, (size_t)image->bytes};
        return true;
    }
    free(*owned);
    *owned = NULL;
    return fail(&w, "image", image->offset,
                image->compression == CUBIN_LZ4 ? "the LZ4 data is damaged" : "the zstd data is damaged");
}

bool cubin_file_image(const struct cubin_file *file, const struct cubin_image *image, struct cubin_bytes *out,
                      uint8_t **owned, struct status *status)
{
    return fatbin_unpack(image, bytes_slice(file->bytes, image->offset, image->stored_bytes), file->path, out, owned,
                         status);
}
