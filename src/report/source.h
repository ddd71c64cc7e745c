/* A kernel's instructions with their cost. Cycles stand beside the instruction that a warp would issue next, as the
 * profiler's samples do. */
#ifndef SUBCORE_REPORT_SOURCE_H
#define SUBCORE_REPORT_SOURCE_H

#include <stdio.h>

#include "base/json.h"
#include "isa/isa.h"
#include "probe/lines.h"

struct source_line {
    const struct isa_inst *inst; /* NULL: code that the driver supplies */
    const char *function;        /* whose code it is (NULL: the kernel's) */
    const char *file;            /* of the program's source (NULL: not known) */
    uint32_t line;               /* in it, from 1 */
    const char *text;            /* that line (NULL: not found) */
    int text_length;
};

/* A file of the program's source. */
struct source_file {
    const char *name; /* as source_line.file has it, the same pointer */
    const char *text; /* not ended by a zero (NULL: not found) */
    size_t size;
};

/* The instruction as text. */
void source_instruction(const struct source_line *line, char text[static ISA_TEXT]);

/* lines[profile->count], one for each instruction. Some 130 columns. */
void report_source(const struct source_line *lines, const struct line_profile *profile, FILE *out);
/* An object with a list of all instructions that were reached, the totals that they add up to, and the text of the
 * program around their lines. Files of one name are taken for one. */
void report_source_json(const struct source_line *lines, const struct line_profile *profile,
                        const struct source_file *files, size_t file_count, struct json *json, const char *key);

/* A heading and a row for each instruction that was reached, then one for the cycles without a warp; columns add up to
 * the kernel's totals. */
void report_source_csv(const struct source_line *lines, const struct line_profile *profile, FILE *out);

#endif
