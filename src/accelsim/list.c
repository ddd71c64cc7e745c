#include "accelsim/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "accelsim/hyfiss.h"
#include "accelsim/input.h"
#include "accelsim/scan.h"

enum { COMMANDS_MOST = 1 << 24 };

static bool begins(const char *text, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - text) >= n && memcmp(text, with, n) == 0;
}

static struct list_command *append(struct list *list, const char *path, struct status *status)
{
    if (list->count >= COMMANDS_MOST) {
        status_fail(status, STATUS_FORMAT, "%s: more than %d commands", path, COMMANDS_MOST);
        return NULL;
    }
    if ((list->count & (list->count - 1)) == 0) { /* full at each power of two */
        struct list_command *grown =
            realloc(list->command, (list->count ? 2 * (size_t)list->count : 1) * sizeof *grown);
        if (!grown) {
            status_fail(status, STATUS_MEMORY, "%s: no memory for its commands", path);
            return NULL;
        }
        list->command = grown;
    }
    struct list_command *c = &list->command[list->count++];
    *c = (struct list_command){0};
    return c;
}

/* MemcpyHtoD,0x7f..,1024 */
static bool add_copy(struct list *list, const struct input *in, const char *text, struct status *status)
{
    char line[64];
    size_t n = 0;
    for (; text[n] != '\n' && n + 2 < sizeof line; n++)
        line[n] = text[n] == ',' ? ' ' : text[n];
    line[n] = '\n';
    const char *at = line;
    uint64_t address = 0, bytes = 0;
    while (!scan_ends_token(*at))
        at++;
    at = scan_blanks(at);
    bool good = scan_address(&at, &address);
    at = scan_blanks(at);
    good = good && scan_unsigned(&at, &bytes) && *scan_blanks(at) == '\n' && bytes <= UINT64_MAX - address;
    if (!good)
        return input_fail(in, status, "a copy is 'MemcpyHtoD,0x<address>,<bytes>'");
    struct list_command *c = append(list, in->path, status);
    if (c)
        *c = (struct list_command){.address = address, .bytes = bytes};
    return c != NULL;
}

/* The file may have been compressed after the list was written. */
static bool exists_as(char *path, size_t room, const char *suffix)
{
    size_t n = strlen(path);
    if (n + strlen(suffix) >= room)
        return false;
    memcpy(path + n, suffix, strlen(suffix) + 1);
    if (access(path, F_OK) == 0)
        return true;
    path[n] = '\0';
    return false;
}

static bool add_launch(struct list *list, const struct input *in, const char *text, const char *end,
                       struct status *status)
{
    char path[4096];
    const char *slash = strrchr(in->path, '/');
    int folder = slash ? (int)(slash - in->path) + 1 : 0;
    while (end > text && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
        end--;
    int n = snprintf(path, sizeof path, "%.*s%.*s", folder, in->path, (int)(end - text), text);
    if (n < 0 || (size_t)n >= sizeof path)
        return input_fail(in, status, "the path of the kernel's file is too long");
    if (access(path, F_OK) != 0 && !exists_as(path, sizeof path, ".xz"))
        exists_as(path, sizeof path, ".gz");
    struct list_command *c = append(list, in->path, status);
    if (!c)
        return false;
    list->launches++;
    c->file = strdup(path);
    return c->file || status_fail(status, STATUS_MEMORY, "%s: no memory for its commands", in->path);
}

static bool add_itself(struct list *list, const struct input *in, struct status *status)
{
    struct list_command *c = append(list, in->path, status);
    if (!c)
        return false;
    list->launches = 1;
    c->file = strdup(in->path);
    return c->file || status_fail(status, STATUS_MEMORY, "%s: no memory for its commands", in->path);
}

/* HyFiSS: -app_kernels_id 1,2,.. */
static bool add_kernels(struct list *list, const struct input *in, const char *at, struct status *status)
{
    while (!scan_ends_token(*at))
        at++;
    for (at = scan_blanks(at); scan_digit(*at) < 10; at += *at == ',') {
        char path[4096];
        uint64_t kernel = 0;
        for (; scan_digit(*at) < 10 && kernel <= INT32_MAX; at++)
            kernel = 10 * kernel + scan_digit(*at);
        if (kernel == 0 || kernel > INT32_MAX || !hyfiss_path(path, sizeof path, in->path, kernel))
            return input_fail(in, status, "kernels are numbered from 1 on, with a comma between them");
        struct list_command *c = append(list, in->path, status);
        if (!c)
            return false;
        list->launches++;
        c->file = strdup(path);
        if (!c->file)
            return status_fail(status, STATUS_MEMORY, "%s: no memory for its commands", in->path);
    }
    return *scan_blanks(at) == '\n' ||
           input_fail(in, status, "kernels are numbered from 1 on, with a comma between them");
}

static bool add_line(struct list *list, const struct input *in, const char *text, const char *end,
                     struct status *status)
{
    text = scan_blanks(text);
    if (begins(text, end, "MemcpyHtoD"))
        return add_copy(list, in, text, status);
    if (begins(text, end, "-app_kernels_id"))
        return add_kernels(list, in, text, status);
    if (begins(text, end, "kernel"))
        return add_launch(list, in, text, end, status);
    list->ignored += text < end;
    return true;
}

bool list_read(struct list *out, const char *path, struct status *status)
{
    struct input in;
    const char *text, *end;
    *out = (struct list){0};
    if (!input_open(&in, path, NULL, status))
        return false;
    bool good = true, alone = false;
    while (good && !alone && input_line(&in, &text, &end, status)) {
        alone = out->count == 0 && begins(text, end, "-kernel name");
        good = alone ? add_itself(out, &in, status) : add_line(out, &in, text, end, status);
    }
    if (good && status->code == STATUS_OK && out->launches == 0)
        status_fail(status, STATUS_FORMAT, "%s: no line begins with 'kernel': there is nothing to run", path);
    input_close(&in);
    if (status->code == STATUS_OK)
        return true;
    list_free(out);
    return false;
}

void list_free(struct list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->command[i].file);
    free(list->command);
    *list = (struct list){0};
}
