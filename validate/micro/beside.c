#include "beside.h"

#include <math.h>
#include <string.h>

#include "validate/wrap.h"

enum { CELL = 48, WIDTH = 11 };

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static unsigned keys_of(const struct measure *m) { return m->keys ? m->keys : m->label ? 0 : 1; }

static bool same_row(const struct measure *m, const struct measure_row *a, const struct measure_row *b)
{
    for (unsigned c = 0; c < keys_of(m); c++)
        if (fabs(a->cell[c] - b->cell[c]) > 0)
            return false;
    return strcmp(a->label, b->label) == 0;
}

static const struct measure_row *find_row(const struct measure_run *run, const struct measure_row *row)
{
    for (size_t r = 0; r < run->rows; r++)
        if (same_row(run->measure, &run->row[r], row))
            return &run->row[r];
    return NULL;
}

static void print_cell(const struct measure *m, const struct measure_row *row, unsigned column, FILE *out)
{
    if (!row || isnan(row->cell[column]))
        fprintf(out, " %*s", WIDTH, "-");
    else
        fprintf(out, " %*.*f", WIDTH, m->column[column].decimals, row->cell[column]);
}

static void print_row(const struct measure *m, const struct measure_row *const side[2], int label, FILE *out)
{
    const struct measure_row *any = side[0] ? side[0] : side[1];
    fprintf(out, "  %-*s", label, m->label ? any->label : "");
    for (unsigned c = 0; c < m->columns; c++)
        for (unsigned k = 0; k < (c < keys_of(m) ? 1 : 2); k++)
            print_cell(m, c < keys_of(m) ? any : side[k], c, out);
    fputc('\n', out);
}

static int label_width(const struct measure_run *const run[2])
{
    size_t width = run[0]->measure->label ? strlen(run[0]->measure->label) : 0;
    for (unsigned k = 0; k < 2; k++)
        for (size_t r = 0; r < run[k]->rows && width > 0; r++)
            if (strlen(run[k]->row[r].label) > width)
                width = strlen(run[k]->row[r].label);
    return (int)width;
}

static void print_headings(const struct measure_run *const run[2], int label, FILE *out)
{
    const struct measure *m = run[0]->measure;
    fprintf(out, "  %-*s", label, m->label ? m->label : "");
    for (unsigned c = 0; c < m->columns; c++)
        fprintf(out, " %*s", c < keys_of(m) ? WIDTH : 2 * WIDTH + 1, m->column[c].name);
    fprintf(out, "\n  %-*s", label, "");
    for (unsigned c = 0; c < m->columns; c++)
        if (c < keys_of(m))
            fprintf(out, " %*s", WIDTH, "");
        else
            fprintf(out, " %*.*s %*.*s", WIDTH, WIDTH, run[0]->device->gpu.name, WIDTH, WIDTH,
                    run[1]->device->gpu.name);
    fputc('\n', out);
}

static void print_rows(const struct measure_run *const run[2], FILE *out)
{
    int label = label_width(run);
    print_headings(run, label, out);
    for (size_t r = 0; r < run[0]->rows; r++) {
        const struct measure_row *side[2] = {&run[0]->row[r], find_row(run[1], &run[0]->row[r])};
        print_row(run[0]->measure, side, label, out);
    }
    for (size_t r = 0; r < run[1]->rows; r++) {
        const struct measure_row *side[2] = {NULL, &run[1]->row[r]};
        if (!find_row(run[0], side[1]))
            print_row(run[0]->measure, side, label, out);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static const struct measure_value *find_value(const struct measure_run *run, const char *name)
{
    for (size_t i = 0; i < run->values; i++)
        if (strcmp(run->value[i].name, name) == 0)
            return &run->value[i];
    return NULL;
}

static const char *mark(enum reference_verdict verdict)
{
    return verdict == REFERENCE_MISS ? "miss" : verdict == REFERENCE_OPEN ? "open" : "";
}

static void print_side(const struct measure_value *v, const struct reference *r, FILE *out)
{
    char text[CELL];
    if (!v || isnan(v->value))
        fprintf(out, " %*s", WIDTH, "-");
    else
        fprintf(out, " %*.*f", WIDTH, fabs(v->value) < 100 ? 2 : 1, v->value);
    if (r && r->low < r->high)
        snprintf(text, sizeof text, "%.6g..%.6g", r->low, r->high);
    else if (r)
        snprintf(text, sizeof text, "%.6g", r->low);
    fprintf(out, " %13s", r ? text : "-");
    if (r && v && !isnan(v->value))
        snprintf(text, sizeof text, "%+.1f %%", reference_deviation(r, v->value));
    else
        snprintf(text, sizeof text, "-");
    fprintf(out, " %9s %-4s", text, r && v ? mark(reference_judge(r, v->value)) : "");
}

static void print_number(const struct measure_run *const run[2], const struct references *references, const char *name,
                         FILE *out)
{
    const struct reference *r[2];
    for (unsigned k = 0; k < 2; k++)
        r[k] = references_find(references, run[k]->device->gpu.name, name);
    fprintf(out, "  %-28s %-12s", name, r[0] ? r[0]->unit : r[1] ? r[1]->unit : "");
    for (unsigned k = 0; k < 2; k++)
        print_side(find_value(run[k], name), r[k], out);
    fputc('\n', out);
}

static void print_numbers(const struct measure_run *const run[2], const struct references *references, FILE *out)
{
    fprintf(out, "\n  %-28s %-12s", "quantity", "unit");
    for (unsigned k = 0; k < 2; k++)
        fprintf(out, " %*.*s %13s %9s %-4s", WIDTH, WIDTH, run[k]->device->gpu.name, "published", "deviation", "");
    fputc('\n', out);
    for (size_t i = 0; i < run[0]->values; i++)
        print_number(run, references, run[0]->value[i].name, out);
    for (size_t i = 0; i < run[1]->values; i++)
        if (!find_value(run[0], run[1]->value[i].name))
            print_number(run, references, run[1]->value[i].name, out);
}

static void print_reasons(const struct measure_run *run, const struct references *references, FILE *out)
{
    for (size_t i = 0; i < run->values; i++) {
        const struct reference *r = references_find(references, run->device->gpu.name, run->value[i].name);
        if (reference_judge(r, run->value[i].value) == REFERENCE_OPEN) {
            fprintf(out, "\n  open: %s of %s\n    ", r->quantity, r->gpu);
            wrap_text(r->open, 4, out);
        }
    }
}

void beside_text(const struct measure_run *const run[2], const struct references *references, FILE *out)
{
    const struct measure *m = run[0]->measure;
    fprintf(out, "%s: %s, %s beside %s\n\n  ", m->name, m->title, run[0]->device->gpu.name, run[1]->device->gpu.name);
    wrap_text(m->about, 2, out);
    fputc('\n', out);
    print_rows(run, out);
    if (run[0]->values + run[1]->values > 0)
        print_numbers(run, references, out);
    for (unsigned k = 0; k < 2; k++)
        print_reasons(run[k], references, out);
    fputc('\n', out);
    fflush(out);
}
