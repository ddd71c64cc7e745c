#include "exec/code/lines.h"

#include <inttypes.h>
#include <stdlib.h>

void exec_line(const struct exec_launch *launch, uint32_t pc, char *text, size_t size)
{
    const struct cubin *cubin = launch->module ? &launch->module->cubin : NULL;
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    struct cubin_line *rows = NULL;
    text[0] = '\0';
    if (!cubin || !kernel || pc >= kernel->code.size)
        return;
    size_t count = cubin_lines(cubin, kernel, &rows), at = 0;
    while (at < count && rows[at].pc <= pc)
        at++;
    const char *file = at > 0 ? cubin_line_file(cubin, rows[at - 1].file) : NULL;
    if (file)
        snprintf(text, size, "%.100s:%" PRIu32, file, rows[at - 1].line);
    free(rows);
}
