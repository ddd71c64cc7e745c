#include "accelsim/sink.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    TEXT = 1 << 16,   /* gathered before it is packed */
    PACKED = 1 << 16, /* of the packer's output */
    LINE = 4096,      /* the most that sink_print writes at once */
    XZ_LEVEL = 1,     /* the level of Accel-Sim's own traces; slower ones gain little on this text */
    GZ_LEVEL = 4,
    GZ_WINDOW = 15 + 16 /* the largest window, with gzip's header */
};

struct sink {
    char path[4096];
    int fd, error; /* errno of the first failure, 0 none */
    bool broken;   /* the packer failed */
    enum accelsim_packing packing;
    size_t used;
    uint64_t taken; /* bytes of text, `text` included */
    lzma_stream xz;
    z_stream gz;
    char text[TEXT];
    uint8_t packed[PACKED];
};

static void write_all(struct sink *s, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0 && s->error == 0) {
        ssize_t wrote = write(s->fd, at, size);
        if (wrote < 0 && errno != EINTR)
            s->error = errno;
        if (wrote > 0) {
            at += wrote;
            size -= (size_t)wrote;
        }
    }
}

static void pack_xz(struct sink *s, bool end)
{
    lzma_ret code = LZMA_OK;
    s->xz.next_in = (const uint8_t *)s->text;
    s->xz.avail_in = s->used;
    do {
        s->xz.next_out = s->packed;
        s->xz.avail_out = PACKED;
        code = lzma_code(&s->xz, end ? LZMA_FINISH : LZMA_RUN);
        s->broken |= code != LZMA_OK && code != LZMA_STREAM_END;
        write_all(s, s->packed, PACKED - s->xz.avail_out);
    } while (!s->broken && s->error == 0 && (end ? code != LZMA_STREAM_END : s->xz.avail_in > 0));
}

static void pack_gz(struct sink *s, bool end)
{
    int code = Z_OK;
    s->gz.next_in = (uint8_t *)s->text;
    s->gz.avail_in = (unsigned)s->used;
    do {
        s->gz.next_out = s->packed;
        s->gz.avail_out = PACKED;
        code = deflate(&s->gz, end ? Z_FINISH : Z_NO_FLUSH);
        s->broken |= code != Z_OK && code != Z_STREAM_END;
        write_all(s, s->packed, PACKED - s->gz.avail_out);
    } while (!s->broken && s->error == 0 && (end ? code != Z_STREAM_END : s->gz.avail_in > 0));
}

static void pack(struct sink *s, bool end)
{
    if (s->error == 0 && !s->broken) {
        switch (s->packing) {
        case ACCELSIM_TRACEZ: /* the packer is elsewhere */
        case ACCELSIM_PLAIN: write_all(s, s->text, s->used); break;
        case ACCELSIM_XZ: pack_xz(s, end); break;
        case ACCELSIM_GZ: pack_gz(s, end); break;
        }
    }
    s->used = 0;
}

static bool begin_packing(struct sink *s)
{
    s->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (s->packing == ACCELSIM_XZ)
        return lzma_easy_encoder(&s->xz, XZ_LEVEL, LZMA_CHECK_CRC64) == LZMA_OK;
    if (s->packing == ACCELSIM_GZ)
        return deflateInit2(&s->gz, GZ_LEVEL, Z_DEFLATED, GZ_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return true;
}

struct sink *sink_open(const char *path, enum accelsim_packing packing, struct status *status)
{
    struct sink *s = malloc(sizeof *s);
    if (!s) {
        status_fail(status, STATUS_MEMORY, "%.400s: no memory to write it", path);
        return NULL;
    }
    s->fd = -1;
    s->error = 0;
    s->broken = false;
    s->packing = packing;
    s->used = 0;
    s->taken = 0;
    memset(&s->gz, 0, sizeof s->gz);
    if (snprintf(s->path, sizeof s->path, "%s", path) >= (int)sizeof s->path)
        s->error = ENAMETOOLONG;
    else if ((s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0)
        s->error = errno;
    s->broken = !begin_packing(s);
    if (s->error == 0 && !s->broken)
        return s;
    sink_close(s, status);
    return NULL;
}

void sink_put(struct sink *s, const char *data, size_t size)
{
    s->taken += size;
    while (size > 0) {
        size_t part = size < TEXT - s->used ? size : TEXT - s->used;
        memcpy(s->text + s->used, data, part);
        s->used += part;
        data += part;
        size -= part;
        if (s->used == TEXT)
            pack(s, false);
    }
}

void sink_print(struct sink *s, const char *format, ...)
{
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    if (length >= LINE)
        s->error = s->error ? s->error : EOVERFLOW;
    else
        sink_put(s, line, (size_t)length);
}

uint64_t sink_size(const struct sink *s) { return s->taken; }

void sink_cut(struct sink *s, uint64_t size)
{
    assert(s->packing == ACCELSIM_PLAIN && size <= s->taken);
    pack(s, false);
    if (s->error == 0 && (ftruncate(s->fd, (off_t)size) != 0 || lseek(s->fd, (off_t)size, SEEK_SET) < 0))
        s->error = errno;
    s->taken = size;
}

bool sink_close(struct sink *s, struct status *status)
{
    if (!s)
        return true;
    pack(s, true);
    lzma_end(&s->xz);
    if (s->packing == ACCELSIM_GZ)
        deflateEnd(&s->gz);
    if (s->fd >= 0 && close(s->fd) != 0 && s->error == 0)
        s->error = errno;
    bool ok = s->error == 0 && !s->broken;
    if (!ok)
        status_fail(status, STATUS_IO, "%.400s: cannot be written: %s", s->path,
                    s->error ? strerror(s->error) : "the packer has no memory");
    free(s);
    return ok;
}
