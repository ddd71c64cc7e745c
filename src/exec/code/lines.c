#include "exec/code/lines.h"
#include "isa/pascal.h"

#include <inttypes.h>
#include <stdlib.h>

void exec_line(const struct exec_launch *launch, uint32_t pc, char *text, size_t size)
{
    const struct cubin *cubin = launch->module ? &launch->module->cubin : NULL;
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    struct cubin_line *rows = NULL;
    text[0] = '\0';
    if (!cubin || !kernel || pc / 16 >= isa_code_count(cubin->sm, kernel->code.size))
        return;
    size_t count = cubin_lines(cubin, kernel, &rows), at = 0;
    while (at < count && rows[at].pc <= pc)
        at++;
    const struct cubin_line *row = at > 0 ? &rows[at - 1] : NULL;
    const char *file = row ? cubin_line_file(cubin, row->file) : NULL;
    const char *outer = row ? cubin_line_file(cubin, row->outer_file) : NULL;
    bool inlined = file && outer && (row->file != row->outer_file || row->line != row->outer_line);
    if (inlined)
        snprintf(text, size, "%.80s:%" PRIu32 " (inlined %.60s:%" PRIu32 ")", outer, row->outer_line, file, row->line);
    else if (file)
        snprintf(text, size, "%.100s:%" PRIu32, file, row->line);
    free(rows);
}
