/* Any word behind --arg is an argument or is refused with a sentence. Arguments of a moderate size are filled and
 * printed. No file is read or written: names of files are parsed, and that is all. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/argument.h"

enum { MOST = 1 << 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

static void fill(const struct argument *a)
{
    uint64_t bytes = argument_array_bytes(a);
    struct status status = {0};
    uint8_t *contents = malloc(bytes);
    char element[32];
    hold(contents && argument_fill(a, contents, &status));
    for (uint64_t i = 0; i < a->count && i < 4; i++) {
        uint64_t bits = argument_element(a, contents, i);
        value_print(a->type, bits, element, sizeof element);
        hold(element[0] && strlen(element) < sizeof element - 1);
    }
    free(contents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct argument a;
    char *spec = malloc(size + 1);
    hold(spec);
    memcpy(spec, data, size);
    spec[size] = '\0';
    if (!argument_parse(spec, &a, &status)) {
        hold(status.code != STATUS_OK && status.text[0]);
        free(spec);
        return 0;
    }
    uint8_t *stored = malloc(argument_size(&a) + 1);
    hold(stored && status.code == STATUS_OK);
    argument_store(&a, stored);
    if (a.kind == ARGUMENT_ARRAY) {
        hold(a.count > 0 && argument_array_bytes(&a) <= UINT64_C(1) << 40);
        if (a.pattern != PATTERN_FILE && argument_array_bytes(&a) <= MOST)
            fill(&a);
    }
    free(stored);
    argument_free(&a);
    free(spec);
    return 0;
}
