/* Reading little-endian integers out of untrusted bytes. */
#ifndef SUBCORE_CUBIN_BYTES_H
#define SUBCORE_CUBIN_BYTES_H

#include <assert.h>
#include <string.h>

#include "cubin/cubin.h"

static inline uint16_t le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t le32(const uint8_t *p) { return le16(p) | (uint32_t)le16(p + 2) << 16; }
static inline uint64_t le64(const uint8_t *p) { return le32(p) | (uint64_t)le32(p + 4) << 32; }

static inline bool bytes_hold(struct cubin_bytes b, uint64_t offset, uint64_t size)
{
    return offset <= b.size && size <= b.size - offset;
}

static inline struct cubin_bytes bytes_slice(struct cubin_bytes b, uint64_t offset, uint64_t size)
{
    assert(bytes_hold(b, offset, size));
    return size == 0 ? (struct cubin_bytes){NULL, 0} : (struct cubin_bytes){b.data + offset, (size_t)size};
}

/* The string at `offset` of a string table; NULL when the table is too short or does not end in a zero byte. */
static inline const char *bytes_string(struct cubin_bytes b, uint64_t offset)
{
    return offset < b.size && b.data[b.size - 1] == 0 ? (const char *)b.data + offset : NULL;
}

/* "<path>: <where>: <what> at 0x<offset>: <why>". `offset` counts from the start of the file. Returns false. */
bool cubin_fail(struct status *status, const char *path, const char *where, const char *what, uint64_t offset,
                const char *why, ...) __attribute__((format(printf, 6, 7)));
bool cubin_fail_memory(struct status *status, const char *path, const char *what);

#endif
