/* Reports about one kernel that has run with a configuration. They write to the stream they are given and nowhere
 * else. */
#ifndef SUBCORE_REPORT_REPORT_H
#define SUBCORE_REPORT_REPORT_H

#include <stdio.h>

#include "base/json.h"
#include "config/config.h"
#include "probe/result.h"

/* One screen: at most 45 lines of at most 100 columns. Functional runs have a short form. */
void report_text(const struct kernel_result *result, const struct config *config, FILE *out);

/* The kernel in one line, below the heading; `number` counts launches from 0. */
void report_line_heading(FILE *out);
void report_line(const struct kernel_result *result, const struct config *config, size_t number, FILE *out);

/* The kinds of all values about a kernel, as docs/json.md describes it. `host`, its last member, is the only part that
 * differs between runs of the same launch. */
enum { REPORT_SCHEMA = 1 };
void report_json(const struct kernel_result *result, const struct config *config, struct json *json, const char *key);

#endif
