/* Lines of a text file that may be compressed (xz, gzip): which, its first bytes say. Memory is bounded by the longest
 * line that is allowed. */
#ifndef SUBCORE_ACCELSIM_INPUT_H
#define SUBCORE_ACCELSIM_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

enum { INPUT_LINE_MOST = 1 << 18 };

struct input_decoder;

struct input {
    char *path;                    /* owned; for messages */
    char *buffer;                  /* owned */
    size_t begin, end;             /* bytes that are there and not yet read */
    uint64_t line;                 /* number of the line read last, from 1 */
    uint64_t *taken;               /* bytes of the file that were read are added here (NULL: not counted) */
    bool finished;                 /* nothing comes after the buffer's contents */
    struct input_decoder *decoder; /* owned */
};

/* `taken` may be NULL. On failure *in is empty. */
bool input_open(struct input *in, const char *path, uint64_t *taken, struct status *status);
void input_close(struct input *in);

/* Writes the text that a file of another form stands for. Returns false, with status, on failure. */
struct input_maker {
    void *self;
    bool (*write)(void *self, FILE *out, struct status *status);
};

/* Opens the text that `maker` writes into a temporary file. Messages name `path`. On failure *in is empty. */
bool input_open_made(struct input *in, const char *path, struct input_maker maker, struct status *status);

/* Brings in more of the file, until a line is complete. False: the end, or an error. */
bool input_fill(struct input *in, struct status *status);

/* The next line without its end, which is '\n' or the end of the file. A character that is '\n' stands behind it. It is
 * valid until the next call. False at the end of the file, or with status at an error. */
static inline bool input_line(struct input *in, const char **text, const char **end, struct status *status)
{
    const char *stop = memchr(in->buffer + in->begin, '\n', in->end - in->begin);
    if (!stop) {
        if (!input_fill(in, status))
            return false;
        stop = memchr(in->buffer + in->begin, '\n', in->end - in->begin);
    }
    *text = in->buffer + in->begin;
    *end = stop;
    in->begin = (size_t)(stop - in->buffer) + 1;
    in->line++;
    return true;
}

/* Fails with "path:line: ...". */
bool input_fail(const struct input *in, struct status *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
