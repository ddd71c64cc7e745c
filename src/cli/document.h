/* The head of every JSON document that the command line writes, and the file it goes to. */
#ifndef SUBCORE_CLI_DOCUMENT_H
#define SUBCORE_CLI_DOCUMENT_H

#include <stdio.h>

#include "base/file.h"
#include "base/json.h"

/* Kept in memory until it is complete, so that not even standard output receives a part of one. */
struct document {
    bool wanted;
    bool written, shown; /* there is a file, a page */
    struct file_output file, page;
    const char *baseline; /* path of the document with which the page compares (NULL: none) */
    char *text;
    size_t size;
    FILE *stream;
    struct json json;
};

/* Opens the file and the outer object. Does nothing when `path` is NULL. A document that was begun must be committed or
 * abandoned. */
bool document_begin(struct document *document, const char *path, struct status *status);
/* The same with a page beside the file: `json` and `html` are paths, or NULL. `baseline` is that of a document to
 * compare with, or NULL. */
bool document_begin_page(struct document *document, const char *json, const char *html, const char *baseline,
                         struct status *status);
bool document_commit(struct document *document, struct status *status);
void document_abandon(struct document *document);

/* "error": null, or the text of the status. */
void document_error(struct document *document, const struct status *status);
/* 64-bit digests do not fit the numbers of most JSON readers. */
void document_hash(struct json *json, const char *key, uint64_t hash);

/* Where text goes beside a document on `json_path`: standard output, standard error when the document takes that, NULL
 * when it shall be quiet. */
FILE *document_text_stream(const char *json_path, bool quiet);

#endif
