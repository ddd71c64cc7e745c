/* A saved run with arbitrary contents and a right checksum is read into structures as they are in the simulator, or
 * refused. The last byte says whether the input is the file itself instead, whose checksum nothing repairs. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/archive.h"

enum { FIXED = 3, LAYOUT = 7, TURNS = 4 };

struct inner {
    uint32_t room, used;
    uint32_t *grows;
};

struct outer {
    uint64_t number;
    const int *config;
    uint16_t *fixed;
    struct inner inner[2];
    const int *entry;
    uint8_t last;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

static void archive(struct archive *a, struct outer *o, const int table[5])
{
    archive_begin(a, "outer", o, sizeof *o);
    archive_keep(a, &o->config);
    archive_array(a, &o->fixed, FIXED);
    for (unsigned i = 0; i < 2; i++)
        archive_room(a, NULL, &o->inner[i].grows, &o->inner[i].room, &o->inner[i].used);
    archive_entry(a, &o->entry, table, 5);
    archive_end(a);
    archive_same(a, "colour", 3);
}

static void check(const struct outer *o, const int table[5])
{
    uint64_t sum = 0;
    hold(!o->entry || (o->entry >= table && o->entry < table + 5));
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t k = 0; k < o->inner[i].used; k++)
            sum += o->inner[i].grows[k];
    hold(sum <= UINT64_MAX - 1);
}

static void read_all(const char *path)
{
    const int table[5] = {0};
    struct outer o = {.fixed = calloc(FIXED, sizeof *o.fixed)};
    struct status status = {0};
    struct archive *a = archive_open(path, LAYOUT, &status);
    hold(a ? status.code == STATUS_OK : status.text[0]);
    for (unsigned i = 0; i < 2; i++)
        o.inner[i] = (struct inner){.room = 1, .grows = calloc(1, sizeof *o.inner[i].grows)};
    hold(o.fixed && o.inner[0].grows && o.inner[1].grows);
    for (unsigned turn = 0; a && turn < TURNS && archive_ok(a); turn++) {
        archive(a, &o, table);
        if (archive_ok(a))
            check(&o, table);
    }
    if (a)
        hold(archive_close(a, &status) || status.text[0]);
    for (unsigned i = 0; i < 2; i++)
        free(o.inner[i].grows);
    free(o.fixed);
}

static void write_frame(int fd, const uint8_t *data, size_t size)
{
    const uint8_t head[16] = {'S', 'U', 'L', 'S', 'A', 'V', 'E', '1', LAYOUT};
    size_t room = ZSTD_compressBound(size);
    uint8_t *packed = malloc(room);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    hold(packed && context && !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
    size_t bytes = ZSTD_compress2(context, packed, room, data, size);
    hold(!ZSTD_isError(bytes) && write(fd, head, sizeof head) == sizeof head);
    hold(write(fd, packed, bytes) == (ssize_t)bytes);
    ZSTD_freeCCtx(context);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("save", MFD_CLOEXEC);
    hold(fd >= 0);
    if (size > 0 && data[size - 1] == 'F')
        hold(write(fd, data, size - 1) == (ssize_t)(size - 1));
    else
        write_frame(fd, data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_all(path);
    close(fd);
    return 0;
}
