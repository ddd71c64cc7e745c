#include "trace/block.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/hash.h"

enum { HASHED = 24 };

uint64_t trace_block_checksum(const uint8_t *head, const uint8_t *stored, size_t size)
{
    return hash_bytes(hash_bytes(HASH_SEED, head, HASHED), stored, size);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

bool trace_out_open(struct trace_out *out, int fd)
{
    *out = (struct trace_out){.fd = fd, .context = ZSTD_createCCtx()};
    return out->context != NULL;
}

void trace_out_close(struct trace_out *out)
{
    ZSTD_freeCCtx(out->context);
    trace_bytes_free(&out->packed);
}

void trace_out_write(struct trace_out *out, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size && !out->error) {
        ssize_t n = pwrite(out->fd, from, size, (off_t)out->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            out->error = n < 0 ? errno : EIO;
            return;
        }
        from += n;
        size -= (size_t)n;
        out->at += (uint64_t)n;
    }
}

static void put32(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

struct trace_block trace_out_stored(struct trace_out *out, const struct trace_block *block, const uint8_t *stored)
{
    struct trace_block b = *block;
    uint8_t head[TRACE_BLOCK_BYTES];
    b.at = out->at;
    put32(head, b.kind, 4);
    put32(head + 4, b.kernel, 4);
    put32(head + 8, b.stored, 4);
    put32(head + 12, b.raw, 4);
    put32(head + 16, b.at, 8);
    b.checksum = trace_block_checksum(head, stored, b.stored);
    put32(head + 24, b.checksum, 8);
    trace_out_write(out, head, sizeof head);
    trace_out_write(out, stored, b.stored);
    return b;
}

struct trace_block trace_out_block(struct trace_out *out, uint32_t kind, uint32_t kernel, enum trace_effort effort,
                                   const struct trace_bytes *raw)
{
    struct trace_block b = {.kind = kind, .kernel = kernel, .raw = (uint32_t)raw->size, .at = out->at};
    out->packed.size = 0;
    bool plain = b.at < out->plain;
    if (raw->failed || (!plain && !trace_bytes_reserve(&out->packed, ZSTD_compressBound(raw->size))))
        out->error = out->error ? out->error : ENOMEM;
    if (raw->size > TRACE_BLOCK_MOST)
        out->error = out->error ? out->error : EFBIG;
    if (out->error)
        return b;
    b.stored = b.raw;
    if (plain)
        return trace_out_stored(out, &b, raw->data);
    size_t n = ZSTD_compressCCtx(out->context, out->packed.data, out->packed.room, raw->data, raw->size, (int)effort);
    bool smaller = !ZSTD_isError(n) && n < raw->size;
    b.stored = smaller ? (uint32_t)n : b.raw;
    return trace_out_stored(out, &b, smaller ? out->packed.data : raw->data);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool trace_in_open(struct trace_in *in, int fd, uint64_t size)
{
    *in = (struct trace_in){.fd = fd, .size = size, .context = ZSTD_createDCtx()};
    return in->context != NULL;
}

void trace_in_close(struct trace_in *in)
{
    ZSTD_freeDCtx(in->context);
    trace_bytes_free(&in->stored);
}

bool trace_in_read(const struct trace_in *in, uint64_t at, void *to, size_t size)
{
    uint8_t *into = to;
    while (size) {
        ssize_t n = pread(in->fd, into, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        into += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

static const char *read_head(const struct trace_in *in, uint64_t at, struct trace_block *block,
                             uint8_t head[TRACE_BLOCK_BYTES])
{
    if (at > in->size || in->size - at < TRACE_BLOCK_BYTES)
        return "it ends too early";
    if (!trace_in_read(in, at, head, TRACE_BLOCK_BYTES))
        return "it cannot be read";
    *block = (struct trace_block){(uint32_t)get(head, 4),      (uint32_t)get(head + 4, 4), (uint32_t)get(head + 8, 4),
                                  (uint32_t)get(head + 12, 4), get(head + 16, 8),          get(head + 24, 8)};
    if (block->at != at || block->stored > block->raw || block->raw > TRACE_BLOCK_MOST)
        return "the head of a block is damaged";
    if (in->size - at - TRACE_BLOCK_BYTES < block->stored)
        return "it ends too early";
    return NULL;
}

const char *trace_in_head(const struct trace_in *in, uint64_t at, struct trace_block *block)
{
    uint8_t head[TRACE_BLOCK_BYTES];
    return read_head(in, at, block, head);
}

const char *trace_in_stored(struct trace_in *in, uint64_t at, struct trace_block *block)
{
    uint8_t head[TRACE_BLOCK_BYTES];
    const char *wrong = read_head(in, at, block, head);
    if (wrong)
        return wrong;
    in->stored.size = 0;
    if (!trace_bytes_reserve(&in->stored, block->stored + 1u))
        return "there is no memory for a block";
    in->stored.size = block->stored;
    if (!trace_in_read(in, at + TRACE_BLOCK_BYTES, in->stored.data, block->stored))
        return "it cannot be read";
    if (trace_block_checksum(head, in->stored.data, block->stored) != block->checksum)
        return "the checksum of a block is wrong";
    return NULL;
}

static const char *unpack(struct trace_in *in, const struct trace_block *block, struct trace_bytes *raw)
{
    raw->size = 0;
    if (block->stored < block->raw && ZSTD_getFrameContentSize(in->stored.data, block->stored) != block->raw)
        return "a block has another size than it says";
    if (!trace_bytes_reserve(raw, block->raw + 1u))
        return "there is no memory for a block";
    raw->size = block->raw;
    if (block->stored == block->raw) {
        memcpy(raw->data, in->stored.data, block->raw);
        return NULL;
    }
    size_t n = ZSTD_decompressDCtx(in->context, raw->data, block->raw, in->stored.data, block->stored);
    return ZSTD_isError(n) || n != block->raw ? "a block cannot be decompressed" : NULL;
}

const char *trace_in_block(struct trace_in *in, uint64_t at, uint32_t kind, uint32_t kernel, struct trace_bytes *raw)
{
    struct trace_block block;
    const char *wrong = trace_in_stored(in, at, &block);
    if (wrong)
        return wrong;
    if (block.kind != kind || block.kernel != kernel)
        return "a block differs from its row in the index";
    return unpack(in, &block, raw);
}
