#include "accelsim/container_write.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 3 }; /* as the peer's own writer has it */

struct bytes {
    char *at; /* owned */
    size_t size, room;
};

struct container_writer {
    struct sink *sink;
    ZSTD_CCtx *context;
    struct bytes index, part, packed;
    uint32_t blocks, warps;    /* of the block */
    size_t count_at;           /* in the index: the block's number of warps */
    uint32_t lines, part_left; /* of the warp that have not come; of the part */
    bool failed;
};

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static bool reserve(struct container_writer *w, struct bytes *b, size_t more)
{
    size_t room = b->room ? b->room : 4096;
    while (room - b->size < more)
        room *= 2;
    char *grown = room > b->room ? realloc(b->at, room) : b->at;
    w->failed |= !grown;
    if (!grown)
        return false;
    b->at = grown;
    b->room = room;
    return true;
}

static void add(struct container_writer *w, struct bytes *b, const void *data, size_t size)
{
    if (!reserve(w, b, size))
        return;
    memcpy(b->at + b->size, data, size);
    b->size += size;
}

static void index_word(struct container_writer *w, uint32_t value) { add(w, &w->index, &value, sizeof value); }

static void put_word(struct container_writer *w, uint32_t value)
{
    sink_put(w->sink, (const char *)&value, sizeof value);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

struct container_writer *container_writer_create(struct sink *sink)
{
    struct container_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->sink = sink;
    w->context = ZSTD_createCCtx();
    if (w->context)
        return w;
    free(w);
    return NULL;
}

void container_writer_destroy(struct container_writer *w)
{
    if (!w)
        return;
    ZSTD_freeCCtx(w->context);
    free(w->index.at);
    free(w->part.at);
    free(w->packed.at);
    free(w);
}

void container_writer_body(struct container_writer *w)
{
    sink_put(w->sink, "", 1);
    put_word(w, 0);
    put_word(w, CONTAINER_PART);
}

/* ---- blocks and warps -------------------------------------------------------------------------------------------- */

/* The number of the block's warps is known at its end. */
static void end_block(struct container_writer *w)
{
    if (w->blocks > 0 && !w->failed)
        memcpy(w->index.at + w->count_at, &w->warps, sizeof w->warps);
    w->warps = 0;
}

void container_writer_block(struct container_writer *w, const struct kernel_file_block *b)
{
    end_block(w);
    w->blocks++;
    add(w, &w->index, b->block, sizeof b->block);
    add(w, &w->index, b->cluster, sizeof b->cluster);
    add(w, &w->index, b->within, sizeof b->within);
    index_word(w, b->rank);
    w->count_at = w->index.size;
    index_word(w, 0);
}

void container_writer_warp(struct container_writer *w, uint64_t lines)
{
    uint32_t parts = (uint32_t)((lines + CONTAINER_PART - 1) / CONTAINER_PART);
    uint64_t place = sink_size(w->sink);
    w->failed |= lines > UINT32_MAX;
    w->warps++;
    w->lines = (uint32_t)lines;
    w->part_left = CONTAINER_PART;
    w->part.size = 0;
    put_word(w, w->lines);
    put_word(w, parts);
    index_word(w, w->lines);
    index_word(w, parts);
    add(w, &w->index, &place, sizeof place);
    for (uint32_t i = 0; i < parts && !w->failed; i++)
        index_word(w, i + 1 < parts ? (uint32_t)CONTAINER_PART : w->lines - i * CONTAINER_PART);
}

/* Lines are joined by '\n', without one behind the last. */
static void put_part(struct container_writer *w)
{
    size_t size = w->part.size - 1;
    if (!reserve(w, &w->packed, ZSTD_compressBound(size)))
        return;
    size_t packed = ZSTD_compressCCtx(w->context, w->packed.at, w->packed.room, w->part.at, size, LEVEL);
    w->failed |= ZSTD_isError(packed) || packed > UINT32_MAX;
    if (w->failed)
        return;
    put_word(w, (uint32_t)packed);
    sink_put(w->sink, w->packed.at, packed);
    w->part.size = 0;
    w->part_left = CONTAINER_PART;
}

void container_writer_line(struct container_writer *w, const char *line, size_t length)
{
    add(w, &w->part, line, length);
    if (--w->part_left == 0 && !w->failed)
        put_part(w);
}

void container_writer_end_warp(struct container_writer *w)
{
    if (w->part.size > 0 && !w->failed)
        put_part(w);
}

bool container_writer_end(struct container_writer *w)
{
    uint64_t place = sink_size(w->sink);
    end_block(w);
    if (w->failed)
        return false;
    put_word(w, w->blocks);
    sink_put(w->sink, w->index.at, w->index.size);
    sink_put(w->sink, (const char *)&place, sizeof place);
    return true;
}
