/* ELF files of programs for the CPU, small and made up, and fatbins to put into them. */
#ifndef SUBCORE_TESTS_CUBIN_HOST_IMAGE_H
#define SUBCORE_TESTS_CUBIN_HOST_IMAGE_H

#include <string.h>

#include "cubin/cubin.h"

enum { HOST_IMAGE_BYTES = 1 << 20, HOST_MACHINE = 62 /* x86-64 */ };

struct host_image {
    uint8_t data[HOST_IMAGE_BYTES];
    size_t size;
};

struct host_parts {
    uint16_t machine;       /* 0: HOST_MACHINE */
    bool narrow;            /* ELF32 */
    bool linked_statically; /* no dynamic section */
    const char *needed[8];  /* to the first NULL */
    const char *symbol;
    struct cubin_bytes fatbin; /* contents of .nv_fatbin (empty: no section table at all) */
};

static inline void image_put(struct host_image *image, const void *bytes, size_t size)
{
    memcpy(image->data + image->size, bytes, size);
    image->size += size;
}

static inline void image_number(struct host_image *image, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        image->data[image->size++] = (uint8_t)(i < 8 ? value >> 8 * i : 0u);
}

static inline void image_set(struct host_image *image, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        image->data[at + i] = (uint8_t)(value >> 8 * i);
}

static inline void image_align(struct host_image *image)
{
    while (image->size % 8)
        image->data[image->size++] = 0;
}

/* Adds a text to the string table, and an entry with its place to the dynamic section. */
static inline void image_text(struct host_image *strings, struct host_image *dynamic, uint64_t tag, const char *text)
{
    if (!text)
        return;
    image_number(dynamic, tag, 8);
    image_number(dynamic, strings->size, 8);
    image_put(strings, text, strlen(text) + 1);
}

static inline void image_section(struct host_image *image, uint32_t name, uint32_t type, uint64_t offset, uint64_t size)
{
    image_number(image, name, 4);
    image_number(image, type, 4);
    image_number(image, 0, 16);
    image_number(image, offset, 8);
    image_number(image, size, 8);
    image_number(image, 0, 24);
}

static inline void image_sections(struct host_image *image, struct cubin_bytes fatbin)
{
    static const char names[] = "\0.nv_fatbin\0.names";
    size_t code = image->size;
    image_put(image, fatbin.data, fatbin.size);
    size_t text = image->size;
    image_put(image, names, sizeof names);
    image_align(image);
    image_set(image, 40, image->size, 8);
    image_set(image, 58, 64, 2);
    image_set(image, 60, 3, 2);
    image_set(image, 62, 2, 2);
    image_section(image, 0, 0, 0, 0);
    image_section(image, 1, 1, code, fatbin.size);
    image_section(image, 12, 3, text, sizeof names);
}

/* Where the parts of a dynamic program lie. */
enum { HOST_LOAD = 64, HOST_DYNAMIC_HEADER = 64 + 56, HOST_DYNAMIC = 64 + 2 * 56 };

static inline void image_dynamic(struct host_image *image, const struct host_parts *parts)
{
    static struct host_image strings, dynamic;
    strings.size = dynamic.size = 0;
    image_number(&strings, 0, 1);
    for (unsigned i = 0; i < 8 && parts->needed[i]; i++)
        image_text(&strings, &dynamic, 1, parts->needed[i]);
    if (parts->symbol)
        image_put(&strings, parts->symbol, strlen(parts->symbol) + 1);
    image_number(&dynamic, 5, 8);
    image_number(&dynamic, HOST_DYNAMIC + dynamic.size + 8 + 16 + 16, 8);
    image_number(&dynamic, 10, 8);
    image_number(&dynamic, strings.size, 8);
    image_number(&dynamic, 0, 16);
    image_put(image, dynamic.data, dynamic.size);
    image_put(image, strings.data, strings.size);
    image_align(image);
    image_set(image, HOST_DYNAMIC_HEADER + 8, HOST_DYNAMIC, 8);
    image_set(image, HOST_DYNAMIC_HEADER + 32, dynamic.size, 8);
}

static inline struct cubin_bytes host_image(struct host_image *image, const struct host_parts *parts)
{
    uint8_t header[HOST_DYNAMIC] = {0x7f, 'E', 'L', 'F', parts->narrow ? 1 : 2, 1, 1};
    image->size = 0;
    image_put(image, header, sizeof header);
    image_set(image, 16, 3, 2);
    image_set(image, 18, parts->machine ? parts->machine : HOST_MACHINE, 2);
    image_set(image, 32, HOST_LOAD, 8);
    image_set(image, 54, 56, 2);
    image_set(image, 56, parts->linked_statically ? 1 : 2, 2);
    image_set(image, HOST_LOAD, 1, 4);
    image_set(image, HOST_DYNAMIC_HEADER, 2, 4);
    if (!parts->linked_statically)
        image_dynamic(image, parts);
    if (parts->fatbin.size)
        image_sections(image, parts->fatbin);
    image_set(image, HOST_LOAD + 32, image->size, 8);
    return (struct cubin_bytes){image->data, image->size};
}

/* Adds a container with one entry that is stored plain. */
static inline void fatbin_add(struct host_image *fatbin, bool ptx, unsigned sm, uint64_t flags,
                              struct cubin_bytes payload)
{
    size_t padded = (payload.size + 7) / 8 * 8;
    image_number(fatbin, 0xba55ed50, 4);
    image_number(fatbin, 1, 2);
    image_number(fatbin, 16, 2);
    image_number(fatbin, 64 + padded, 8);
    image_number(fatbin, ptx ? 1 : 2, 2);
    image_number(fatbin, 0x101, 2);
    image_number(fatbin, 64, 4);
    image_number(fatbin, padded, 8);
    image_number(fatbin, 0, 12);
    image_number(fatbin, sm, 4);
    image_number(fatbin, 0, 8);
    image_number(fatbin, flags, 8);
    image_number(fatbin, 0, 16);
    image_put(fatbin, payload.data, payload.size);
    image_align(fatbin);
}

#endif
