#include "cubin/buffer.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *reserve(struct buffer *b, size_t size)
{
    if (b->failed)
        return NULL;
    if (size > b->room - b->size) {
        size_t room = b->room * 2 + size + 256;
        uint8_t *data = realloc(b->data, room);
        if (!data) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->room = room;
    }
    uint8_t *at = b->data + b->size;
    b->size += size;
    return at;
}

void buffer_put(struct buffer *b, const void *data, size_t size)
{
    uint8_t *at = reserve(b, size);
    if (at && size > 0)
        memcpy(at, data, size);
}

void buffer_zero(struct buffer *b, size_t size)
{
    uint8_t *at = reserve(b, size);
    if (at && size > 0)
        memset(at, 0, size);
}

void buffer_number(struct buffer *b, uint64_t value, unsigned bytes)
{
    uint8_t *at = reserve(b, bytes);
    for (unsigned i = 0; at && i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

uint32_t buffer_string(struct buffer *b, const char *text)
{
    uint32_t offset = (uint32_t)b->size;
    buffer_put(b, text, strlen(text) + 1);
    return offset;
}

void buffer_align(struct buffer *b, size_t alignment)
{
    if (b->size % alignment != 0)
        buffer_zero(b, alignment - b->size % alignment);
}

void buffer_free(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer){0};
}
