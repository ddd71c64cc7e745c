#include "base/archive.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/host_line.h"

enum { BUFFER = 1 << 17, REGIONS = 4, NAME = 24, LEVEL = 1, ROOM_MOST = 1 << 30 /* bytes of an array that grows */ };

#define MAGIC UINT64_C(0x31455641534c5553) /* the bytes SULSAVE1 */

struct header {
    uint64_t magic, layout;
};

enum item_kind { KEEP, ARRAY, ROOM, ENTRY };

/* A member that is not taken as it is. */
struct item {
    enum item_kind kind;
    uint8_t *member;
    size_t bytes;        /* KEEP: of the member; ARRAY: of the array; ROOM, ENTRY: of an entry */
    struct arena *arena; /* NULL: malloc */
    uint32_t *room, before;
    const uint32_t *used;
    const uint8_t *base;
    size_t count;
};

struct region {
    uint8_t *object;
    size_t bytes, first; /* its first item */
};

enum mode { WRITING, READING, LOOKING };

struct archive {
    enum mode mode;
    struct status status;
    char path[4096];
    struct file_output output;
    FILE *input;
    ZSTD_CCtx *compress;
    ZSTD_DCtx *expand;
    uint8_t *buffer; /* of compressed bytes */
    ZSTD_inBuffer in;
    bool ended; /* the frame that is read */
    void (*look)(void *self, const void *bytes, size_t size);
    void *self;
    uint64_t digest;
    struct region region[REGIONS];
    uint32_t depth;
    struct item *item;
    size_t items, item_room;
    uint8_t *scratch; /* a structure as it is in the file */
    size_t scratch_room;
};

bool archive_reading(const struct archive *a) { return a->mode == READING; }
bool archive_ok(const struct archive *a) { return a->status.code == STATUS_OK; }
uint64_t archive_value(const struct archive *a) { return a->digest; }

void archive_fail(struct archive *a, enum status_code code, const char *format, ...)
{
    char text[sizeof a->status.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status_fail(&a->status, code, "%s", text);
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

static void write_some(struct archive *a, const void *data, size_t bytes, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {data, bytes, 0};
    bool more = true;
    while (more && archive_ok(a)) {
        ZSTD_outBuffer out = {a->buffer, BUFFER, 0};
        size_t left = ZSTD_compressStream2(a->compress, &out, &in, end);
        if (ZSTD_isError(left))
            archive_fail(a, STATUS_MEMORY, "%s: %s", a->path, ZSTD_getErrorName(left));
        else if (out.pos && fwrite(a->buffer, 1, out.pos, a->output.stream) != out.pos)
            archive_fail(a, STATUS_IO, "%s: %s", a->path, strerror(errno));
        more = end == ZSTD_e_end ? left > 0 : in.pos < in.size;
    }
}

static void damaged(struct archive *a)
{
    archive_fail(a, STATUS_FORMAT, "%s: the saved run is damaged, or not whole", a->path);
}

/* Decompresses up to `bytes`; how many. */
static size_t read_some(struct archive *a, void *data, size_t bytes)
{
    ZSTD_outBuffer out = {data, bytes, 0};
    while (out.pos < out.size && !a->ended && archive_ok(a)) {
        if (a->in.pos == a->in.size) {
            a->in = (ZSTD_inBuffer){a->buffer, fread(a->buffer, 1, BUFFER, a->input), 0};
            if (a->in.size == 0)
                break;
        }
        size_t left = ZSTD_decompressStream(a->expand, &out, &a->in);
        if (ZSTD_isError(left))
            damaged(a);
        a->ended = left == 0;
    }
    return out.pos;
}

static void pass(struct archive *a, void *data, size_t bytes)
{
    if (!archive_ok(a) || bytes == 0)
        return;
    if (a->mode == READING) {
        if (read_some(a, data, bytes) != bytes)
            damaged(a);
        return;
    }
    if (a->mode == WRITING)
        write_some(a, data, bytes, ZSTD_e_continue);
    else if (a->look)
        a->look(a->self, data, bytes);
    if (a->mode == LOOKING)
        a->digest = hash_bytes(a->digest, data, bytes);
}

void archive_plain(struct archive *a, void *data, size_t bytes)
{
    assert(a->depth == 0);
    pass(a, data, bytes);
}

void archive_same(struct archive *a, const char *what, uint64_t value)
{
    uint64_t other = value;
    pass(a, &other, sizeof other);
    if (archive_ok(a) && other != value)
        archive_fail(a, STATUS_USAGE, "%s: the saved run has another %s", a->path, what);
}

/* ---- structures -------------------------------------------------------------------------------------------------- */

void archive_begin(struct archive *a, const char *name, void *object, size_t bytes)
{
    char text[NAME] = "", found[NAME];
    snprintf(text, sizeof text, "%s", name);
    memcpy(found, text, sizeof found);
    assert(a->depth < REGIONS);
    pass(a, found, sizeof found);
    uint64_t size = bytes;
    pass(a, &size, sizeof size);
    if (archive_ok(a) && (memcmp(found, text, sizeof text) != 0 || size != bytes))
        archive_fail(a, STATUS_FORMAT, "%s: the saved run was written by another version of this program (%s)", a->path,
                     name);
    a->region[a->depth++] = (struct region){object, bytes, a->items};
}

static void add(struct archive *a, struct item item)
{
    if (a->items == a->item_room) {
        size_t room = a->item_room ? 2 * a->item_room : 256;
        struct item *grown = realloc(a->item, room * sizeof *grown);
        if (!grown) {
            archive_fail(a, STATUS_MEMORY, "no memory to save or to resume a run");
            return;
        }
        a->item = grown;
        a->item_room = room;
    }
    a->item[a->items++] = item;
}

void archive_keep_bytes(struct archive *a, void *member, size_t bytes)
{
    add(a, (struct item){.kind = KEEP, .member = member, .bytes = bytes});
}

void archive_array_bytes(struct archive *a, void *member, size_t bytes)
{
    add(a, (struct item){.kind = ARRAY, .member = member, .bytes = bytes});
}

void archive_room_size(struct archive *a, struct arena *arena, void *member, uint32_t *room, const uint32_t *used,
                       size_t size)
{
    add(a, (struct item){.kind = ROOM, .member = member, .bytes = size, .arena = arena, .room = room, .used = used});
}

void archive_entry_size(struct archive *a, void *member, const void *base, size_t count, size_t size)
{
    add(a, (struct item){.kind = ENTRY, .member = member, .bytes = size, .base = base, .count = count});
}

static size_t member_bytes(const struct item *i) { return i->kind == KEEP ? i->bytes : sizeof(void *); }

/* In the file the entry's number, from 1 (0: NULL). */
static void entry_to_number(const struct item *i, uint8_t *in_file)
{
    const uint8_t *pointer;
    memcpy(&pointer, i->member, sizeof pointer);
    uint64_t offset = (uint64_t)((uintptr_t)pointer - (uintptr_t)i->base), number = 0;
    if (pointer && offset < i->count * i->bytes)
        number = offset / i->bytes + 1;
    memcpy(in_file, &number, sizeof number);
}

static void number_to_entry(const struct item *i, uint8_t *in_file)
{
    uint64_t number;
    memcpy(&number, in_file, sizeof number);
    const uint8_t *pointer = number > 0 && number <= i->count ? i->base + (number - 1) * i->bytes : NULL;
    memcpy(in_file, &pointer, sizeof pointer);
}

static void write_object(struct archive *a, const struct region *r)
{
    memcpy(a->scratch, r->object, r->bytes);
    for (size_t k = r->first; k < a->items; k++) {
        const struct item *i = &a->item[k];
        uint8_t *at = a->scratch + (i->member - r->object);
        if (i->kind == ENTRY)
            entry_to_number(i, at);
        else
            memset(at, 0, member_bytes(i));
    }
    pass(a, a->scratch, r->bytes);
}

static void read_object(struct archive *a, const struct region *r)
{
    pass(a, a->scratch, r->bytes);
    if (!archive_ok(a))
        return;
    for (size_t k = r->first; k < a->items; k++) {
        struct item *i = &a->item[k];
        uint8_t *at = a->scratch + (i->member - r->object);
        if (i->kind == ENTRY)
            number_to_entry(i, at);
        else
            memcpy(at, i->member, member_bytes(i));
        if (i->kind == ROOM)
            i->before = *i->room;
    }
    memcpy(r->object, a->scratch, r->bytes);
}

static void *pointer_at(const uint8_t *member)
{
    void *pointer;
    memcpy(&pointer, member, sizeof pointer);
    return pointer;
}

static void pass_array(struct archive *a, const struct item *i)
{
    if (i->kind == ROOM && a->mode == READING && archive_ok(a) &&
        (*i->used > *i->room || *i->room > ROOM_MOST / i->bytes)) {
        *i->room = i->before;
        damaged(a);
        return;
    }
    if (i->kind == ROOM && a->mode == READING && *i->room != i->before && archive_ok(a)) {
        size_t bytes = (*i->room ? *i->room : 1) * i->bytes;
        void *grown = i->arena ? arena_take(i->arena, bytes) : host_lines(bytes);
        if (!grown) {
            *i->room = i->before;
            archive_fail(a, STATUS_MEMORY, "no memory to resume a run");
            return;
        }
        if (!i->arena)
            free(pointer_at(i->member));
        memcpy(i->member, &grown, sizeof grown);
    }
    pass(a, pointer_at(i->member), i->kind == ROOM ? *i->used * i->bytes : i->bytes);
}

void archive_end(struct archive *a)
{
    assert(a->depth > 0);
    const struct region r = a->region[--a->depth];
    if (a->scratch_room < r.bytes) {
        uint8_t *grown = realloc(a->scratch, r.bytes);
        a->scratch_room = grown ? r.bytes : a->scratch_room;
        a->scratch = grown ? grown : a->scratch;
        if (!grown)
            archive_fail(a, STATUS_MEMORY, "no memory to save or to resume a run");
    }
    if (archive_ok(a)) {
        for (size_t k = r.first; k < a->items; k++)
            assert(a->item[k].member >= r.object && a->item[k].member < r.object + r.bytes);
        if (a->mode == READING)
            read_object(a, &r);
        else
            write_object(a, &r);
        for (size_t k = r.first; k < a->items; k++)
            if (a->item[k].kind == ARRAY || a->item[k].kind == ROOM)
                pass_array(a, &a->item[k]);
    }
    a->items = r.first;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void release(struct archive *a)
{
    if (a->input)
        fclose(a->input);
    ZSTD_freeCCtx(a->compress);
    ZSTD_freeDCtx(a->expand);
    free(a->buffer);
    free(a->item);
    free(a->scratch);
    free(a);
}

static struct archive *make(enum mode mode, const char *path, struct status *status)
{
    struct archive *a = calloc(1, sizeof *a);
    uint8_t *buffer = malloc(BUFFER);
    if (!a || !buffer) {
        free(a);
        free(buffer);
        status_fail(status, STATUS_MEMORY, "no memory to save or to resume a run");
        return NULL;
    }
    a->mode = mode;
    a->buffer = buffer;
    a->digest = HASH_SEED;
    snprintf(a->path, sizeof a->path, "%s", path);
    return a;
}

static struct archive *give_up(struct archive *a, struct status *status)
{
    status_fail(status, a->status.code, "%s", a->status.text);
    archive_abandon(a);
    return NULL;
}

struct archive *archive_create(const char *path, uint64_t layout, struct status *status)
{
    const struct header header = {MAGIC, layout};
    struct archive *a = make(WRITING, path, status);
    if (!a)
        return NULL;
    a->compress = ZSTD_createCCtx();
    if (!a->compress || ZSTD_isError(ZSTD_CCtx_setParameter(a->compress, ZSTD_c_checksumFlag, 1)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(a->compress, ZSTD_c_compressionLevel, LEVEL)))
        archive_fail(a, STATUS_MEMORY, "no memory to save a run");
    else if (file_output_open(&a->output, path, &a->status) && fwrite(&header, sizeof header, 1, a->output.stream) != 1)
        archive_fail(a, STATUS_IO, "%s: %s", path, strerror(errno));
    return archive_ok(a) ? a : give_up(a, status);
}

static void rewind_input(struct archive *a)
{
    fseek(a->input, sizeof(struct header), SEEK_SET);
    ZSTD_DCtx_reset(a->expand, ZSTD_reset_session_only);
    a->in = (ZSTD_inBuffer){a->buffer, 0, 0};
    a->ended = false;
}

/* Decompresses all of it, which compares the checksum, and sees that nothing follows. */
static void check(struct archive *a)
{
    uint8_t *bytes = malloc(BUFFER);
    if (!bytes) {
        archive_fail(a, STATUS_MEMORY, "no memory to resume a run");
        return;
    }
    rewind_input(a);
    while (read_some(a, bytes, BUFFER) > 0)
        ;
    if (!a->ended || a->in.pos < a->in.size || fgetc(a->input) != EOF)
        damaged(a);
    free(bytes);
    rewind_input(a);
}

struct archive *archive_open(const char *path, uint64_t layout, struct status *status)
{
    struct header header = {0};
    struct archive *a = make(READING, path, status);
    if (!a)
        return NULL;
    a->expand = ZSTD_createDCtx();
    int file = file_open(path, false, &a->status);
    a->input = file >= 0 ? fdopen(file, "rb") : NULL;
    if (!a->input)
        archive_fail(a, STATUS_IO, "%s: %s", path, strerror(errno));
    else if (!a->expand)
        archive_fail(a, STATUS_MEMORY, "no memory to resume a run");
    else if (fread(&header, sizeof header, 1, a->input) != 1 || header.magic != MAGIC)
        archive_fail(a, STATUS_FORMAT, "%s is no saved run", path);
    else if (header.layout != layout)
        archive_fail(a, STATUS_USAGE, "%s: the saved run was written by another version of this program", path);
    else
        check(a);
    return archive_ok(a) ? a : give_up(a, status);
}

struct archive *archive_digest(void (*look)(void *self, const void *bytes, size_t size), void *self)
{
    struct archive *a = make(LOOKING, "", &(struct status){0});
    if (a) {
        a->look = look;
        a->self = self;
    }
    return a;
}

bool archive_close(struct archive *a, struct status *status)
{
    uint8_t rest;
    assert(a->depth == 0);
    if (a->mode == WRITING && archive_ok(a))
        write_some(a, NULL, 0, ZSTD_e_end);
    if (a->mode == READING && archive_ok(a) && read_some(a, &rest, 1) != 0)
        archive_fail(a, STATUS_FORMAT, "%s: the saved run has more than this program reads", a->path);
    if (!archive_ok(a)) {
        give_up(a, status);
        return false;
    }
    bool ok = a->mode != WRITING || file_output_commit(&a->output, status);
    release(a);
    return ok;
}

void archive_abandon(struct archive *a)
{
    if (a->output.stream)
        file_output_abandon(&a->output);
    release(a);
}
