/* An ELF64 file of CUDA that is being built: its sections, then the file. */
#ifndef SUBCORE_CUBIN_IMAGE_H
#define SUBCORE_CUBIN_IMAGE_H

#include "cubin/buffer.h"
#include "cubin/elf.h"

enum {
    IMAGE_PROGBITS = 1,
    IMAGE_STRTAB = 3,
    IMAGE_NOTE = 7,
    IMAGE_CUDA_INFO = 0x70000000,
    IMAGE_CUDA_CALLGRAPH = 0x70000001,
    IMAGE_CUDA_RELOCINFO = 0x7000000b,
    IMAGE_CUDA_COMPAT = 0x70000086
};

enum {
    IMAGE_WRITE = 1,
    IMAGE_ALLOC = 2,
    IMAGE_EXECUTE = 4,
    IMAGE_INFO_LINK = 0x40,
    IMAGE_NOTE_TOOL = 0x2000000, /* flags that CUDA 13 gives its notes */
    IMAGE_NOTE_CUDA = 0x1000000
};

struct image_section {
    char *name; /* owned */
    uint32_t type, flags, link, info, alignment, entry;
    struct buffer bytes;
    uint64_t size; /* of NOBITS */
    uint64_t offset;
};

struct image {
    unsigned sm;
    struct image_section *sections; /* [0] is the empty one */
    size_t count, room;
    bool failed; /* no memory */
};

/* The section "<name>" or, with a suffix, "<name><suffix>". Gives its index. */
uint32_t image_add(struct image *image, const char *name, const char *suffix, uint32_t type, uint32_t flags,
                   uint32_t alignment);
/* The file: header, sections in order, section table, program headers. Fills section 1 with the names. */
void image_finish(struct image *image, struct buffer *out);
void image_free(struct image *image);

/* CUDA 13 writes code for sm_90 and later with other relocations, attributes and segments than before. */
static inline bool image_is_new(unsigned sm) { return sm >= 90; }

#endif
