#include "cubin/image.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROGRAM_HEADER_SIZE = 56, SEGMENT_HEADERS = 6, SEGMENT_LOAD = 1, READ = 4, WRITE = 2, EXECUTE = 1 };

uint32_t image_add(struct image *image, const char *name, const char *suffix, uint32_t type, uint32_t flags,
                   uint32_t alignment)
{
    if (image->count == image->room) {
        size_t room = image->room * 2 + 32;
        struct image_section *sections = realloc(image->sections, room * sizeof *sections);
        if (!sections) {
            image->failed = true;
            return 0;
        }
        image->sections = sections;
        image->room = room;
    }
    size_t length = strlen(name) + strlen(suffix) + 1;
    char *full = malloc(length);
    image->failed |= !full;
    if (full)
        snprintf(full, length, "%s%s", name, suffix);
    image->sections[image->count] =
        (struct image_section){.name = full, .type = type, .flags = flags, .alignment = alignment};
    return (uint32_t)image->count++;
}

void image_free(struct image *image)
{
    for (size_t i = 0; i < image->count; i++) {
        free(image->sections[i].name);
        buffer_free(&image->sections[i].bytes);
    }
    free(image->sections);
    *image = (struct image){0};
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Bits 31:16 are the same on every architecture, bits 7:0 change with sm_100. */
static uint32_t header_flags(unsigned sm) { return 0x06000000u | sm << 8 | (sm >= 100 ? 2u : 4u); }

static void put_header(const struct image *image, struct buffer *out, uint64_t sections, uint64_t programs,
                       unsigned program_count)
{
    static const uint8_t identity[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1, ELF_OS_ABI_CUDA_13, 8};
    buffer_put(out, identity, sizeof identity);
    buffer_number(out, ELF_TYPE_EXECUTABLE, 2);
    buffer_number(out, ELF_MACHINE_CUDA, 2);
    buffer_number(out, 1, 4); /* version */
    buffer_number(out, 0, 8); /* entry */
    buffer_number(out, programs, 8);
    buffer_number(out, sections, 8);
    buffer_number(out, header_flags(image->sm), 4);
    buffer_number(out, ELF_HEADER_SIZE, 2);
    buffer_number(out, PROGRAM_HEADER_SIZE, 2);
    buffer_number(out, program_count, 2);
    buffer_number(out, ELF_SECTION_SIZE, 2);
    buffer_number(out, image->count, 2);
    buffer_number(out, 1, 2); /* section of the sections' names */
}

static void name_sections(struct image *image, uint32_t *names)
{
    struct buffer *strings = &image->sections[1].bytes;
    buffer_string(strings, "");
    names[0] = 0;
    for (size_t i = 1; i < image->count; i++)
        names[i] = buffer_string(strings, image->sections[i].name);
}

static uint64_t section_size(const struct image_section *s)
{
    return s->type == ELF_SECTION_NOBITS ? s->size : s->bytes.size;
}

static void put_sections(struct image *image, struct buffer *out)
{
    for (size_t i = 1; i < image->count; i++) {
        struct image_section *s = &image->sections[i];
        if (s->type != ELF_SECTION_NOBITS)
            buffer_align(out, s->alignment);
        s->offset = out->size;
        out->failed |= s->bytes.failed;
        buffer_put(out, s->bytes.data, s->bytes.size);
    }
    buffer_align(out, 8);
}

static void put_section_table(const struct image *image, const uint32_t *names, struct buffer *out)
{
    buffer_zero(out, ELF_SECTION_SIZE);
    for (size_t i = 1; i < image->count; i++) {
        const struct image_section *s = &image->sections[i];
        buffer_number(out, names[i], 4);
        buffer_number(out, s->type, 4);
        buffer_number(out, s->flags, 8);
        buffer_number(out, 0, 8); /* address */
        buffer_number(out, s->offset, 8);
        buffer_number(out, section_size(s), 8);
        buffer_number(out, s->link, 4);
        buffer_number(out, s->info, 4);
        buffer_number(out, s->alignment, 8);
        buffer_number(out, s->entry, 8);
    }
}

struct segment {
    uint32_t type, flags;
    uint64_t offset, file_size, memory_size;
};

/* Access to a loaded section; before sm_90 constants and code share a segment. */
static uint32_t access_of(const struct image *image, const struct image_section *s)
{
    if (!(s->flags & IMAGE_ALLOC))
        return 0;
    if (s->flags & IMAGE_WRITE)
        return READ | WRITE;
    return image_is_new(image->sm) && !(s->flags & IMAGE_EXECUTE) ? READ : READ | EXECUTE;
}

/* Neighbours with the same access make a segment. */
static unsigned find_segments(const struct image *image, struct segment *segments)
{
    unsigned count = 0;
    uint32_t previous = 0;
    for (size_t i = 1; i < image->count; i++) {
        const struct image_section *s = &image->sections[i];
        uint32_t flags = access_of(image, s);
        if (flags != 0 && flags != previous)
            segments[count++] = (struct segment){.type = SEGMENT_LOAD, .flags = flags, .offset = s->offset};
        previous = flags;
        if (flags == 0)
            continue;
        struct segment *last = &segments[count - 1];
        last->file_size = s->offset + s->bytes.size - last->offset;
        last->memory_size = s->type == ELF_SECTION_NOBITS ? last->memory_size + s->size : last->file_size;
    }
    return count;
}

static void put_segment(struct buffer *out, const struct segment *s)
{
    buffer_number(out, s->type, 4);
    buffer_number(out, s->flags, 4);
    buffer_number(out, s->offset, 8);
    buffer_zero(out, 16); /* addresses */
    buffer_number(out, s->file_size, 8);
    buffer_number(out, s->memory_size, 8);
    buffer_number(out, 8, 8); /* alignment */
}

static void put_segments(const struct image *image, const struct segment *segments, unsigned count, struct buffer *out)
{
    uint32_t flags = image_is_new(image->sm) ? READ : READ | EXECUTE;
    uint64_t size = (uint64_t)(count + 2) * PROGRAM_HEADER_SIZE;
    struct segment headers = {SEGMENT_HEADERS, flags, out->size, size, size};
    struct segment load = {SEGMENT_LOAD, flags, out->size, size, size};
    put_segment(out, &headers);
    if (image_is_new(image->sm))
        put_segment(out, &load);
    for (unsigned i = 0; i < count; i++)
        put_segment(out, &segments[i]);
    if (!image_is_new(image->sm))
        put_segment(out, &load);
}

void image_finish(struct image *image, struct buffer *out)
{
    uint32_t *names = calloc(image->count + 1, sizeof *names);
    struct segment *segments = calloc(image->count + 1, sizeof *segments);
    out->failed |= image->failed || !names || !segments;
    if (!out->failed) {
        name_sections(image, names);
        buffer_zero(out, ELF_HEADER_SIZE);
        put_sections(image, out);
        unsigned count = find_segments(image, segments);
        uint64_t table = out->size;
        put_section_table(image, names, out);
        uint64_t programs = out->size;
        put_segments(image, segments, count, out);
        struct buffer header = {0};
        put_header(image, &header, table, programs, count + 2);
        out->failed |= header.failed;
        if (!out->failed)
            memcpy(out->data, header.data, header.size);
        buffer_free(&header);
    }
    free(names);
    free(segments);
}
