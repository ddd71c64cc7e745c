#include "tests/fuzz/asm_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "cubin/cubin.h"

#define PROMISE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static unsigned lines_of(const uint8_t *data, size_t size)
{
    unsigned lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    return lines;
}

static void check_mistakes(const struct diagnostics *errors, const uint8_t *data, size_t size)
{
    unsigned lines = lines_of(data, size);
    for (unsigned i = 0; i < errors->count; i++) {
        const struct diagnostic *d = &errors->items[i];
        PROMISE(d->line >= 1 && d->line <= lines && d->column >= 1 && d->column <= size + 1);
        PROMISE(d->message[0] != '\0' && memchr(d->message, 0, sizeof d->message));
        PROMISE(i == 0 || errors->items[i - 1].line < d->line);
    }
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    diagnostics_print(errors, "input", (const char *)data, size, out);
    fclose(out);
    PROMISE(length > 0);
    free(text);
}

void asm_check(const uint8_t *data, size_t size)
{
    struct asm_output output;
    struct status status = {0};
    struct cubin cubin;
    const struct asm_input input = {.text = (const char *)data, .size = size, .arch = 86};
    bool ok = asm_assemble(&input, &output, &status);
    PROMISE(ok == (output.cubin != NULL));
    if (!ok) {
        PROMISE(output.errors.count > 0 || status.code != STATUS_OK);
        if (output.errors.count > 0)
            check_mistakes(&output.errors, data, size);
        return;
    }
    PROMISE(output.errors.count == 0);
    if (!cubin_open(&cubin, (struct cubin_bytes){output.cubin, output.size}, "input", &status)) {
        fprintf(stderr, "%s\n", status.text);
        abort();
    }
    cubin_close(&cubin);
    free(output.cubin);
}
