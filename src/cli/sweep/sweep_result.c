#include "cli/sweep/sweep_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/sweep/sweep_run.h"

enum { MESSAGE = 400, DOCUMENT = 1 << 30 };

static bool no_memory(struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "no memory for the results of a point");
}

static void forget_host(cJSON *document)
{
    cJSON *kernel;
    cJSON_DeleteItemFromObject(document, "host");
    cJSON_ArrayForEach(kernel, cJSON_GetObjectItem(document, "kernels")) { cJSON_DeleteItemFromObject(kernel, "host"); }
}

/* The document of a command (NULL: there is none). */
static cJSON *read_document(const char *path, struct status *status)
{
    struct file_bytes bytes;
    if (!file_read(path, DOCUMENT, &bytes, status))
        return NULL;
    cJSON *document = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    if (!document)
        status_fail(status, STATUS_FORMAT, "%s: no JSON document", path);
    file_free(&bytes);
    return document;
}

/* The last line of the command's output. */
static void last_line(const char *path, char text[static MESSAGE])
{
    text[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fseek(file, size > MESSAGE - 1 ? size - (MESSAGE - 1) : 0, SEEK_SET);
    size_t n = fread(text, 1, MESSAGE - 1, file);
    fclose(file);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    char *line = strrchr(text, '\n');
    if (line)
        memmove(text, line + 1, strlen(line));
    text_make_printable(text, "");
}

static bool write_file(const char *path, const char *text, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    fputs(text, file.stream);
    fputc('\n', file.stream);
    return file_output_commit(&file, status);
}

bool sweep_result_write(const char *folder, const struct sweep_point *point, const struct sweep_outcome *outcome,
                        struct status *status)
{
    char raw[PATH_MAX], path[PATH_MAX], log[PATH_MAX], seconds[32], message[MESSAGE];
    struct status none = {0};
    sweep_host_path(raw, folder, point, "raw");
    sweep_point_path(path, folder, point, "json");
    sweep_point_path(log, folder, point, "log");
    last_line(log, message);
    cJSON *document = read_document(raw, &none), *all = cJSON_CreateObject();
    cJSON *words = cJSON_AddArrayToObject(all, "command");
    for (size_t i = 0; i < point->words.count; i++)
        cJSON_AddItemToArray(words, cJSON_CreateString(point->words.items[i]));
    forget_host(document);
    cJSON_AddNumberToObject(all, "exit_status", outcome->exit_status);
    cJSON_AddItemToObject(all, "message", outcome->exit_status ? cJSON_CreateString(message) : cJSON_CreateNull());
    cJSON_AddItemToObject(all, "document", document ? document : cJSON_CreateNull());
    char *text = cJSON_Print(all);
    cJSON_Delete(all);
    if (!text)
        return no_memory(status);
    sweep_host_path(raw, folder, point, "seconds");
    snprintf(seconds, sizeof seconds, "%.3f", outcome->seconds);
    bool ok = write_file(raw, seconds, status) && write_file(path, text, status);
    free(text);
    sweep_host_path(raw, folder, point, "raw");
    unlink(raw);
    if (outcome->exit_status == 0)
        unlink(log);
    return ok;
}

cJSON *sweep_result_read(const char *folder, const struct sweep_point *point, struct status *status)
{
    char path[PATH_MAX];
    sweep_point_path(path, folder, point, "json");
    return read_document(path, status);
}

double sweep_result_seconds(const char *folder, const struct sweep_point *point)
{
    char path[PATH_MAX];
    double seconds = -1;
    sweep_host_path(path, folder, point, "seconds");
    FILE *file = fopen(path, "re");
    if (!file)
        return seconds;
    if (fscanf(file, "%lf", &seconds) != 1)
        seconds = -1;
    fclose(file);
    return seconds;
}
