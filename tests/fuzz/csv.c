/* Any text is rows of fields that lie within it. Rows that read as reference numbers are sound, and all else is refused
 * with a line. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/csv.h"
#include "validate/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

static void read_rows(const uint8_t *data, size_t size)
{
    enum { MOST = 4 };
    char *text = malloc(size + 1), *field[MOST];
    unsigned before = 0, lines = 1;
    hold(text);
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < strlen(text); i++)
        lines += text[i] == '\n';
    struct csv csv = csv_begin(text);
    for (unsigned count; (count = csv_row(&csv, field, MOST)) != 0;) {
        hold(csv.line > before && csv.line <= lines);
        before = csv.line;
        for (unsigned i = 0; i < count && i < MOST; i++)
            hold(field[i] >= text && field[i] + strlen(field[i]) <= text + size);
    }
    hold(*csv.next == '\0' && csv.next <= text + size);
    free(text);
}

static void read_references(const uint8_t *data, size_t size)
{
    struct references r = {0};
    char error[128] = "";
    if (!references_read(&r, (const char *)data, size, error, sizeof error))
        hold(strncmp(error, "line ", 5) == 0 && r.count == 0);
    for (size_t i = 0; i < r.count; i++) {
        const struct reference *row = &r.row[i];
        hold(*row->gpu && *row->quantity && row->unit && *row->source && row->low <= row->high);
        hold(reference_deviation(row, row->low) == 0 && !isnan(reference_deviation(row, 1)));
    }
    references_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_rows(data, size);
    read_references(data, size);
    return 0;
}
