#include "validate/published.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/csv.h"

/* ---- columns ----------------------------------------------------------------------------------------------------- */

enum kind { TEXT, COUNT, DIM, NUMBER };

struct column {
    const char *name;
    enum kind kind;
    bool needed; /* in the heading, and in each row */
    size_t offset;
};

#define FIELD(member) offsetof(struct published_row, member)
static const struct column columns[] = {
    {"set", TEXT, true, FIELD(set)},
    {"gpu", TEXT, true, FIELD(gpu)},
    {"cubin", TEXT, true, FIELD(cubin)},
    {"kernel", TEXT, true, FIELD(kernel)},
    {"parameters", TEXT, false, FIELD(parameters)},
    {"registers", COUNT, false, FIELD(registers)},
    {"grid", DIM, true, FIELD(grid)},
    {"block", DIM, true, FIELD(block)},
    {"shared", COUNT, false, FIELD(shared)},
    {"arguments", TEXT, false, FIELD(arguments)},
    {"clock_mhz", NUMBER, false, FIELD(clock_mhz)},
    {"time_us", NUMBER, false, FIELD(time_us)},
    {"cycles", NUMBER, false, FIELD(cycles)},
    {"sm_cycles_active", NUMBER, false, FIELD(active_cycles)},
    {"source", TEXT, false, FIELD(source)},
};
enum { KNOWN = sizeof columns / sizeof columns[0] };

/* The meaning of a file's column. */
struct place {
    const char *name;
    const struct column *column; /* NULL: a counter, or left out */
    int counter;                 /* its number (-1: none) */
};

struct heading {
    struct place place[PUBLISHED_COLUMNS];
    unsigned count;
};

struct reader {
    struct published *table;
    struct heading heading;
    struct csv csv;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int used = r->csv.line ? snprintf(r->error, r->error_size, "line %u", r->csv.line) : 0;
    if (used >= 0 && (size_t)used < r->error_size)
        vsnprintf(r->error + used, r->error_size - (size_t)used, format, list);
    va_end(list);
    return false;
}

static const struct column *find_column(const char *name)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

static bool take_name(struct reader *r, char *name)
{
    struct published *table = r->table;
    struct heading *h = &r->heading;
    struct place place = {name, find_column(name), -1};
    for (unsigned i = 0; i < h->count; i++)
        if (strcmp(h->place[i].name, name) == 0)
            return fail(r, ": two columns are called '%.60s'", name);
    if (!place.column && strstr(name, "__")) {
        place.counter = (int)table->counters;
        table->counter[table->counters++] = name;
    } else if (!place.column) {
        table->ignored[table->ignores++] = name;
    }
    h->place[h->count++] = place;
    return true;
}

static bool read_heading(struct reader *r, char **field, unsigned count)
{
    if (count > PUBLISHED_COLUMNS)
        return fail(r, " has %u columns; %d are read at most", count, PUBLISHED_COLUMNS);
    for (unsigned i = 0; i < count; i++)
        if (!take_name(r, field[i]))
            return false;
    for (size_t i = 0; i < KNOWN; i++) {
        bool there = !columns[i].needed;
        for (unsigned j = 0; j < count && !there; j++)
            there = r->heading.place[j].column == &columns[i];
        if (!there)
            return fail(r, ": the heading has no column '%s'", columns[i].name);
    }
    return true;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static bool read_count(const char *text, char **end, uint32_t *out)
{
    errno = 0;
    unsigned long long value = isdigit((unsigned char)*text) ? strtoull(text, end, 10) : UINT64_MAX;
    *out = (uint32_t)value;
    return errno == 0 && value <= INT32_MAX;
}

/* One to three positive numbers with blanks between. Those that are missing are 1. */
static bool read_dim(const char *text, uint32_t dim[3])
{
    char *end = (char *)text;
    dim[0] = dim[1] = dim[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        const char *from = end + strspn(end, " ");
        if (i > 0 && *from == '\0')
            return true;
        if ((i > 0 && from == end) || !read_count(from, &end, &dim[i]) || dim[i] == 0)
            return false;
    }
    return end[strspn(end, " ")] == '\0';
}

static bool read_number(const char *text, double *out)
{
    char *end;
    *out = isdigit((unsigned char)*text) || *text == '.' ? strtod(text, &end) : (double)NAN;
    return isfinite(*out) && *end == '\0' && *out >= 0;
}

static bool read_known(struct reader *r, const struct column *c, const char *text, struct published_row *row)
{
    char *at = (char *)row + c->offset, *end = NULL;
    bool ok = true;
    if (*text == '\0')
        return !c->needed || fail(r, ", column '%s': it is empty", c->name);
    switch (c->kind) {
    case TEXT: *(const char **)at = text; return true;
    case DIM:
        return read_dim(text, (uint32_t *)at) ||
               fail(r, ", column '%s': '%.60s' is not one to three positive numbers, as in 64 8 1", c->name, text);
    case COUNT: ok = read_count(text, &end, (uint32_t *)at) && *end == '\0'; break;
    case NUMBER: ok = read_number(text, (double *)at) && *(double *)at > 0; break;
    }
    return ok ||
           fail(r, ", column '%s': '%.60s' is not a %s number", c->name, text, c->kind == COUNT ? "whole" : "positive");
}

/* Specifications with ';' between them where there is one, else with blanks. */
static bool split_arguments(struct reader *r, struct published_row *row)
{
    char *at = (char *)row->arguments;
    const char *between = strchr(at, ';') ? ";" : " ";
    while (*(at += strspn(at, " ")) != '\0') {
        char *end = at + strcspn(at, between), *next = end + (*end != '\0');
        while (end > at && end[-1] == ' ')
            end--;
        if (end == at)
            return fail(r, ", column 'arguments': argument %u is empty", row->argument_count);
        if (row->argument_count == PUBLISHED_ARGUMENTS)
            return fail(r, ", column 'arguments': more than %d of them", PUBLISHED_ARGUMENTS);
        *end = '\0';
        row->argument[row->argument_count++] = at;
        at = next;
    }
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool read_counter(struct reader *r, const struct place *place, const char *text, struct published_row *row)
{
    return *text == '\0' || read_number(text, &row->counter[place->counter]) ||
           fail(r, ", column '%.80s': '%.60s' is not a number", place->name, text);
}

static bool read_row(struct reader *r, char **field, unsigned count, struct published_row *row)
{
    if (count != r->heading.count)
        return fail(r, " has %u fields, and the heading %u", count, r->heading.count);
    for (unsigned i = 0; i < count; i++) {
        const struct place *place = &r->heading.place[i];
        if (place->column ? !read_known(r, place->column, field[i], row)
                          : place->counter >= 0 && !read_counter(r, place, field[i], row))
            return false;
    }
    if (isnan(row->active_cycles) && isnan(row->cycles) && isnan(row->time_us))
        return fail(r, ": sm_cycles_active, cycles and time_us are empty; one of them has to be known");
    if ((uint64_t)row->grid[0] * row->grid[1] > UINT64_MAX / row->grid[2])
        return fail(r, ", column 'grid': too many CTAs");
    return split_arguments(r, row);
}

/* A row that says nothing yet (NULL: no memory). */
static struct published_row *new_row(struct published *table, unsigned line)
{
    if (table->count == table->room) {
        size_t room = table->room ? 2 * table->room : 64;
        struct published_row *rows = realloc(table->row, room * sizeof *rows);
        if (!rows)
            return NULL;
        table->row = rows;
        table->room = room;
    }
    struct published_row *row = &table->row[table->count];
    *row = (struct published_row){.line = line, .set = "", .gpu = "", .cubin = "", .kernel = "", .parameters = ""};
    row->source = "";
    row->clock_mhz = row->time_us = row->cycles = row->active_cycles = NAN;
    row->counter = malloc((table->counters + 1) * sizeof *row->counter);
    for (unsigned i = 0; row->counter && i < table->counters; i++)
        row->counter[i] = NAN;
    table->count += row->counter != NULL;
    return row->counter ? row : NULL;
}

static bool read_rows(struct reader *r)
{
    char *field[PUBLISHED_COLUMNS];
    unsigned count;
    while ((count = csv_row(&r->csv, field, PUBLISHED_COLUMNS)) != 0) {
        bool first = r->heading.count == 0;
        struct published_row *row = first ? NULL : new_row(r->table, r->csv.line);
        if (!first && !row)
            return fail(r, ": out of memory");
        if (row)
            row->arguments = "";
        if (first ? !read_heading(r, field, count) : !read_row(r, field, count, row))
            return false;
    }
    r->csv.line = 0;
    return r->heading.count > 0 || fail(r, "there is no heading");
}

bool published_read(struct published *table, const char *text, size_t size, char *error, size_t error_size)
{
    struct reader r = {.table = table, .error = error, .error_size = error_size};
    *table = (struct published){.text = malloc(size + 1)};
    if (!table->text)
        return fail(&r, "out of memory");
    memcpy(table->text, text, size);
    table->text[size] = '\0';
    r.csv = csv_begin(table->text);
    if (read_rows(&r))
        return true;
    published_free(table);
    return false;
}

void published_free(struct published *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->row[i].counter);
    free(table->row);
    free(table->text);
    *table = (struct published){0};
}

/* ---- measured values ------------------------------------------------------------------------------------------- */

enum published_basis published_basis(const struct published_row *row)
{
    return !isnan(row->active_cycles) ? PUBLISHED_ACTIVE
           : !isnan(row->cycles)      ? PUBLISHED_ELAPSED
           : !isnan(row->clock_mhz)   ? PUBLISHED_CLOCKED
                                      : PUBLISHED_TIME;
}

const char *published_basis_name(enum published_basis basis)
{
    static const char *const name[PUBLISHED_BASES] = {"sm_cycles_active", "cycles", "time_us * clock_mhz", "time_us"};
    return name[basis];
}

double published_cycles(const struct published_row *row)
{
    switch (published_basis(row)) {
    case PUBLISHED_ACTIVE: return row->active_cycles;
    case PUBLISHED_ELAPSED: return row->cycles;
    case PUBLISHED_CLOCKED: return row->time_us * row->clock_mhz;
    case PUBLISHED_TIME:
    case PUBLISHED_BASES: break;
    }
    return NAN;
}

uint64_t published_ctas(const struct published_row *row)
{
    return (uint64_t)row->grid[0] * row->grid[1] * row->grid[2];
}
