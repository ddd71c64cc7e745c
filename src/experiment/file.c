#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "experiment/experiment.h"

struct reader {
    struct experiment *e;
    char *at; /* the next line */
    unsigned line;
    struct status *status;
};

static bool fail(const struct reader *r, const char *message, const char *what)
{
    return status_fail(r->status, STATUS_FORMAT, "experiment %s, line %u: %s%.60s", r->e->name, r->line, message, what);
}

/* Without blanks at both ends, in place. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* The next line, without its end; NULL behind the last one. */
static char *next_line(struct reader *r)
{
    if (!*r->at)
        return NULL;
    char *line = r->at, *end = strchr(line, '\n');
    r->at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    r->line++;
    return line;
}

/* Cuts `list` at `separator`, in place. Returns how many pieces there are. At most `most` are kept. */
static unsigned split(char *list, char separator, char **out, unsigned most)
{
    unsigned count = 0;
    for (char *next = list; next;) {
        char *item = next, *end = strchr(item, separator);
        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (count < most)
            out[count] = trim(item);
        count++;
    }
    return count;
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static bool add_measure(struct reader *r, char *text)
{
    struct experiment *e = r->e;
    char *equals = strchr(text, '=');
    if (!equals || e->measures == EXPERIMENT_MEASURES)
        return fail(r, "not a measure 'name = expression', or one too many: ", text);
    *equals = '\0';
    e->measure[e->measures++] = (struct experiment_measure){trim(text), trim(equals + 1)};
    return true;
}

static bool add_stores(struct reader *r, char *text)
{
    char *name[EXPERIMENT_STORES];
    unsigned count = split(text, ',', name, EXPERIMENT_STORES);
    if (count > EXPERIMENT_STORES)
        return fail(r, "too many words to store", "");
    memcpy(r->e->store, name, count * sizeof name[0]);
    r->e->stores = count;
    return true;
}

static bool set_field(struct reader *r, const char *key, char *value)
{
    struct experiment *e = r->e;
    const struct {
        const char *key;
        const char **field;
    } fields[] = {{"title", &e->title}, {"source", &e->source},   {"gpus", &e->gpus},
                  {"unit", &e->unit},   {"warps", &e->warps},     {"tolerance", &e->tolerance},
                  {"sm", &e->sm},       {"hazards", &e->hazards}, {"about", &e->about}};
    if (strcmp(key, "measure") == 0)
        return add_measure(r, value);
    if (strcmp(key, "stores") == 0)
        return add_stores(r, value);
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(key, fields[i].key) == 0) {
            *fields[i].field = value;
            return true;
        }
    }
    return fail(r, "unknown key ", key);
}

/* ---- table ------------------------------------------------------------------------------------------------------- */

/* The GPUs behind "@" in a heading, or those of the experiment. */
static const char *gpus_of(const struct experiment *e, const char *heading)
{
    const char *at = strchr(heading, '@');
    return at ? at + 1 : e->gpus;
}

static bool find_measure(struct reader *r, const char *name, unsigned *measure)
{
    for (unsigned i = 0; i < r->e->measures; i++) {
        size_t known = strlen(r->e->measure[i].name);
        if (strncmp(name, r->e->measure[i].name, known) == 0 && (name[known] == '\0' || strchr(" @", name[known]))) {
            *measure = i;
            return true;
        }
    }
    return fail(r, "there is no such measure: ", name);
}

/* "RX": a parameter; "(w)": one that tables do not show. "= window": the expected value of a measure, "open": the
 * reason for the simulator's other value, on all of the experiment's GPUs or those behind "@", as in "= window @ a100".
 * */
static bool add_column(struct reader *r, char *heading)
{
    struct experiment *e = r->e;
    struct experiment_column *c = &e->column[e->columns++];
    *c = (struct experiment_column){.kind = COLUMN_PARAMETER, .name = heading, .gpus = gpus_of(e, heading)};
    size_t length = strlen(heading);
    if (heading[0] == '(' && heading[length - 1] == ')') {
        heading[length - 1] = '\0';
        c->hidden = true;
        c->name = heading + 1;
    }
    if (strncmp(heading, "open", 4) == 0 && (heading[4] == '\0' || heading[4] == ' '))
        c->kind = COLUMN_OPEN;
    if (heading[0] != '=')
        return true;
    c->kind = COLUMN_EXPECTED;
    return find_measure(r, heading + 1 + strspn(heading + 1, " "), &c->measure);
}

/* The cells between the bars of a line. */
static unsigned cells_of(char *line, char *out[EXPERIMENT_COLUMNS])
{
    char *text = trim(line);
    size_t length = strlen(text);
    if (length > 1 && text[length - 1] == '|')
        text[length - 1] = '\0';
    return split(text + 1, '|', out, EXPERIMENT_COLUMNS);
}

static bool add_row(struct reader *r, char *line)
{
    struct experiment *e = r->e;
    char *cells[EXPERIMENT_COLUMNS];
    unsigned count = cells_of(line, cells);
    if (count > EXPERIMENT_COLUMNS)
        return fail(r, "too many columns", "");
    if (e->columns == 0) {
        for (unsigned i = 0; i < count; i++)
            if (!add_column(r, cells[i]))
                return false;
        return true;
    }
    if (count != e->columns)
        return fail(r, "the row has not as many cells as the heading", "");
    const char **all = realloc(e->cell, (e->rows + 1) * count * sizeof *all);
    if (!all)
        return status_fail(r->status, STATUS_MEMORY, "no memory for an experiment");
    e->cell = all;
    memcpy(all + e->rows++ * count, cells, count * sizeof *all);
    return true;
}

/* ---- file -------------------------------------------------------------------------------------------------------- */

/* The indented lines behind "about:", joined. */
static void join_lines(struct reader *r, char *value)
{
    char *end = value + strlen(value);
    while (*r->at == ' ' || *r->at == '\t') {
        char *line = trim(next_line(r));
        size_t length = strlen(line);
        if (end > value)
            *end++ = ' ';
        memmove(end, line, length + 1);
        end += length;
    }
}

static bool read_header(struct reader *r)
{
    char *line;
    while ((line = next_line(r)) != NULL) {
        if (line[0] == '|') {
            if (!add_row(r, line))
                return false;
            continue;
        }
        if (strcmp(trim(line), "code:") == 0) {
            r->e->code = r->at;
            return true;
        }
        char *colon = strchr(line, ':');
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (!colon)
            return fail(r, "expected 'key: value', a row or 'code:'", "");
        *colon = '\0';
        char *value = trim(colon + 1);
        join_lines(r, value);
        if (!set_field(r, line, value))
            return false;
    }
    return fail(r, "there is no code", "");
}

static bool complete(const struct reader *r)
{
    const struct experiment *e = r->e;
    if (!e->title || !e->source || !e->gpus || !e->about || !e->measures || !e->stores)
        return fail(r, "title, source, gpus, about, stores and measure are needed", "");
    return e->rows > 0 || fail(r, "there are no rows", "");
}

bool experiment_parse(struct experiment *e, const char *name, const char *text, size_t size, struct status *status)
{
    *e = (struct experiment){.name = name, .warps = "1", .tolerance = "0", .unit = "cycles"};
    e->text = malloc(size + 1);
    if (!e->text)
        return status_fail(status, STATUS_MEMORY, "no memory for an experiment");
    memcpy(e->text, text, size);
    e->text[size] = '\0';
    struct reader r = {.e = e, .at = e->text, .status = status};
    if (read_header(&r) && complete(&r))
        return true;
    experiment_free(e);
    return false;
}

void experiment_free(struct experiment *e)
{
    free(e->cell);
    free(e->text);
    e->cell = NULL;
    e->text = NULL;
}

size_t experiment_count(void)
{
    size_t count;
    embedded_experiments(&count);
    return count;
}

const char *experiment_name(size_t index)
{
    size_t count;
    return embedded_experiments(&count)[index].name;
}

bool experiment_read(struct experiment *e, const char *name, struct status *status)
{
    size_t count;
    const struct embedded *files = embedded_experiments(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].name, name) == 0)
            return experiment_parse(e, files[i].name, (const char *)files[i].data, files[i].size, status);
    return status_fail(status, STATUS_USAGE, "there is no experiment '%.60s'", name);
}

bool experiment_lists(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (*list) {
        list += strspn(list, " ,");
        size_t word = strcspn(list, " ,");
        if (word == length && strncmp(list, name, length) == 0)
            return length > 0;
        list += word;
    }
    return false;
}
