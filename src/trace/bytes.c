#include "trace/bytes.h"

#include <stdlib.h>

#include "base/text.h"

void trace_bytes_free(struct trace_bytes *b)
{
    free(b->data);
    *b = (struct trace_bytes){0};
}

bool trace_bytes_reserve(struct trace_bytes *b, size_t more)
{
    if (b->room - b->size >= more && !b->failed)
        return true;
    size_t room = b->room ? b->room : 64;
    while (room - b->size < more)
        room *= 2;
    uint8_t *data = b->failed ? NULL : realloc(b->data, room);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->room = room;
    return true;
}

void trace_put(struct trace_bytes *b, const void *data, size_t size)
{
    if (!size || !trace_bytes_reserve(b, size))
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void trace_put_fixed(struct trace_bytes *b, uint64_t value, unsigned bytes)
{
    uint8_t part[8];
    for (unsigned i = 0; i < bytes; i++)
        part[i] = (uint8_t)(value >> 8 * i);
    trace_put(b, part, bytes);
}

void trace_put_text(struct trace_bytes *b, const char *text)
{
    size_t size = text ? strlen(text) : 0;
    trace_put_number(b, size);
    trace_put(b, text, size);
}

const uint8_t *trace_take(struct trace_view *v, size_t bytes)
{
    if (trace_left(v) < bytes) {
        v->failed = true;
        v->at = v->end;
        return NULL;
    }
    const uint8_t *at = v->at;
    v->at = bytes ? at + bytes : at; /* which may be NULL where there is nothing */
    return at;
}

uint64_t trace_take_fixed(struct trace_view *v, unsigned bytes)
{
    const uint8_t *at = trace_take(v, bytes);
    uint64_t value = 0;
    for (unsigned i = 0; at && i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

uint64_t trace_take_long_number(struct trace_view *v)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && v->at < v->end; shift += 7) {
        uint8_t byte = *v->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    v->failed = true;
    v->at = v->end;
    return 0;
}

char *trace_take_text(struct trace_view *v, size_t most)
{
    size_t size = (size_t)trace_take_below(v, most);
    const uint8_t *at = trace_take(v, size);
    if (!at || v->failed || memchr(at, 0, size)) {
        v->failed = true;
        return NULL;
    }
    char *text = malloc(size + 1);
    if (!text) {
        v->failed = true;
        return NULL;
    }
    memcpy(text, at, size);
    text[size] = '\0';
    text_make_printable(text, "");
    return text;
}
