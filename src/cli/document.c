#include "cli/document.h"

#include <stdlib.h>
#include <string.h>

#include "cli/page_file.h"
#include "cli/version.h"
#include "report/page.h"
#include "report/report.h"

static void abandon_files(struct document *document)
{
    if (document->written)
        file_output_abandon(&document->file);
    if (document->shown)
        file_output_abandon(&document->page);
    document->written = document->shown = false;
}

bool document_begin(struct document *document, const char *path, struct status *status)
{
    return document_begin_page(document, path, NULL, NULL, status);
}

bool document_begin_page(struct document *document, const char *json, const char *html, const char *baseline,
                         struct status *status)
{
    *document = (struct document){.baseline = baseline};
    if (!json && !html)
        return true;
    document->written = json && file_output_open(&document->file, json, status);
    document->shown = (!json || document->written) && html && file_output_open(&document->page, html, status);
    bool ok = document->written == (json != NULL) && document->shown == (html != NULL);
    document->stream = ok ? open_memstream(&document->text, &document->size) : NULL;
    if (!document->stream) {
        abandon_files(document);
        return ok ? status_fail(status, STATUS_MEMORY, "no memory for a JSON document") : false;
    }
    document->wanted = true;
    json_begin(&document->json, document->stream);
    json_object(&document->json, NULL);
    json_uint(&document->json, "schema_version", REPORT_SCHEMA);
    json_string(&document->json, "tool", "subcore " CLI_VERSION);
    return true;
}

/* Beside the run itself, the baseline. */
static bool show(struct document *document, struct status *status)
{
    struct page_file file = {.path = document->baseline};
    struct json_tree own;
    struct page_run runs[2] = {{.name = "this run"}};
    size_t count = 1;
    if (!json_tree_read(&own, document->text, document->size, "the run's own document", status))
        return false;
    runs[0].document = own.root;
    bool ok = !document->baseline || page_file_read(&file, status);
    if (ok && document->baseline)
        runs[count++] = (struct page_run){file.path, file.tree.root};
    ok = ok && page_write(runs, count, document->baseline ? 1 : PAGE_NO_BASELINE, document->page.stream, status);
    page_file_free(&file);
    json_tree_free(&own);
    if (!ok)
        return false;
    document->shown = false;
    return file_output_commit(&document->page, status);
}

bool document_commit(struct document *document, struct status *status)
{
    if (!document->wanted)
        return true;
    json_end(&document->json);
    bool ok = fclose(document->stream) == 0 || status_fail(status, STATUS_MEMORY, "no memory for a JSON document");
    if (ok && document->written) {
        fwrite(document->text, 1, document->size, document->file.stream);
        document->written = false;
        ok = file_output_commit(&document->file, status);
    }
    if (ok && document->shown)
        ok = show(document, status);
    free(document->text);
    abandon_files(document);
    return ok;
}

void document_abandon(struct document *document)
{
    if (!document->wanted)
        return;
    fclose(document->stream);
    free(document->text);
    abandon_files(document);
}

void document_error(struct document *document, const struct status *status)
{
    json_string(&document->json, "error", status->code == STATUS_OK ? NULL : status->text);
}

void document_hash(struct json *json, const char *key, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016jx", (uintmax_t)hash);
    json_string(json, key, text);
}

FILE *document_text_stream(const char *json_path, bool quiet)
{
    if (quiet)
        return NULL;
    return json_path && strcmp(json_path, "-") == 0 ? stderr : stdout;
}
