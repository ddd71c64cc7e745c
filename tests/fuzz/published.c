/* Any text is a table of published kernels whose rows are sound, or is refused with a reason. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "validate/published.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

static bool positive_or_none(double value) { return isnan(value) || (value > 0 && isfinite(value)); }

static void check_row(const struct published *table, const struct published_row *row)
{
    hold(*row->set && *row->gpu && *row->cubin && *row->kernel && row->line > 0);
    hold(row->parameters && row->source && row->arguments && published_ctas(row) > 0);
    for (unsigned i = 0; i < 3; i++)
        hold(row->grid[i] > 0 && row->block[i] > 0);
    hold(positive_or_none(row->clock_mhz) && positive_or_none(row->time_us));
    hold(positive_or_none(row->cycles) && positive_or_none(row->active_cycles));
    hold(isnan(published_cycles(row)) == (published_basis(row) == PUBLISHED_TIME));
    hold(row->argument_count <= PUBLISHED_ARGUMENTS);
    for (unsigned i = 0; i < row->argument_count; i++)
        hold(*row->argument[i] && *row->argument[i] != ' ');
    for (unsigned i = 0; i < table->counters; i++)
        hold(isnan(row->counter[i]) || row->counter[i] >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct published table;
    char error[64] = "";
    if (!published_read(&table, (const char *)data, size, error, sizeof error))
        hold(*error && table.count == 0 && !table.text);
    hold(table.counters + table.ignores <= PUBLISHED_COLUMNS);
    for (size_t i = 0; i < table.count; i++)
        check_row(&table, &table.row[i]);
    published_free(&table);
    return 0;
}
