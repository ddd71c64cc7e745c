/* The ranges of a program as text and JSON. */
#include "report/format.h"
#include "report/range_sum.h"

enum { NAME_COLUMNS = 32, SHOWN = 40, DIGITS = 10 };

/* "DOMAIN@NAME" in its columns. A character of UTF-8 is one column. */
static void print_name(const struct range_row *row, FILE *out)
{
    char name[RANGE_DOMAIN + RANGE_NAME + 16];
    snprintf(name, sizeof name, "%s%s%s", row->domain, row->domain[0] ? "@" : "",
             row->name[0] ? row->name : "(no name)");
    size_t columns = 0, at = 0;
    for (; name[at]; at++) {
        bool first = ((unsigned char)name[at] & 0xc0) != 0x80;
        if (first && columns == NAME_COLUMNS)
            break;
        columns += first;
    }
    fprintf(out, "%.*s%*s", (int)at, name, (int)(NAME_COLUMNS - columns), "");
}

static void print_row(const struct range_row *row, double seconds, FILE *out)
{
    print_name(row, out);
    fprintf(out, " %8s %8s %8s", format_count(row->ranges).text, format_count(row->launches).text,
            format_count(row->timed).text);
    if (row->timed == 0)
        fprintf(out, " %15s %13s %11s %7s\n", "-", "-", "-", "-");
    else
        fprintf(out, " %15s %13s %11s %5.1f %%\n", format_count(row->cycles).text,
                format_fixed((double)row->cycles / (double)row->ranges, 1).text, format_time(row->seconds).text,
                seconds > 0 ? 100 * row->seconds / seconds : 0);
}

void range_sum_print(const struct range_sum *s, double seconds, FILE *out)
{
    size_t shown = 0, ranges = 0;
    for (size_t i = 0; i < s->rows; i++)
        ranges += s->row[i].ranges > 0;
    if (ranges == 0)
        return;
    fprintf(out, "\n%-*s %8s %8s %8s %15s %13s %11s %7s\n", NAME_COLUMNS, "range (NVTX)", "ranges", "launches", "timed",
            "cycles, total", "a range", "kernels", "time");
    for (size_t i = 0; i < s->rows && shown < SHOWN; i++) {
        if (s->row[s->shown[i]].ranges == 0)
            continue;
        print_row(&s->row[s->shown[i]], seconds, out);
        shown++;
    }
    if (shown < ranges)
        fprintf(out, "and %s more; --json and --html have all\n", format_count(ranges - shown).text);
}

void range_sum_names(const struct range_sum *s, const struct launch_record *record, char text[static RANGES_TEXT])
{
    const struct range_scope *scope = range_sum_scope(s, record->process, record->scope);
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; scope && i < scope->rows; i++) {
        const struct range_row *row = &s->row[scope->row[i]];
        int n = snprintf(text + at, RANGES_TEXT - at, "%s%s%s%s", i ? ";" : "", row->domain, row->domain[0] ? "@" : "",
                         row->name);
        at += n > 0 ? (size_t)n : 0;
    }
}

void range_sum_json(const struct range_sum *s, struct json *json)
{
    json_array(json, "ranges");
    for (size_t i = 0; i < s->rows; i++) {
        const struct range_row *row = &s->row[i];
        json_object(json, NULL);
        json_string(json, "domain", row->domain);
        json_string(json, "name", row->name);
        json_uint(json, "ranges", row->ranges);
        json_uint(json, "marks", row->marks);
        json_uint(json, "launches", row->launches);
        json_uint(json, "timed", row->timed);
        json_uint(json, "cycles", row->cycles);
        json_number(json, "seconds", row->seconds, DIGITS);
        json_end(json);
    }
    json_end(json);
}

void range_sum_json_launch(const struct range_sum *s, const struct launch_record *record, struct json *json)
{
    const struct range_scope *scope = range_sum_scope(s, record->process, record->scope);
    json_array(json, "ranges");
    for (unsigned i = 0; scope && i < scope->rows; i++)
        json_uint(json, NULL, scope->row[i]);
    json_end(json);
}
