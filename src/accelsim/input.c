#include "accelsim/input.h"

#include <errno.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum { BUFFER = 1 << 19, CHUNK = 1 << 16 };
enum { XZ_MEMORY = 512 << 20 }; /* the strongest setting of xz needs 65 MiB. Files of several threads need more */

enum kind { PLAIN, GZIP, XZ };

struct input_decoder {
    int file;
    enum kind kind;
    bool at_end;  /* of the file */
    bool between; /* gzip: a member has ended, another may follow */
    z_stream gzip;
    lzma_stream xz;
    uint8_t raw[CHUNK];
    size_t raw_begin, raw_end;
};

bool input_fail(const struct input *in, struct status *status, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return status_fail(status, STATUS_FORMAT, "%s:%llu: %s", in->path, (unsigned long long)in->line, text);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* Reads bytes of the file, of which *got is the number: 0 at its end. */
static bool read_file(struct input *in, void *to, size_t room, size_t *got, struct status *status)
{
    struct input_decoder *d = in->decoder;
    ssize_t n;
    do
        n = read(d->file, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return status_fail(status, STATUS_IO, "%s: cannot be read: %s", in->path, strerror(errno));
    *got = (size_t)n;
    d->at_end = n == 0;
    if (in->taken)
        *in->taken += (uint64_t)n;
    return true;
}

static bool read_raw(struct input *in, struct status *status)
{
    struct input_decoder *d = in->decoder;
    if (d->raw_begin < d->raw_end || d->at_end)
        return true;
    d->raw_begin = d->raw_end = 0;
    return read_file(in, d->raw, sizeof d->raw, &d->raw_end, status);
}

static bool damaged(const struct input *in, const char *what, struct status *status)
{
    return status_fail(status, STATUS_FORMAT, "%s: after line %llu: %s", in->path, (unsigned long long)in->line, what);
}

/* The bytes by which the kind was told come first. */
static bool take_plain(struct input *in, char *out, size_t room, size_t *got, struct status *status)
{
    struct input_decoder *d = in->decoder;
    size_t left = d->raw_end - d->raw_begin;
    *got = left < room ? left : room;
    memcpy(out, d->raw + d->raw_begin, *got);
    d->raw_begin += *got;
    bool good = left || d->at_end || read_file(in, out, room, got, status);
    in->finished = d->at_end && d->raw_begin == d->raw_end;
    return good;
}

/* False: the data are damaged. *got may be 0 although more comes. */
static bool take_gzip(struct input *in, char *out, size_t room, size_t *got, struct status *status)
{
    struct input_decoder *d = in->decoder;
    if (d->between && d->raw_begin < d->raw_end) {
        inflateReset(&d->gzip);
        d->between = false;
    }
    d->gzip.next_in = d->raw + d->raw_begin;
    d->gzip.avail_in = (unsigned)(d->raw_end - d->raw_begin);
    d->gzip.next_out = (unsigned char *)out;
    d->gzip.avail_out = (unsigned)room;
    int result = d->between ? Z_OK : inflate(&d->gzip, Z_NO_FLUSH);
    d->raw_begin = d->raw_end - d->gzip.avail_in;
    *got = room - d->gzip.avail_out;
    if (result == Z_STREAM_END)
        d->between = true;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return damaged(in, "the gzip data are damaged", status);
    if (d->at_end && !d->between && *got == 0)
        return damaged(in, "the gzip data end too early", status);
    in->finished = d->at_end && d->between;
    return true;
}

static bool take_xz(struct input *in, char *out, size_t room, size_t *got, struct status *status)
{
    struct input_decoder *d = in->decoder;
    d->xz.next_in = d->raw + d->raw_begin;
    d->xz.avail_in = d->raw_end - d->raw_begin;
    d->xz.next_out = (uint8_t *)out;
    d->xz.avail_out = room;
    lzma_ret result = lzma_code(&d->xz, d->at_end ? LZMA_FINISH : LZMA_RUN);
    d->raw_begin = d->raw_end - d->xz.avail_in;
    *got = room - d->xz.avail_out;
    in->finished = result == LZMA_STREAM_END;
    if (result == LZMA_OK || result == LZMA_STREAM_END || (result == LZMA_BUF_ERROR && !d->at_end))
        return true;
    if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
        return status_fail(status, STATUS_MEMORY, "%s: the xz data need more than 512 MiB to be decompressed",
                           in->path);
    return damaged(in, result == LZMA_BUF_ERROR ? "the xz data end too early" : "the xz data are damaged", status);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool start_decoder(struct input *in, struct status *status)
{
    static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0}, gzip[] = {0x1f, 0x8b};
    enum { ANY_HEADER = 32 };
    struct input_decoder *d = in->decoder;
    if (!read_raw(in, status))
        return false;
    bool good = true;
    if (d->raw_end >= sizeof xz && memcmp(d->raw, xz, sizeof xz) == 0) {
        d->xz = (lzma_stream)LZMA_STREAM_INIT;
        good = lzma_stream_decoder(&d->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
        d->kind = XZ;
    } else if (d->raw_end >= sizeof gzip && memcmp(d->raw, gzip, sizeof gzip) == 0) {
        good = inflateInit2(&d->gzip, MAX_WBITS + ANY_HEADER) == Z_OK;
        d->kind = GZIP;
    }
    return good || status_fail(status, STATUS_MEMORY, "%s: no memory to decompress it", in->path);
}

bool input_open(struct input *in, const char *path, uint64_t *taken, struct status *status)
{
    *in = (struct input){.taken = taken};
    int file = file_open(path, false, status);
    if (file < 0)
        return false;
    in->path = strdup(path);
    in->buffer = malloc(BUFFER);
    in->decoder = calloc(1, sizeof *in->decoder);
    if (!in->path || !in->buffer || !in->decoder) {
        close(file);
        free(in->decoder);
        in->decoder = NULL;
        input_close(in);
        return status_fail(status, STATUS_MEMORY, "%s: no memory to read it", path);
    }
    in->decoder->file = file;
    if (start_decoder(in, status))
        return true;
    input_close(in);
    return false;
}

bool input_open_made(struct input *in, const char *path, struct input_maker maker, struct status *status)
{
    char folder[FILE_FOLDER], text[FILE_FOLDER + 8];
    *in = (struct input){0};
    if (!file_temporary_make(folder, "text", status))
        return false;
    snprintf(text, sizeof text, "%s/text", folder);
    FILE *out = fopen(text, "we");
    bool ok = out ? maker.write(maker.self, out, status)
                  : status_fail(status, STATUS_IO, "%.300s: its text cannot be written", path);
    if (out && fclose(out) != 0 && ok)
        ok = status_fail(status, STATUS_IO, "%.300s: its text cannot be written", path);
    ok = ok && input_open(in, text, NULL, status);
    file_temporary_remove(folder);
    char *name = ok ? strdup(path) : NULL;
    if (name) {
        free(in->path);
        in->path = name;
    }
    return ok;
}

void input_close(struct input *in)
{
    struct input_decoder *d = in->decoder;
    if (d && d->kind == XZ)
        lzma_end(&d->xz);
    else if (d && d->kind == GZIP)
        inflateEnd(&d->gzip);
    if (d)
        close(d->file);
    free(d);
    free(in->buffer);
    free(in->path);
    *in = (struct input){0};
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool take(struct input *in, struct status *status)
{
    struct input_decoder *d = in->decoder;
    size_t got = 0, room = BUFFER - 1 - in->end; /* one for the end of a last line that has none */
    char *to = in->buffer + in->end;
    bool good = d->kind == PLAIN
                    ? take_plain(in, to, room, &got, status)
                    : read_raw(in, status) && (d->kind == XZ ? take_xz : take_gzip)(in, to, room, &got, status);
    if (!good)
        return false;
    in->end += got;
    return true;
}

bool input_fill(struct input *in, struct status *status)
{
    size_t seen = 0; /* of the bytes present, without the end of a line */
    memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
    in->end -= in->begin;
    in->begin = 0;
    for (;;) {
        if (memchr(in->buffer + seen, '\n', in->end - seen))
            return true;
        seen = in->end;
        if (in->end > INPUT_LINE_MOST)
            return damaged(in, "the next line is longer than 262144 characters", status);
        if (in->finished) {
            if (in->end)
                in->buffer[in->end++] = '\n';
            return in->end > 0;
        }
        if (!take(in, status))
            return false;
    }
}
