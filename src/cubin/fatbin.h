/* The fatbin container: a header and entries, each a header and a payload that may be compressed. */
#ifndef SUBCORE_CUBIN_FATBIN_H
#define SUBCORE_CUBIN_FATBIN_H

#include "cubin/bytes.h"

struct image_list {
    struct cubin_image *images; /* owned by whoever took the list */
    size_t count, capacity;
    uint32_t containers; /* walked so far */
};

bool fatbin_is(struct cubin_bytes bytes); /* starts with the container magic */

bool image_list_add(struct image_list *list, const struct cubin_image *image, const char *path, struct status *status);

/* Lists the containers that lie back to back, aligned to 8 bytes, in [start, end) of `file`. */
bool fatbin_list(struct image_list *list, struct cubin_bytes file, uint64_t start, uint64_t end, const char *path,
                 struct status *status);

/* Decodes an LZ4 block (without frame) that must fill `out` exactly; false when it is malformed. */
bool lz4_decode(struct cubin_bytes in, uint8_t *out, size_t size);

#endif
