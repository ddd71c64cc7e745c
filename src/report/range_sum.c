#include "report/range_sum.h"

#include <stdlib.h>
#include <string.h>

#include "report/launches.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Returns the array with room for one more (NULL: out of memory, and it stays as it is). */
static void *grow(void *items, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return items;
    size_t more = *room ? 2 * *room : 64;
    void *grown = realloc(items, more * size);
    if (grown)
        *room = more;
    return grown;
}

static bool add_one(struct range_sum *s, const struct range_record *r)
{
    void *more = grow(s->one, &s->one_room, s->ones, sizeof *s->one);
    if (!more)
        return false;
    s->one = more;
    struct range_one *one = &s->one[s->ones++];
    *one =
        (struct range_one){.process = r->process, .kind = r->kind, .id = r->id, .thread = r->thread, .order = r->order};
    memcpy(one->domain, r->text.domain, sizeof one->domain);
    memcpy(one->name, r->text.name, sizeof one->name);
    return true;
}

static int compare_numbers(int32_t process, uint64_t id, int32_t other_process, uint64_t other)
{
    if (process != other_process)
        return process < other_process ? -1 : 1;
    return id < other ? -1 : id > other;
}

static int compare_ones(const void *left, const void *right)
{
    const struct range_one *a = left, *b = right;
    int order = compare_numbers(a->process, a->id, b->process, b->id);
    return order ? order : compare_numbers(0, a->order, 0, b->order);
}

static struct range_one *one_of(const struct range_sum *s, int32_t process, uint64_t id)
{
    size_t low = 0, high = s->ones;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_numbers(s->one[middle].process, s->one[middle].id, process, id);
        if (order == 0)
            return &s->one[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

/* A range may be missing: a child process has its parent's open ranges, under the parent's numbers. */
static bool add_scope(struct range_sum *s, const struct range_record *r)
{
    void *more = grow(s->scope, &s->scope_room, s->scopes, sizeof *s->scope);
    if (!more)
        return false;
    s->scope = more;
    struct range_scope *scope = &s->scope[s->scopes++];
    *scope = (struct range_scope){.process = r->process, .id = r->id};
    for (unsigned i = 0; i < r->count; i++) {
        const struct range_one *one = r->ranges[i] ? one_of(s, r->process, r->ranges[i]) : NULL;
        if (!one)
            continue;
        scope->one[scope->ones++] = (size_t)(one - s->one);
        unsigned k = 0;
        while (k < scope->rows && scope->row[k] != one->row)
            k++;
        scope->row[k] = one->row;
        scope->rows += k == scope->rows;
    }
    return true;
}

/* By names, and those of one name as they are in the list. */
static int compare_names(const void *left, const void *right)
{
    const struct range_one *a = *(const struct range_one *const *)left, *b = *(const struct range_one *const *)right;
    int order = strcmp(a->domain, b->domain);
    order = order ? order : strcmp(a->name, b->name);
    return order ? order : a < b ? -1 : a > b;
}

static bool same_name(const struct range_one *a, const struct range_one *b)
{
    return strcmp(a->domain, b->domain) == 0 && strcmp(a->name, b->name) == 0;
}

/* `first` is the first of its name: rows are in the order of these. */
static void enter_rows(struct range_sum *s, size_t *first)
{
    for (size_t i = 0; i < s->ones; i++) {
        struct range_one *one = &s->one[i];
        if (first[i] == i)
            s->row[s->rows++] = (struct range_row){.domain = one->domain, .name = one->name};
        one->row = first[i] == i ? s->rows - 1 : s->one[first[i]].row;
        s->row[one->row].ranges += one->kind != RANGE_MARK;
        s->row[one->row].marks += one->kind == RANGE_MARK;
    }
}

static bool make_rows(struct range_sum *s)
{
    struct range_one **by_name = malloc((s->ones + 1) * sizeof *by_name);
    size_t *first = malloc((s->ones + 1) * sizeof *first);
    s->row = calloc(s->ones + 1, sizeof *s->row);
    bool ok = by_name && first && s->row;
    for (size_t i = 0; ok && i < s->ones; i++)
        by_name[i] = &s->one[i];
    if (ok)
        qsort(by_name, s->ones, sizeof *by_name, compare_names);
    for (size_t i = 0, of_name = 0; ok && i < s->ones; i++) {
        if (!same_name(by_name[of_name], by_name[i]))
            of_name = i;
        first[by_name[i] - s->one] = (size_t)(by_name[of_name] - s->one);
    }
    if (ok)
        enter_rows(s, first);
    free(by_name);
    free(first);
    return ok;
}

static int compare_scopes(const void *left, const void *right)
{
    const struct range_scope *a = left, *b = right;
    return compare_numbers(a->process, a->id, b->process, b->id);
}

bool range_sum_read(struct range_sum *s, const char *path, struct status *status)
{
    struct range_record record;
    FILE *file = fopen(path, "rbe");
    bool ok = true;
    while (file && ok && range_next(file, &record))
        ok = record.kind == RANGE_SCOPE || add_one(s, &record);
    if (s->ones > 0)
        qsort(s->one, s->ones, sizeof *s->one, compare_ones);
    ok = ok && make_rows(s);
    if (file)
        rewind(file);
    while (file && ok && range_next(file, &record))
        ok = record.kind != RANGE_SCOPE || add_scope(s, &record);
    if (s->scopes > 0)
        qsort(s->scope, s->scopes, sizeof *s->scope, compare_scopes);
    if (file)
        fclose(file);
    return ok || status_fail(status, STATUS_MEMORY, "no memory for the ranges that the program has marked");
}

void range_sum_free(struct range_sum *sum)
{
    free(sum->one);
    free(sum->row);
    free(sum->scope);
    free(sum->command);
    free(sum->shown);
    *sum = (struct range_sum){0};
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

const struct range_scope *range_sum_scope(const struct range_sum *s, int32_t process, uint64_t scope)
{
    const struct range_scope key = {.process = process, .id = scope};
    return s->scopes > 0 && scope > 0 ? bsearch(&key, s->scope, s->scopes, sizeof key, compare_scopes) : NULL;
}

/* Only a program with ranges needs the ends of its commands. */
static bool add_command(struct range_sum *s, int32_t process, uint64_t order, double end)
{
    if (s->ones == 0)
        return true;
    void *more = grow(s->command, &s->command_room, s->commands, sizeof *s->command);
    if (!more)
        return false;
    s->command = more;
    s->command[s->commands++] = (struct range_command){process, order, end};
    return true;
}

static void widen(struct range_sum *s, const struct range_scope *scope, double begin, double end)
{
    for (unsigned i = 0; i < scope->ones; i++) {
        struct range_one *one = &s->one[scope->one[i]];
        one->begin = one->used && one->begin < begin ? one->begin : begin;
        one->end = one->used && one->end > end ? one->end : end;
        one->used = true;
    }
}

bool range_sum_launch(struct range_sum *s, const struct launch_record *record)
{
    const struct range_scope *scope = range_sum_scope(s, record->process, record->scope);
    uint64_t cycles = launches_cycles(record);
    for (unsigned i = 0; scope && i < scope->rows; i++) {
        struct range_row *row = &s->row[scope->row[i]];
        row->launches++;
        row->timed += cycles > 0;
        row->cycles += cycles;
        if (cycles > 0)
            row->seconds += (double)cycles / (1e6 * record->result.clock_mhz);
    }
    if (scope)
        widen(s, scope, record->begin, record->end);
    return add_command(s, record->process, record->order, record->end);
}

/* The commands of a graph's launch count by themselves. */
bool range_sum_activity(struct range_sum *s, const struct activity *activity)
{
    if (activity->kind == ACTIVITY_GRAPH)
        return true;
    const struct range_scope *scope = range_sum_scope(s, activity->process, activity->scope);
    if (scope)
        widen(s, scope, activity->begin, activity->end);
    return add_command(s, activity->process, activity->order, activity->end);
}

static int compare_commands(const void *left, const void *right)
{
    const struct range_command *a = left, *b = right;
    return compare_numbers(a->process, a->order, b->process, b->order);
}

static double end_before(const struct range_sum *s, int32_t process, uint64_t order)
{
    size_t low = 0, high = s->commands;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_numbers(s->command[middle].process, s->command[middle].order, process, order) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && s->command[low - 1].process == process ? s->command[low - 1].end : 0;
}

static int compare_times(const void *left, const void *right, void *rows)
{
    size_t x = *(const size_t *)left, y = *(const size_t *)right;
    const struct range_row *a = (struct range_row *)rows + x, *b = (struct range_row *)rows + y;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    if (a->launches != b->launches)
        return a->launches > b->launches ? -1 : 1;
    return x < y ? -1 : x > y;
}

bool range_sum_end(struct range_sum *s)
{
    if (s->commands > 0)
        qsort(s->command, s->commands, sizeof *s->command, compare_commands);
    for (size_t i = 1; i < s->commands; i++) {
        const struct range_command *before = &s->command[i - 1];
        struct range_command *c = &s->command[i];
        c->end = before->process == c->process && before->end > c->end ? before->end : c->end;
    }
    for (size_t i = 0; i < s->ones; i++)
        if (!s->one[i].used)
            s->one[i].begin = s->one[i].end = end_before(s, s->one[i].process, s->one[i].order);
    s->shown = malloc((s->rows + 1) * sizeof *s->shown);
    if (!s->shown)
        return false;
    for (size_t i = 0; i < s->rows; i++)
        s->shown[i] = i;
    qsort_r(s->shown, s->rows, sizeof *s->shown, compare_times, s->row);
    return true;
}
