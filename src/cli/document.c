#include "cli/document.h"

#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "report/report.h"

bool document_begin(struct document *document, const char *path, struct status *status)
{
    *document = (struct document){0};
    if (!path)
        return true;
    if (!file_output_open(&document->file, path, status))
        return false;
    document->stream = open_memstream(&document->text, &document->size);
    if (!document->stream) {
        file_output_abandon(&document->file);
        return status_fail(status, STATUS_MEMORY, "no memory for a JSON document");
    }
    document->wanted = true;
    json_begin(&document->json, document->stream);
    json_object(&document->json, NULL);
    json_uint(&document->json, "schema_version", REPORT_SCHEMA);
    json_string(&document->json, "tool", "subcore " CLI_VERSION);
    return true;
}

bool document_commit(struct document *document, struct status *status)
{
    if (!document->wanted)
        return true;
    json_end(&document->json);
    bool ok = fclose(document->stream) == 0;
    if (ok)
        fwrite(document->text, 1, document->size, document->file.stream);
    free(document->text);
    if (ok)
        return file_output_commit(&document->file, status);
    file_output_abandon(&document->file);
    return status_fail(status, STATUS_MEMORY, "no memory for a JSON document");
}

void document_abandon(struct document *document)
{
    if (!document->wanted)
        return;
    fclose(document->stream);
    free(document->text);
    file_output_abandon(&document->file);
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
