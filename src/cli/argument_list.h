/* The arguments of one launch: checked against the kernel's parameters, put into device memory, read back. */
#ifndef SUBCORE_CLI_ARGUMENT_LIST_H
#define SUBCORE_CLI_ARGUMENT_LIST_H

#include <stdio.h>

#include "base/json.h"
#include "cli/argument.h"
#include "cli/options.h"
#include "cubin/cubin.h"
#include "exec/memory.h"

struct argument_list {
    struct argument *items;
    size_t count;
    uint8_t *parameters; /* the parameter block */
    size_t parameter_bytes;
    bool unread; /* no array is read back: hashes of their contents are not needed */
};

/* Reads the --arg and --out options. */
bool argument_list_parse(struct argument_list *list, const struct cli_options *options, struct status *status);
/* Compares with the kernel's parameters, fills arrays in device memory, and builds the parameter block. */
bool argument_list_place(struct argument_list *list, const struct cubin_kernel *kernel, struct memory *memory,
                         struct status *status);
/* Reads the arrays back: one line an array to `out` and the member "arguments" to `json` (each may be NULL), and, when
 * the run is complete, the files that were asked for. */
bool argument_list_finish(const struct argument_list *list, const struct memory *memory, bool complete, FILE *out,
                          struct json *json, struct status *status);
void argument_list_free(struct argument_list *list);

#endif
