#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8 };

/* Of decimal fractions in the arithmetic, in percent. */
static const double rounding = 1e-6;

static bool read_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

/* Cuts a line in place. */
static bool read_row(struct reference *row, char *line)
{
    char *field[FIELDS];
    for (unsigned i = 0; i < FIELDS; i++) {
        char *tab = strchr(line, '\t');
        if ((i + 1 < FIELDS) != (tab != NULL))
            return false;
        field[i] = line;
        if (tab) {
            *tab = '\0';
            line = tab + 1;
        }
    }
    *row = (struct reference){
        .gpu = field[0], .quantity = field[1], .unit = field[4], .source = field[6], .open = field[7]};
    return read_number(field[2], &row->low) && read_number(field[3], &row->high) &&
           read_number(field[5], &row->tolerance) && row->low <= row->high && row->tolerance >= 0 && *row->gpu &&
           *row->quantity && *row->unit && *row->source;
}

bool references_read(struct references *r, const char *text, size_t size, char *error, size_t error_size)
{
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    *r = (struct references){.row = calloc(lines, sizeof *r->row), .text = malloc(size + 1)};
    if (!r->row || !r->text) {
        snprintf(error, error_size, "out of memory");
        references_free(r);
        return false;
    }
    memcpy(r->text, text, size);
    r->text[size] = '\0';
    char *line = r->text;
    for (size_t number = 1; line; number++) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line && *line != '#' && !read_row(&r->row[r->count++], line)) {
            snprintf(error, error_size, "line %zu is not a reference", number);
            references_free(r);
            return false;
        }
        line = next;
    }
    return true;
}

void references_free(struct references *r)
{
    free(r->row);
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
    return end == value ? 0 : 100 * (value - end) / end;
}

enum reference_verdict reference_judge(const struct reference *reference, double value)
{
    if (!reference)
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
