#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "report/metrics.h"

bool page_takes(const struct page_run *run, struct status *status)
{
    const struct json_value *kernels = json_tree_member(run->document, "kernels");
    const struct json_value *first = kernels && kernels->kind == JSON_ARRAY ? kernels->first : NULL;
    bool demos = json_tree_member(run->document, "demos") != NULL;
    double schema = json_tree_number(json_tree_member(run->document, "schema_version"));
    if (schema != 1)
        return status_fail(status, STATUS_FORMAT, "%.200s: not a document that --json wrote, or of another version",
                           run->name);
    return demos || (kernels && (!first || json_tree_member(first, "detailed"))) ||
           status_fail(status, STATUS_FORMAT, "%.200s: no document of run, demo, replay or exec", run->name);
}

/* ---- text of HTML and JSON ------------------------------------------------------------------------------------- */

/* As written, but that nothing in it can end the element that it stands in. */
static void put_slice(struct json_slice slice, FILE *out)
{
    const char *at = slice.at, *end = at + slice.length;
    while (at < end) {
        const char *open = memchr(at, '<', (size_t)(end - at)), *stop = open ? open : end;
        fwrite(at, 1, (size_t)(stop - at), out);
        if (open)
            fputs("\\u003c", out);
        at = open ? open + 1 : end;
    }
}

static void put_quoted(struct json_slice slice, FILE *out)
{
    fputc('"', out);
    put_slice(slice, out);
    fputc('"', out);
}

/* ---- shapes ---------------------------------------------------------------------------------------------------- */

/* Objects with the same keys have a shape in common; `like` is the first of them. */
struct shapes {
    const struct json_value **like;
    size_t count, room;
    bool failed; /* no memory */
};

static bool same_shape(const struct json_value *a, const struct json_value *b)
{
    if (a->count != b->count)
        return false;
    for (a = a->first, b = b->first; a; a = a->next, b = b->next)
        if (a->key.length != b->key.length || memcmp(a->key.at, b->key.at, a->key.length) != 0)
            return false;
    return true;
}

static size_t shape_of(struct shapes *shapes, const struct json_value *object)
{
    for (size_t i = 0; i < shapes->count; i++)
        if (same_shape(shapes->like[i], object))
            return i;
    if (shapes->count == shapes->room) {
        size_t room = shapes->room ? 2 * shapes->room : 64;
        const struct json_value **like = realloc(shapes->like, room * sizeof *like);
        if (!like) {
            shapes->failed = true;
            return 0;
        }
        shapes->like = like;
        shapes->room = room;
    }
    shapes->like[shapes->count] = object;
    return shapes->count++;
}

static void put_value(struct shapes *shapes, const struct json_value *value, FILE *out)
{
    switch (value->kind) {
    case JSON_STRING: put_quoted(value->text, out); return;
    case JSON_OBJECT: fprintf(out, "[%zu", shape_of(shapes, value)); break;
    case JSON_ARRAY: fputs("[-1", out); break;
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_NUMBER: put_slice(value->text, out); return;
    }
    for (const struct json_value *v = value->first; v; v = v->next) {
        fputc(',', out);
        put_value(shapes, v, out);
    }
    fputc(']', out);
}

static void put_shapes(const struct shapes *shapes, FILE *out)
{
    fputs(",\"shapes\":[", out);
    for (size_t i = 0; i < shapes->count; i++) {
        fputs(i ? ",\n[" : "\n[", out);
        for (const struct json_value *v = shapes->like[i]->first; v; v = v->next) {
            put_quoted(v->key, out);
            fputs(v->next ? "," : "", out);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

/* ---- words ----------------------------------------------------------------------------------------------------- */

/* The meaning of the names in the documents: of each its unit and a sentence. */
static void put_word(const char *name, const char *unit, const char *text, bool *first, FILE *out)
{
    struct json_slice parts[] = {{name, strlen(name)}, {unit, strlen(unit)}, {text, strlen(text)}};
    fputs(*first ? "\n" : ",\n", out);
    *first = false;
    put_quoted(parts[0], out);
    fputs(":[", out);
    put_quoted(parts[1], out);
    fputc(',', out);
    put_quoted(parts[2], out);
    fputc(']', out);
}

static void put_words(FILE *out)
{
    const struct counter_info *info;
    bool first = true;
    fputs(",\"words\":{", out);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *metric = metric_info((enum metric)i);
        put_word(metric->name, metric->unit, metric->text, &first, out);
    }
    for (unsigned i = 0; (info = sm_counter_info(i)) != NULL; i++)
        put_word(info->name, info->unit, info->text, &first, out);
    for (unsigned i = 0; (info = mem_counter_info(i)) != NULL; i++)
        put_word(info->name, info->unit, info->text, &first, out);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        put_word(stall_name((enum stall_reason)i), "warp", stall_text((enum stall_reason)i), &first, out);
    for (unsigned i = 0; i < CYCLE_CLASS_COUNT; i++)
        put_word(cycle_class_name((enum cycle_class)i), "cycle", cycle_class_label((enum cycle_class)i), &first, out);
    fputc('}', out);
}

/* ---- the page -------------------------------------------------------------------------------------------------- */

bool page_write_data(const struct page_run *runs, size_t count, int baseline, FILE *out, struct status *status)
{
    struct shapes shapes = {0};
    fprintf(out, "{\"baseline\":%d,\"runs\":[", baseline);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        struct json json;
        json_begin(&json, out);
        json_string(&json, NULL, runs[i].name);
        fputs(",\"document\":", out);
        put_value(&shapes, runs[i].document, out);
        fputc('}', out);
    }
    fputc(']', out);
    put_shapes(&shapes, out);
    put_words(out);
    fputs("}\n", out);
    free(shapes.like);
    return !shapes.failed || status_fail(status, STATUS_MEMORY, "no memory for the shapes of a page's data");
}

static void put_style(FILE *out)
{
    size_t count;
    const struct embedded *texts = embedded_page_texts(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts[i].name, "style") == 0)
            fwrite(texts[i].data, 1, texts[i].size, out);
}

static void put_scripts(FILE *out)
{
    size_t count;
    const struct embedded *scripts = embedded_page_scripts(&count);
    for (size_t i = 0; i < count; i++)
        fwrite(scripts[i].data, 1, scripts[i].size, out);
}

static const char *template_text(void)
{
    size_t count;
    const struct embedded *texts = embedded_page_texts(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts[i].name, "page") == 0)
            return (const char *)texts[i].data;
    return "";
}

bool page_write(const struct page_run *runs, size_t count, int baseline, FILE *out, struct status *status)
{
    static const char style[] = "@@STYLE@@", data[] = "@@DATA@@", script[] = "@@SCRIPT@@";
    bool ok = true;
    for (const char *at = template_text(); *at;) {
        if (strncmp(at, style, sizeof style - 1) == 0) {
            put_style(out);
            at += sizeof style - 1;
        } else if (strncmp(at, data, sizeof data - 1) == 0) {
            ok = page_write_data(runs, count, baseline, out, status);
            at += sizeof data - 1;
        } else if (strncmp(at, script, sizeof script - 1) == 0) {
            put_scripts(out);
            at += sizeof script - 1;
        } else {
            fputc(*at++, out);
        }
    }
    return ok;
}
