/* A document that --json has written, read again: for pages and comparisons. */
#ifndef SUBCORE_CLI_PAGE_FILE_H
#define SUBCORE_CLI_PAGE_FILE_H

#include "base/file.h"
#include "base/json_tree.h"

struct page_file {
    const char *path; /* given */
    struct file_bytes bytes;
    struct json_tree tree;
};

/* Reads the file at `path`, at most 1 GiB, and checks that it is a document of run, demo, replay or exec. */
bool page_file_read(struct page_file *file, struct status *status);
void page_file_free(struct page_file *file);

#endif
