/* Numbers and texts in bytes: little-endian, and variable lengths of seven bits a byte, lowest first. */
#ifndef SUBCORE_TRACE_BYTES_H
#define SUBCORE_TRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Grows as it is written. When there is no memory it is marked, and later bytes are dropped. */
struct trace_bytes {
    uint8_t *data; /* owned */
    size_t size, room;
    bool failed;
};

enum { TRACE_VARINT_MOST = 10 };

void trace_bytes_free(struct trace_bytes *b);
/* Room for `more` bytes behind the present ones (false: no memory). */
bool trace_bytes_reserve(struct trace_bytes *b, size_t more);
void trace_put(struct trace_bytes *b, const void *data, size_t size);
void trace_put_fixed(struct trace_bytes *b, uint64_t value, unsigned bytes);

/* The same where there is room for TRACE_VARINT_MOST bytes: where they end. */
static inline uint8_t *trace_number_at(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/* The same below TRACE_SHORT, without a branch that the host would have to guess. */
enum { TRACE_SHORT = 1 << 14 };
static inline uint8_t *trace_short_number_at(uint8_t *at, uint64_t value)
{
    unsigned more = value >= 0x80;
    at[0] = (uint8_t)(value | more << 7);
    at[1] = (uint8_t)(value >> 7);
    return at + 1 + more;
}

static inline void trace_put_number(struct trace_bytes *b, uint64_t value)
{
    if (b->room - b->size >= TRACE_VARINT_MOST || trace_bytes_reserve(b, TRACE_VARINT_MOST))
        b->size = (size_t)(trace_number_at(b->data + b->size, value) - b->data);
}

static inline void trace_put_byte(struct trace_bytes *b, unsigned value)
{
    if (b->size < b->room || trace_bytes_reserve(b, 1))
        b->data[b->size++] = (uint8_t)value;
}

void trace_put_text(struct trace_bytes *b, const char *text); /* NULL: empty */

static inline uint64_t trace_zigzag(int64_t v) { return (uint64_t)v << 1 ^ (uint64_t)(v >> 63); }
static inline int64_t trace_unzigzag(uint64_t v) { return (int64_t)(v >> 1 ^ (0 - (v & 1))); }
static inline void trace_put_signed(struct trace_bytes *b, int64_t value) { trace_put_number(b, trace_zigzag(value)); }

/* The bytes that are left to read. Behind the end everything is 0, and `failed` says so. */
struct trace_view {
    const uint8_t *at, *end;
    bool failed;
};

static inline struct trace_view trace_view_of(const void *data, size_t size)
{
    const uint8_t *at = data;
    return (struct trace_view){at, size ? at + size : at, false};
}

static inline size_t trace_left(const struct trace_view *v) { return (size_t)(v->end - v->at); }

/* NULL when there are not that many. */
const uint8_t *trace_take(struct trace_view *v, size_t bytes);
uint64_t trace_take_fixed(struct trace_view *v, unsigned bytes);

static inline unsigned trace_take_byte(struct trace_view *v)
{
    if (v->at < v->end)
        return *v->at++;
    v->failed = true;
    return 0;
}

uint64_t trace_take_long_number(struct trace_view *v);
/* Returns a copy of a text with at most `most` bytes without zeros inside, made printable: texts are read to be shown.
 * NULL with `failed`, or without memory. */
char *trace_take_text(struct trace_view *v, size_t most);

static inline uint64_t trace_take_number(struct trace_view *v)
{
    if (v->at < v->end && *v->at < 0x80)
        return *v->at++;
    return trace_take_long_number(v);
}

static inline int64_t trace_take_signed(struct trace_view *v) { return trace_unzigzag(trace_take_number(v)); }

/* A number that must not be above `most`; else `failed`, and 0. */
static inline uint64_t trace_take_below(struct trace_view *v, uint64_t most)
{
    uint64_t value = trace_take_number(v);
    if (value <= most)
        return value;
    v->failed = true;
    return 0;
}

#endif
