#include "validate/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/csv.h"

enum { FIELDS = 8 };

/* Of decimal fractions in the arithmetic, in percent. */
static const double rounding = 1e-6;

static bool read_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

static bool read_row(struct reference *row, char *const field[FIELDS])
{
    *row = (struct reference){.gpu = field[0],
                              .quantity = field[1],
                              .unit = field[4],
                              .source = field[6],
                              .open = field[7],
                              .tolerance = NAN};
    return read_number(field[2], &row->low) && read_number(field[3], &row->high) &&
           (!*field[5] || (read_number(field[5], &row->tolerance) && row->tolerance >= 0)) && row->low <= row->high &&
           *row->gpu && *row->quantity && *row->source;
}

static bool is_heading(char *const field[FIELDS])
{
    static const char *const heading[FIELDS] = {"gpu",  "quantity",  "low",    "high",
                                                "unit", "tolerance", "source", "open"};
    for (unsigned i = 0; i < FIELDS; i++)
        if (strcmp(field[i], heading[i]) != 0)
            return false;
    return true;
}

/* A place for one more row (NULL: no memory). */
static struct reference *new_row(struct references *r)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        struct reference *row = realloc(r->row, room * sizeof *row);
        if (!row)
            return NULL;
        r->row = row;
        r->room = room;
    }
    return &r->row[r->count];
}

/* A copy of the text that lives as long as the rows (NULL: no memory). */
static char *keep(struct references *r, const char *text, size_t size)
{
    char **texts = realloc(r->text, (r->texts + 1) * sizeof *texts);
    if (texts)
        r->text = texts;
    char *copy = texts ? malloc(size + 1) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return r->text[r->texts++] = copy;
}

bool references_read(struct references *r, const char *text, size_t size, char *error, size_t error_size)
{
    size_t before = r->count;
    char *copy = keep(r, text, size);
    if (!copy) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    struct csv csv = csv_begin(copy);
    char *field[FIELDS];
    bool headed = false;
    for (unsigned count; (count = csv_row(&csv, field, FIELDS)) != 0; headed = true) {
        struct reference *row = new_row(r);
        const char *wrong = !row                    ? "finds no memory"
                            : count != FIELDS       ? "has not the eight fields of a reference"
                            : !headed               ? (is_heading(field) ? NULL : "is not the heading")
                            : !read_row(row, field) ? "is not a reference"
                                                    : NULL;
        if (wrong) {
            snprintf(error, error_size, "line %u %s", csv.line, wrong);
            r->count = before;
            return false;
        }
        r->count += headed;
    }
    return true;
}

void references_free(struct references *r)
{
    free(r->row);
    for (size_t i = 0; i < r->texts; i++)
        free(r->text[i]);
    free(r->text);
    *r = (struct references){0};
}

const struct reference *references_find(const struct references *r, const char *gpu, const char *quantity)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->row[i].gpu, gpu) == 0 && strcmp(r->row[i].quantity, quantity) == 0)
            return &r->row[i];
    return NULL;
}

double reference_deviation(const struct reference *reference, double value)
{
    if (isnan(value))
        return NAN;
    double end = value < reference->low ? reference->low : value > reference->high ? reference->high : value;
    return end == value ? 0 : end != 0 ? 100 * (value - end) / end : value > 0 ? 100 : -100;
}

enum reference_verdict reference_judge(const struct reference *reference, double value)
{
    if (!reference || isnan(reference->tolerance))
        return REFERENCE_NONE;
    bool fits = fabs(reference_deviation(reference, value)) <= reference->tolerance + rounding;
    if (*reference->open)
        return fits ? REFERENCE_CLOSED : REFERENCE_OPEN;
    return fits ? REFERENCE_OK : REFERENCE_MISS;
}

const char *reference_verdict_name(enum reference_verdict verdict)
{
    switch (verdict) {
    case REFERENCE_OK: return "ok";
    case REFERENCE_MISS: return "miss";
    case REFERENCE_OPEN: return "open";
    case REFERENCE_CLOSED: return "closed";
    case REFERENCE_NONE: break;
    }
    return "-";
}
