#include "experiment/judge.h"

#include <stdio.h>
#include <string.h>

#include "experiment/verdict.h"

/* ---- names of measures ------------------------------------------------------------------------------------------- */

static bool find_counter(const struct sm_counters *counters, const char *name, size_t length, struct value *out)
{
    static const struct {
        const char *name;
        size_t at;
    } known[] = {
#define X(counter, kind, unit, text) {#counter, offsetof(struct sm_counters, counter)},
        SM_COUNTERS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0) {
            uint64_t count;
            memcpy(&count, (const char *)counters + known[i].at, sizeof count);
            value_set(out, (double)count);
            return true;
        }
    }
    return false;
}

static bool find_stored(const void *self, const char *name, size_t length, struct value *out)
{
    const struct stored *s = self;
    static const char issues[] = "issues";
    if (s->timeline && length == strlen(issues) && strncmp(name, issues, length) == 0) {
        timeline_issues(s->timeline, out);
        return out->count > 0;
    }
    for (unsigned i = 0; i < s->e->stores; i++) {
        if (strlen(s->e->store[i]) == length && strncmp(s->e->store[i], name, length) == 0) {
            out->count = s->warps;
            for (unsigned w = 0; w < s->warps; w++)
                out->item[w] = s->word[w * s->e->stores + i];
            return true;
        }
    }
    return s->counters && find_counter(s->counters, name, length, out);
}

/* ---- expectations of the file ------------------------------------------------------------------------------------ */

/* The cell of the row with the expected value of this measure on this GPU (NULL: none). */
static const char *expectation(const struct judge *j, unsigned row, unsigned measure)
{
    for (unsigned c = 0; c < j->e->columns; c++) {
        const struct experiment_column *column = &j->e->column[c];
        const char *cell = experiment_cell(j->e, row, c);
        if (column->kind == COLUMN_EXPECTED && column->measure == measure && cell[0] && strcmp(cell, "-") != 0 &&
            experiment_lists(column->gpus, j->gpu))
            return cell;
    }
    return NULL;
}

/* Whether the row does not take this measure: a cell "-" for any GPU. */
static bool is_left_out(const struct experiment *e, unsigned row, unsigned measure)
{
    for (unsigned c = 0; c < e->columns; c++)
        if (e->column[c].kind == COLUMN_EXPECTED && e->column[c].measure == measure &&
            strcmp(experiment_cell(e, row, c), "-") == 0)
            return true;
    return false;
}

static const char *open_reason(const struct judge *j, unsigned row)
{
    for (unsigned c = 0; c < j->e->columns; c++)
        if (j->e->column[c].kind == COLUMN_OPEN && experiment_lists(j->e->column[c].gpus, j->gpu))
            return experiment_cell(j->e, row, c);
    return "";
}

/* ---- hardware ---------------------------------------------------------------------------------------------------- */

/* A measure over the hardware's stores (false: the words do not tell). */
static bool measure_of(const struct judge *j, const struct experiment_record *record, const struct stored *like,
                       unsigned measure, char text[EXPERIMENT_TEXT])
{
    struct stored stored = {.e = j->e, .warps = like->warps};
    struct names names = {find_stored, &stored};
    struct status unknown = {0};
    struct value value;
    const char *expression = j->e->measure[measure].expression;
    memcpy(stored.word, record->word, record->words * sizeof *record->word);
    if (!expression_evaluate(expression, strlen(expression), &names, &value, &unknown))
        return false;
    verdict_print(&value, text);
    return true;
}

/* The most frequent result on hardware, of several the first. False: nothing did. */
static bool on_hardware(const struct judge *j, unsigned row, unsigned measure, const struct stored *like,
                        char text[EXPERIMENT_TEXT])
{
    const struct experiment_records *all = j->hardware;
    char one[EXPERIMENT_TEXT], other[EXPERIMENT_TEXT];
    unsigned best = 0;
    for (size_t i = 0; i < all->count; i++) {
        unsigned alike = 0;
        if (!experiment_record_is(&all->record[i], j->e, row) || !measure_of(j, &all->record[i], like, measure, one))
            continue;
        for (size_t k = i; k < all->count; k++)
            alike += experiment_record_is(&all->record[k], j->e, row) &&
                     measure_of(j, &all->record[k], like, measure, other) && strcmp(one, other) == 0;
        if (alike > best) {
            best = alike;
            memcpy(text, one, sizeof one);
        }
    }
    return best > 0;
}

/* Records of this row have as many words as its warps store. */
static bool check_records(const struct judge *j, unsigned row, const struct stored *stored, struct status *status)
{
    unsigned words = stored->warps * j->e->stores;
    for (size_t i = 0; j->hardware && i < j->hardware->count; i++) {
        const struct experiment_record *r = &j->hardware->record[i];
        if (experiment_record_is(r, j->e, row) && r->words != words)
            return status_fail(status, STATUS_FORMAT, "row %u of experiment %s stores %u words, but %u were recorded",
                               row + 1, j->e->name, words, r->words);
    }
    return true;
}

/* ---- the row ----------------------------------------------------------------------------------------------------- */

static bool simulated_text(const struct judge *j, unsigned row, unsigned measure, const struct stored *stored,
                           char text[EXPERIMENT_TEXT], struct status *status)
{
    const char *expression = j->e->measure[measure].expression;
    struct names names = {find_stored, stored};
    struct value value;
    if (is_left_out(j->e, row, measure))
        snprintf(text, EXPERIMENT_TEXT, "-");
    else if (strcmp(expression, "timeline") == 0)
        timeline_text(stored->timeline, stored->warps, text, EXPERIMENT_TEXT);
    else if (expression_evaluate(expression, strlen(expression), &names, &value, status))
        verdict_print(&value, text);
    else
        return false;
    return true;
}

static bool expected_text(const struct judge *j, unsigned row, unsigned measure, const struct stored *stored,
                          char text[EXPERIMENT_TEXT])
{
    if (j->hardware)
        return !is_left_out(j->e, row, measure) && on_hardware(j, row, measure, stored, text);
    const char *cell = expectation(j, row, measure);
    snprintf(text, EXPERIMENT_TEXT, "%s", cell ? cell : "");
    return cell != NULL;
}

bool judge_row(const struct judge *j, unsigned row, const struct stored *stored, struct experiment_row *out,
               struct status *status)
{
    if (!check_records(j, row, stored, status))
        return false;
    out->open = open_reason(j, row);
    for (unsigned m = 0; m < j->e->measures; m++) {
        struct experiment_outcome *o = &out->outcome[m];
        if (!simulated_text(j, row, m, stored, o->simulated, status))
            return false;
        if (!expected_text(j, row, m, stored, o->expected))
            continue;
        bool agrees = verdict_agrees(o->expected, o->simulated, j->e->tolerance);
        o->verdict = agrees ? VERDICT_OK : out->open[0] ? VERDICT_OPEN : VERDICT_MISS;
        if (out->verdict == VERDICT_NONE || o->verdict == VERDICT_MISS ||
            (o->verdict == VERDICT_OPEN && out->verdict == VERDICT_OK))
            out->verdict = o->verdict;
    }
    return true;
}
