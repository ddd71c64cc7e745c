#include "table.h"

#include <math.h>
#include <string.h>

#include "validate/wrap.h"

enum { CELL = 48 };

static void cell_text(const struct measure *m, const struct measure_row *row, unsigned column, char text[CELL])
{
    double value = row->cell[column];
    if (isnan(value))
        snprintf(text, CELL, "-");
    else
        snprintf(text, CELL, "%.*f", m->column[column].decimals, value);
}

static void print_table(const struct measure_run *run, FILE *out)
{
    const struct measure *m = run->measure;
    char text[CELL];
    int label = m->label ? (int)strlen(m->label) : 0;
    for (size_t r = 0; r < run->rows && m->label; r++)
        label = (int)strlen(run->row[r].label) > label ? (int)strlen(run->row[r].label) : label;
    fputs("  ", out);
    if (m->label)
        fprintf(out, "%-*s", label, m->label);
    for (unsigned c = 0; c < m->columns; c++)
        fprintf(out, "  %10s", m->column[c].name);
    fputc('\n', out);
    for (size_t r = 0; r < run->rows; r++) {
        fputs("  ", out);
        if (m->label)
            fprintf(out, "%-*s", label, run->row[r].label);
        for (unsigned c = 0; c < m->columns; c++) {
            int width = (int)strlen(m->column[c].name);
            cell_text(m, &run->row[r], c, text);
            fprintf(out, "  %*s", width > 10 ? width : 10, text);
        }
        fputc('\n', out);
    }
}

static void count_verdict(struct table_count *count, enum reference_verdict verdict)
{
    count->ok += verdict == REFERENCE_OK;
    count->missed += verdict == REFERENCE_MISS;
    count->open += verdict == REFERENCE_OPEN;
    count->closed += verdict == REFERENCE_CLOSED;
}

void table_count(const struct measure_run *run, const struct references *references, struct table_count *count)
{
    for (size_t i = 0; i < run->values; i++)
        count_verdict(count, reference_judge(references_find(references, run->device->gpu.name, run->value[i].name),
                                             run->value[i].value));
}

static void print_reference(const struct reference *r, char text[CELL])
{
    if (!r)
        snprintf(text, CELL, "-");
    else if (r->low < r->high)
        snprintf(text, CELL, "%.6g..%.6g", r->low, r->high);
    else
        snprintf(text, CELL, "%.6g", r->low);
}

static void print_values(const struct measure_run *run, const struct references *references, FILE *out)
{
    char reference[CELL], deviation[CELL], value[CELL];
    fprintf(out, "\n  %-28s %10s  %16s  %-11s %9s  %s\n", "quantity", "measured", "reference", "unit", "deviation",
            "verdict");
    for (size_t i = 0; i < run->values; i++) {
        const struct measure_value *v = &run->value[i];
        const struct reference *r = references_find(references, run->device->gpu.name, v->name);
        print_reference(r, reference);
        snprintf(value, sizeof value, "%.*f", fabs(v->value) < 100 ? 2 : 1, v->value);
        double off = r ? reference_deviation(r, v->value) : 0;
        snprintf(deviation, sizeof deviation, isnan(off) ? "-" : "%+.1f %%", off);
        fprintf(out, "  %-28s %10s  %16s  %-11s %9s  %s\n", v->name, isnan(v->value) ? "-" : value, reference,
                r ? r->unit : "", r ? deviation : "", reference_verdict_name(reference_judge(r, v->value)));
    }
    for (size_t i = 0; i < run->values; i++) {
        const struct reference *r = references_find(references, run->device->gpu.name, run->value[i].name);
        if (reference_judge(r, run->value[i].value) == REFERENCE_OPEN) {
            fprintf(out, "\n  open: %s\n    ", r->quantity);
            wrap_text(r->open, 4, out);
        }
    }
}

void table_text(const struct measure_run *run, const struct references *references, struct table_count *count,
                FILE *out)
{
    const struct measure *m = run->measure;
    fprintf(out, "%s: %s, %s\n\n  ", m->name, m->title, run->device->gpu.name);
    wrap_text(m->about, 2, out);
    fputc('\n', out);
    print_table(run, out);
    if (run->values > 0)
        print_values(run, references, out);
    fputc('\n', out);
    fflush(out);
    table_count(run, references, count);
}

void table_csv_heading(FILE *out) { fprintf(out, "gpu,measure,row,column,value\n"); }

void table_csv(const struct measure_run *run, FILE *out)
{
    const struct measure *m = run->measure;
    for (size_t r = 0; r < run->rows; r++)
        for (unsigned c = m->label ? 0 : 1; c < m->columns; c++) {
            const struct measure_row *row = &run->row[r];
            char text[CELL];
            if (isnan(row->cell[c]))
                continue;
            if (m->label)
                snprintf(text, sizeof text, "\"%s\"", row->label);
            else
                cell_text(m, row, 0, text);
            fprintf(out, "%s,%s,%s,%s,%.6g\n", run->device->gpu.name, m->name, text, m->column[c].name, row->cell[c]);
        }
}
