/* --source: the instructions of a kernel that has run, each with its cycles and, where the cubin has line tables, the
 * line of the program it comes from. */
#ifndef SUBCORE_CLI_SOURCE_H
#define SUBCORE_CLI_SOURCE_H

#include "base/json.h"
#include "exec/module.h"
#include "probe/lines.h"

/* `out`, `csv` (the path of a file to write) and `json` may be NULL. Lines of the program are read from the files that
 * the table names, or from beside the cubin. Where there are none only their numbers are given. */
bool source_report(struct exec_module *module, const char *kernel, const struct line_profile *profile, FILE *out,
                   const char *csv, struct json *json, struct status *status);

#endif
