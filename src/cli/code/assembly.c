#include "cli/code/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define SOURCE_LIMIT ((size_t)1 << 30)

bool assembly_is(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".sass") == 0;
}

static bool read_stream(FILE *in, struct file_bytes *out, struct status *status)
{
    enum { STEP = 65536 };
    for (size_t n = 1; n > 0;) {
        uint8_t *data = realloc(out->data, out->size + STEP);
        if (!data || out->size > SOURCE_LIMIT)
            return status_fail(status, STATUS_MEMORY, "no memory for standard input");
        out->data = data;
        n = fread(data + out->size, 1, STEP, in);
        out->size += n;
    }
    return !ferror(in) || status_fail(status, STATUS_IO, "standard input: %s", strerror(errno));
}

bool assembly_read(const char *path, struct asm_input input, uint8_t **cubin, size_t *size, struct status *status)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    struct file_bytes file = {0};
    struct asm_output output = {0};
    bool ok = standard ? read_stream(stdin, &file, status) : file_read(path, SOURCE_LIMIT, &file, status);
    if (ok) {
        input.text = (const char *)file.data;
        input.size = file.size;
        ok = asm_assemble(&input, &output, status);
        diagnostics_print(&output.errors, name, input.text, input.size, stderr);
        unsigned errors = output.errors.count + output.errors.dropped;
        if (errors > 0)
            status_fail(status, STATUS_FORMAT, "%.300s: %u error%s", name, errors, errors == 1 ? "" : "s");
    }
    *cubin = output.cubin;
    *size = output.size;
    file_free(&file);
    return ok;
}
