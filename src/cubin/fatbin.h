/* The fatbin container: a header and entries, each a header and a payload that may be compressed. */
#ifndef SUBCORE_CUBIN_FATBIN_H
#define SUBCORE_CUBIN_FATBIN_H

#include "cubin/bytes.h"

#define FATBIN_MAGIC 0xba55ed50u
enum {
    FATBIN_HEADER = 16, /* bytes of a container's header, at least */
    FATBIN_ENTRY = 64,  /* of an entry's header, at least; longer ones carry options */
    /* in the flags of an entry */
    FATBIN_ARCHITECTURE = 0x100000, /* for this architecture only: sm_90a */
    FATBIN_FAMILY = 0x200000        /* for the architecture's family: sm_120f */
};

struct image_list {
    struct cubin_image *images; /* owned by the taker of the list */
    size_t count, capacity;
    uint32_t containers; /* walked so far */
};

bool fatbin_is(struct cubin_bytes bytes); /* starts with the container magic */

struct fatbin_entry {
    struct cubin_image image; /* its offset and container are left 0 */
    uint32_t header_bytes;
    uint64_t payload_bytes; /* the next entry follows header and payload */
    uint32_t options;       /* offset of the compiler's options from the entry's start (0: none) */
};

/* Reads the first FATBIN_ENTRY bytes of an entry; false when the stored size is larger than the payload. */
bool fatbin_entry(struct fatbin_entry *out, const uint8_t *header);

bool image_list_add(struct image_list *list, const struct cubin_image *image, const char *path, struct status *status);

/* Lists the containers that lie back to back, aligned to 8 bytes, in [start, end) of `file`. */
bool fatbin_list(struct image_list *list, struct cubin_bytes file, uint64_t start, uint64_t end, const char *path,
                 struct status *status);

/* The payload of an image from its stored bytes; *owned receives the buffer to free, or NULL when it is `in`. */
bool fatbin_unpack(const struct cubin_image *image, struct cubin_bytes in, const char *path, struct cubin_bytes *out,
                   uint8_t **owned, struct status *status);

/* Decodes an LZ4 block (without frame) that must fill `out` exactly; false when it is malformed. */
bool lz4_decode(struct cubin_bytes in, uint8_t *out, size_t size);

#endif
