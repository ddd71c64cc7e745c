#include <stdlib.h>
#include <string.h>

#include "cli/config_table.h"
#include "cli/document.h"

struct difference {
    size_t index;
    struct config_value a, b;
};

struct differences {
    const struct config_subject *a, *b;
    struct difference *items;
    size_t count;
};

static bool find(struct differences *d, struct status *status)
{
    struct difference now = {0};
    d->items = calloc(config_value_count(), sizeof *d->items);
    if (!d->items)
        return status_fail(status, STATUS_MEMORY, "no memory to compare two GPUs");
    for (; config_value_at(&d->a->config, &d->a->origin, now.index, &now.a); now.index++) {
        config_value_at(&d->b->config, &d->b->origin, now.index, &now.b);
        if (strcmp(now.a.text, now.b.text) != 0)
            d->items[d->count++] = now;
    }
    return true;
}

static int longer(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static void print_text(const struct differences *d, FILE *out)
{
    const char *section = "";
    int key = 0, a = longer(0, d->a->name) + 2, b = longer(0, d->b->name) + 2;
    for (size_t i = 0; i < d->count; i++) {
        key = longer(key, d->items[i].a.key);
        a = longer(a, d->items[i].a.text);
        b = longer(b, d->items[i].b.text);
    }
    if (d->count)
        fprintf(out, "%-*s  < %-*s  > %-*s  unit\n", key, "", a - 2, d->a->name, b - 2, d->b->name);
    for (size_t i = 0; i < d->count; i++) {
        const struct difference *now = &d->items[i];
        if (strcmp(section, now->a.section) != 0)
            fprintf(out, "\n[%s]\n", now->a.section);
        section = now->a.section;
        fprintf(out, "%-*s  %-*s  %-*s%s%s\n    < ", key, now->a.key, a, now->a.text,
                now->a.unit[0] ? b : (int)strlen(now->b.text), now->b.text, now->a.unit[0] ? "  " : "", now->a.unit);
        config_where(out, &now->a);
        fprintf(out, "\n    > ");
        config_where(out, &now->b);
        fputc('\n', out);
    }
    fprintf(out, "%s%zu of %zu values differ between %s and %s.\n", d->count ? "\n" : "", d->count,
            config_value_count(), d->a->name, d->b->name);
}

static bool write_csv(const struct differences *d, const char *path, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    fprintf(file.stream, "key,unit,value_a,value_b,file_a,source_a,file_b,source_b\n");
    for (size_t i = 0; i < d->count; i++) {
        const struct difference *now = &d->items[i];
        fprintf(file.stream, "%s.%s,%s,", now->a.section, now->a.key, now->a.unit);
        config_csv(file.stream, now->a.text, ',');
        config_csv(file.stream, now->b.text, ',');
        config_csv(file.stream, now->a.from, ',');
        config_csv(file.stream, now->a.source, ',');
        config_csv(file.stream, now->b.from, ',');
        config_csv(file.stream, now->b.source, '\n');
    }
    return file_output_commit(&file, status);
}

static void json_side(struct json *json, const char *key, const struct config *config, size_t index,
                      const struct config_value *value)
{
    json_object(json, key);
    config_value_json(config, index, json, "value");
    json_string(json, "file", value->from);
    json_string(json, "source", value->source);
    json_end(json);
}

static bool write_json(const struct differences *d, const char *path, struct status *status)
{
    struct document document;
    struct json *json = &document.json;
    if (!document_begin(&document, path, status))
        return false;
    json_string(json, "a", d->a->name);
    json_string(json, "b", d->b->name);
    json_uint(json, "values", config_value_count());
    json_array(json, "differences");
    for (size_t i = 0; i < d->count; i++) {
        const struct difference *now = &d->items[i];
        json_object(json, NULL);
        json_string(json, "section", now->a.section);
        json_string(json, "key", now->a.key);
        json_string(json, "unit", now->a.unit);
        json_side(json, "a", &d->a->config, now->index, &now->a);
        json_side(json, "b", &d->b->config, now->index, &now->b);
        json_end(json);
    }
    json_end(json);
    return document_commit(&document, status);
}

static bool write_all(const struct differences *d, const struct cli_options *options, struct status *status)
{
    if (options->csv && !write_csv(d, options->csv, status))
        return false;
    if (options->json && !write_json(d, options->json, status))
        return false;
    if (!options->csv && !options->json)
        print_text(d, stdout);
    return true;
}

bool config_diff_table(const struct config_subject *a, const struct cli_options *options, struct status *status)
{
    struct config_subject b;
    if (!config_subject_open(&b, options->diff, NULL, status))
        return false;
    struct differences d = {.a = a, .b = &b};
    bool ok = find(&d, status) && write_all(&d, options, status);
    if (ok && d.count)
        status->code = STATUS_DIFFERENT;
    free(d.items);
    config_subject_close(&b);
    return ok && !d.count;
}
