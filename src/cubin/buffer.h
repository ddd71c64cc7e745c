/* Bytes that grow at the end. Running out of memory sets `failed`. Later bytes are dropped. */
#ifndef SUBCORE_CUBIN_BUFFER_H
#define SUBCORE_CUBIN_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *data; /* owned */
    size_t size, room;
    bool failed;
};

void buffer_put(struct buffer *b, const void *data, size_t size);
void buffer_zero(struct buffer *b, size_t size);
/* `bytes` bytes of a little-endian number. */
void buffer_number(struct buffer *b, uint64_t value, unsigned bytes);
/* The text and its zero byte. Gives its offset. */
uint32_t buffer_string(struct buffer *b, const char *text);
/* Zero bytes up to a multiple of `alignment`. */
void buffer_align(struct buffer *b, size_t alignment);
void buffer_free(struct buffer *b);

#endif
