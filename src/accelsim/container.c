#include "accelsim/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.h"

enum { BLOCK_WORDS = 10, WARPS_MOST = 32, FRAME_MOST = 1 << 26, FILE_BITS = 40 };

struct warp_entry {
    uint32_t instructions, parts;
    uint64_t place;
};

struct block_entry {
    uint32_t word[BLOCK_WORDS]; /* block, cluster, CTA in the cluster; rank */
    uint32_t warps;
    struct warp_entry warp[WARPS_MOST];
};

struct container {
    const char *path;
    const uint8_t *data;
    size_t size, at;
    size_t dictionary, dictionary_bytes;
    struct block_entry *block; /* [blocks]; owned */
    uint32_t blocks;
    ZSTD_DCtx *context;
    char *text; /* of a part; owned */
    size_t room;
    FILE *out;
    struct status *status;
};

bool container_is(const char *path)
{
    static const char ending[] = ".tracez";
    size_t length = strlen(path), most = sizeof ending - 1;
    return length > most && strcmp(path + length - most, ending) == 0;
}

static bool damaged(const struct container *c, const char *what)
{
    status_fail(c->status, STATUS_FORMAT, "%.300s: not a container of trace version 6, or damaged: %s", c->path, what);
    return false; /* a constant, so that the compiler knows that callers go no further */
}

static bool take(struct container *c, void *to, size_t bytes)
{
    if (c->at > c->size || c->size - c->at < bytes)
        return damaged(c, "it ends too early");
    memcpy(to, c->data + c->at, bytes);
    c->at += bytes;
    return true;
}

/* ---- index ------------------------------------------------------------------------------------------------------- */

static bool read_warp(struct container *c, struct warp_entry *w)
{
    if (!take(c, &w->instructions, 4) || !take(c, &w->parts, 4) || !take(c, &w->place, 8))
        return false;
    if (c->size - c->at < 4 * (uint64_t)w->parts)
        return damaged(c, "it ends too early");
    c->at += 4 * (size_t)w->parts;
    return true;
}

static bool read_block(struct container *c, struct block_entry *b)
{
    if (!take(c, b->word, sizeof b->word) || !take(c, &b->warps, 4))
        return false;
    if (b->warps == 0 || b->warps > WARPS_MOST)
        return damaged(c, "a block of no warp, or of more than 32");
    for (uint32_t w = 0; w < b->warps; w++)
        if (!read_warp(c, &b->warp[w]))
            return false;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct block_entry *x = a, *y = b;
    for (unsigned d = 3; d-- > 0;)
        if (x->word[d] != y->word[d])
            return x->word[d] < y->word[d] ? -1 : 1;
    return 0;
}

static bool read_index(struct container *c)
{
    enum { BLOCK_LEAST = 4 * (BLOCK_WORDS + 1) + 16 };
    uint64_t place;
    c->at = c->size < 8 ? c->size : c->size - 8;
    if (!take(c, &place, 8))
        return false;
    if (place > c->size - 8)
        return damaged(c, "its index is not there");
    c->at = (size_t)place;
    if (!take(c, &c->blocks, 4))
        return false;
    if (c->blocks == 0 || c->blocks > (c->size - c->at) / BLOCK_LEAST)
        return damaged(c, "its index has no block, or more than it has room for");
    c->block = calloc(c->blocks, sizeof *c->block);
    if (!c->block)
        return status_fail(c->status, STATUS_MEMORY, "%.300s: no memory for its index", c->path);
    for (uint32_t i = 0; i < c->blocks; i++)
        if (!read_block(c, &c->block[i]))
            return false;
    qsort(c->block, c->blocks, sizeof *c->block, by_place);
    return true;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* The CTAs of a cluster: the highest of them and one. */
static void put_cluster(const struct container *c)
{
    uint32_t most[3] = {0};
    for (uint32_t i = 0; i < c->blocks; i++)
        for (unsigned d = 0; d < 3; d++)
            most[d] = c->block[i].word[6 + d] > most[d] ? c->block[i].word[6 + d] : most[d];
    if (most[0] || most[1] || most[2])
        fprintf(c->out, "-cluster dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", most[0] + 1, most[1] + 1,
                most[2] + 1);
}

static bool put_header(struct container *c)
{
    const uint8_t *end = memchr(c->data, 0, c->size);
    uint32_t bytes, instructions;
    if (!end)
        return damaged(c, "its header has no end");
    put_cluster(c);
    fprintf(c->out, "%s\n#traces\n", (const char *)c->data);
    c->at = (size_t)(end - c->data) + 1;
    if (!take(c, &bytes, 4) || !take(c, &instructions, 4))
        return false;
    if (c->size - c->at < bytes)
        return damaged(c, "its dictionary is not there");
    c->dictionary = c->at;
    c->dictionary_bytes = bytes;
    return true;
}

static bool make_room(struct container *c, size_t bytes)
{
    if (bytes <= c->room)
        return true;
    char *grown = realloc(c->text, bytes);
    if (!grown)
        return status_fail(c->status, STATUS_MEMORY, "%.300s: no memory for a part", c->path);
    c->text = grown;
    c->room = bytes;
    return true;
}

/* Adds the lines of a part to *lines. */
static bool put_part(struct container *c, uint64_t *lines)
{
    uint32_t bytes;
    if (!take(c, &bytes, 4))
        return false;
    if (c->size - c->at < bytes)
        return damaged(c, "a part ends too early");
    const uint8_t *frame = c->data + c->at;
    unsigned long long size = ZSTD_getFrameContentSize(frame, bytes);
    c->at += bytes;
    if (size > FRAME_MOST)
        return damaged(c, "a part does not say its size, or is larger than 64 MiB");
    if (!make_room(c, (size_t)size + 1))
        return false;
    size_t got = ZSTD_decompress_usingDict(c->context, c->text, (size_t)size, frame, bytes, c->data + c->dictionary,
                                           c->dictionary_bytes);
    if (ZSTD_isError(got) || got != size)
        return damaged(c, "a part cannot be decompressed");
    if (got > 0 && c->text[got - 1] != '\n')
        c->text[got++] = '\n';
    for (const char *at = c->text, *end = c->text + got; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        ++*lines;
    fwrite(c->text, 1, got, c->out);
    return true;
}

static bool put_warp(struct container *c, uint32_t number, const struct warp_entry *w)
{
    uint32_t instructions, parts;
    uint64_t lines = 0;
    fprintf(c->out, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n", number, w->instructions);
    c->at = w->place > c->size ? c->size : (size_t)w->place;
    if (!take(c, &instructions, 4) || !take(c, &parts, 4))
        return false;
    if (instructions != w->instructions || parts != w->parts)
        return damaged(c, "a warp is not as the index has it");
    for (uint32_t i = 0; i < parts; i++)
        if (!put_part(c, &lines))
            return false;
    return lines == instructions || damaged(c, "a warp has other lines than the index has instructions");
}

static void put_place(FILE *out, const uint32_t word[BLOCK_WORDS])
{
    fprintf(out, "\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", word[0], word[1], word[2]);
    fprintf(out, "cluster id = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", word[3], word[4], word[5]);
    fprintf(out, "cluster cta = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster rank = %" PRIu32 "\n", word[6], word[7],
            word[8], word[9]);
}

static bool put_blocks(struct container *c)
{
    for (uint32_t i = 0; i < c->blocks; i++) {
        const struct block_entry *b = &c->block[i];
        put_place(c->out, b->word);
        for (uint32_t w = 0; w < b->warps; w++)
            if (!put_warp(c, w, &b->warp[w]))
                return false;
        fprintf(c->out, "\n#END_TB\n");
    }
    return !ferror(c->out) || status_fail(c->status, STATUS_IO, "%.300s: its text cannot be written", c->path);
}

static bool expand(struct container *c)
{
    c->context = ZSTD_createDCtx();
    if (!c->context)
        return status_fail(c->status, STATUS_MEMORY, "%.300s: no memory to decompress it", c->path);
    return read_index(c) && put_header(c) && put_blocks(c);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

struct expansion {
    const char *path;
    uint64_t *taken;
};

static bool expand_file(void *self, FILE *out, struct status *status)
{
    const struct expansion *e = self;
    struct file_bytes file;
    if (!file_read(e->path, (size_t)1 << FILE_BITS, &file, status))
        return false;
    struct container c = {.path = e->path, .data = file.data, .size = file.size, .out = out, .status = status};
    bool ok = expand(&c);
    if (e->taken)
        *e->taken += file.size;
    ZSTD_freeDCtx(c.context);
    free(c.block);
    free(c.text);
    file_free(&file);
    return ok;
}

bool container_open(struct input *in, const char *path, uint64_t *taken, struct status *status)
{
    struct expansion e = {path, taken};
    return input_open_made(in, path, (struct input_maker){&e, expand_file}, status);
}
