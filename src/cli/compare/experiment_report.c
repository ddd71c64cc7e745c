#include "cli/compare/experiment_report.h"

#include <string.h>

#include "cli/code/listing.h"
#include "validate/wrap.h"

enum { TABLE_COLUMNS = EXPERIMENT_COLUMNS + 2 * EXPERIMENT_MEASURES + 1 };

/* A table that is printed once its widths are known. */
struct table {
    unsigned columns;
    size_t width[TABLE_COLUMNS];
};

static const char *verdict_name(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_OK: return "ok";
    case VERDICT_MISS: return "MISS";
    case VERDICT_OPEN: return "open";
    case VERDICT_NONE: break;
    }
    return "-";
}

/* ---- table ------------------------------------------------------------------------------------------------------- */

/* Whether anything is expected of a measure in the rows that ran. */
static bool is_expected(const struct experiment_run *run, unsigned measure)
{
    for (unsigned i = run->from; i < run->to; i++)
        if (run->row[i].outcome[measure].expected[0])
            return true;
    return false;
}

/* The texts of a row; `row` NULL: the headings. */
static unsigned texts_of(const struct experiment_run *run, const struct experiment_row *row,
                         const char *text[TABLE_COLUMNS])
{
    const struct experiment *e = run->experiment;
    unsigned count = 0;
    for (unsigned c = 0; c < e->columns; c++)
        if (e->column[c].kind == COLUMN_PARAMETER && !e->column[c].hidden)
            text[count++] = row ? experiment_cell(e, (unsigned)(row - run->row), c) : e->column[c].name;
    for (unsigned m = 0; m < e->measures; m++) {
        text[count++] = row ? row->outcome[m].simulated : e->measure[m].name;
        if (is_expected(run, m))
            text[count++] = !row                          ? (run->hardware ? "hardware" : "expected")
                            : row->outcome[m].expected[0] ? row->outcome[m].expected
                                                          : "-";
    }
    text[count++] = row ? verdict_name(row->verdict) : "verdict";
    return count;
}

static void widen(struct table *table, const char *const text[TABLE_COLUMNS])
{
    for (unsigned i = 0; i < table->columns; i++)
        if (strlen(text[i]) > table->width[i])
            table->width[i] = strlen(text[i]);
}

static void print_texts(const struct table *table, const char *const text[TABLE_COLUMNS], FILE *out)
{
    fputs("  ", out);
    for (unsigned i = 0; i + 1 < table->columns; i++)
        fprintf(out, "%-*s  ", (int)table->width[i], text[i]);
    fprintf(out, "%s\n", text[table->columns - 1]);
}

static void print_table(const struct experiment_run *run, FILE *out)
{
    const char *text[TABLE_COLUMNS];
    struct table table = {0};
    table.columns = texts_of(run, NULL, text);
    widen(&table, text);
    for (unsigned i = run->from; i < run->to; i++) {
        texts_of(run, &run->row[i], text);
        widen(&table, text);
    }
    texts_of(run, NULL, text);
    print_texts(&table, text, out);
    for (unsigned i = run->from; i < run->to; i++) {
        texts_of(run, &run->row[i], text);
        print_texts(&table, text, out);
    }
}

/* Why rows are open, each reason once. */
static void print_reasons(const struct experiment_run *run, FILE *out)
{
    const char *last = "";
    for (unsigned i = run->from; i < run->to; i++) {
        const struct experiment_row *row = &run->row[i];
        if (row->verdict == VERDICT_OPEN && strcmp(row->open, last) != 0) {
            fputs("\n  open:\n    ", out);
            wrap_text(row->open, 4, out);
            last = row->open;
        }
    }
}

void experiment_report_text(const struct experiment_run *run, const char *gpu, FILE *out)
{
    const struct experiment *e = run->experiment;
    fprintf(out, "%s: %s\n\n  ", e->name, e->title);
    wrap_text(e->about, 2, out);
    fprintf(out, "\n  Source: %s\n  GPU:    %s\n  Unit:   %s, tolerance %s\n\n", e->source, gpu, e->unit, e->tolerance);
    print_table(run, out);
    print_reasons(run, out);
    fprintf(out, "\n  %u %s: %u ok, %u missed", run->to - run->from, run->to - run->from == 1 ? "row" : "rows", run->ok,
            run->missed);
    if (run->open)
        fprintf(out, ", %u open", run->open);
    if (run->unjudged)
        fprintf(out, ", %u without %s on this GPU", run->unjudged, run->hardware ? "words recorded" : "an expectation");
    fputc('\n', out);
}

void experiment_report_heading(FILE *out)
{
    fprintf(out, "%-24s %-12s %5s %5s %5s %5s  %s\n", "experiment", "gpu", "rows", "ok", "miss", "open", "what");
}

void experiment_report_line(const struct experiment_run *run, const char *gpu, FILE *out)
{
    fprintf(out, "%-24s %-12s %5u %5u %5u %5u  %s\n", run->experiment->name, gpu, run->to - run->from, run->ok,
            run->missed, run->open, run->experiment->title);
    fflush(out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_row(const struct experiment_run *run, unsigned number, struct json *json)
{
    const struct experiment *e = run->experiment;
    const struct experiment_row *row = &run->row[number];
    json_object(json, NULL);
    json_uint(json, "row", number + 1);
    json_object(json, "parameters");
    for (unsigned c = 0; c < e->columns; c++)
        if (e->column[c].kind == COLUMN_PARAMETER)
            json_string(json, e->column[c].name, experiment_cell(e, number, c));
    json_end(json);
    json_array(json, "measures");
    for (unsigned m = 0; m < e->measures; m++) {
        const struct experiment_outcome *o = &row->outcome[m];
        json_object(json, NULL);
        json_string(json, "name", e->measure[m].name);
        json_string(json, "expected", o->expected[0] ? o->expected : NULL);
        json_string(json, "simulated", o->simulated);
        json_string(json, "verdict", verdict_name(o->verdict));
        json_end(json);
    }
    json_end(json);
    json_string(json, "verdict", verdict_name(row->verdict));
    json_string(json, "open", row->open[0] ? row->open : NULL);
    json_end(json);
}

void experiment_report_json(const struct experiment_run *run, const char *gpu, struct json *json)
{
    const struct experiment *e = run->experiment;
    json_string(json, "experiment", e->name);
    json_string(json, "title", e->title);
    json_string(json, "source", e->source);
    json_string(json, "gpu", gpu);
    json_string(json, "unit", e->unit);
    json_string(json, "tolerance", e->tolerance);
    json_uint(json, "ok", run->ok);
    json_uint(json, "missed", run->missed);
    json_uint(json, "open", run->open);
    json_array(json, "rows");
    for (unsigned i = run->from; i < run->to; i++)
        write_row(run, i, json);
    json_end(json);
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

static const struct cubin_kernel *kernel_of(const struct cubin *cubin, unsigned row)
{
    char name[EXPERIMENT_TEXT];
    experiment_kernel(name, row);
    uint32_t i = 0;
    while (strcmp(cubin->kernels[i].name, name) != 0)
        i++;
    return &cubin->kernels[i];
}

bool experiment_report_code(const struct experiment_run *run, unsigned row, FILE *out, struct status *status)
{
    struct cubin cubin;
    if (!cubin_open(&cubin, (struct cubin_bytes){run->cubin, run->cubin_bytes}, "experiment", status))
        return false;
    struct isa_assembler *assembler = isa_assembler_create(cubin.sm, status);
    struct listing listing;
    bool ok = assembler && listing_create(&listing, assembler, &cubin, kernel_of(&cubin, row), status);
    if (ok) {
        listing.entry = true;
        listing_print_module(&cubin, out);
        fputc('\n', out);
        listing_print(&listing, out);
        listing_free(&listing);
    }
    if (assembler)
        isa_assembler_destroy(assembler);
    cubin_close(&cubin);
    return ok;
}
