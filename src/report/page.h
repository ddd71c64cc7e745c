/* A report as one HTML page that needs nothing else: the template of src/report/page with the data of runs, as their
 * JSON documents (docs/json.md) have it, in a block of JSON. docs/reports.md describes the page. */
#ifndef SUBCORE_REPORT_PAGE_H
#define SUBCORE_REPORT_PAGE_H

#include <stdio.h>

#include "base/json_tree.h"

enum { PAGE_NO_BASELINE = -1 };

struct page_run {
    const char *name;                  /* as the page calls it; UTF-8 */
    const struct json_value *document; /* the root of a document with `kernels` or `demos` */
};

/* Returns whether a page can show the document. Otherwise a status that names it. */
bool page_takes(const struct page_run *run, struct status *status);

/* Writes the page. `baseline` is the number of the run with which the others are compared, or PAGE_NO_BASELINE. Equal
 * documents give equal bytes. False, with status: no memory. */
bool page_write(const struct page_run *runs, size_t count, int baseline, FILE *out, struct status *status);

/* Writes the data block alone. Each object is an array: the number of its shape, then its values in the order of the
 * keys that `shapes` lists for it. Each array begins with -1. */
bool page_write_data(const struct page_run *runs, size_t count, int baseline, FILE *out, struct status *status);

#endif
