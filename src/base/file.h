/* Whole files, read and written, and where temporary ones go. */
#ifndef SUBCORE_BASE_FILE_H
#define SUBCORE_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

struct file_bytes {
    uint8_t *data; /* owned; free with file_free */
    size_t size;
};

/* Opens an input file without waiting for a writer: a pipe is refused, unless `stream` says that it may be one.
 * Nothing comes from one that has no writer then. Returns the descriptor, or -1 with status. */
int file_open(const char *path, bool stream, struct status *status);

/* Reads a regular file of at most `limit` bytes. */
bool file_read(const char *path, size_t limit, struct file_bytes *out, struct status *status);
void file_free(struct file_bytes *bytes);

/* Returns whether there is such a file that may be read; "-" stands for standard input. */
bool file_input_check(const char *path, struct status *status);

/* An output file that appears whole or not at all: written beside the target under a temporary name, renamed by
 * file_commit, removed by file_abandon. Path "-" is standard output. The first error of any write is kept, so that a
 * commit fails with its reason. */
struct file_output {
    FILE *stream;
    struct file_sink *sink; /* owned; behind `stream` */
    char path[4096];
    char temporary[4096]; /* empty for standard output */
};

bool file_output_open(struct file_output *f, const char *path, struct status *status);
bool file_output_commit(struct file_output *f, struct status *status);
void file_output_abandon(struct file_output *f);

/* Returns whether file_output_open would succeed, for files that are written after a long run. Changes nothing. */
bool file_output_check(const char *path, struct status *status);
/* Returns the descriptor behind the stream, for writing beside it. */
int file_output_descriptor(const struct file_output *f);

/* $TMPDIR, or /tmp where it is not set or empty. */
const char *file_temporary_folder(void);

/* Makes a new folder in that one, which only this user can enter. `purpose` is a part of its name. */
enum { FILE_FOLDER = 4096 };
bool file_temporary_make(char folder[static FILE_FOLDER], const char *purpose, struct status *status);
/* Removes it with the files in it. Nothing where `folder` is empty. */
void file_temporary_remove(const char *folder);

#endif
