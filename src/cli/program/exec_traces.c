#include "cli/program/exec_traces.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/trace/recording.h"
#include "report/trace_path.h"

static const char suffix[] = ".%p";

static bool too_long(const struct exec_traces *t, struct status *status)
{
    return status_fail(status, STATUS_USAGE, "--record %.200s: the path is too long", t->asked);
}

/* A folder that is missing is better found now than when the program has run. */
static bool check_folder(const struct exec_traces *t, struct status *status)
{
    char folder[PATH_MAX + 8];
    snprintf(folder, sizeof folder, "%s", t->pattern);
    *(strrchr(folder, '/') + 1) = '\0';
    return access(folder, W_OK | X_OK) == 0 ||
           status_fail(status, STATUS_IO, "--record %.200s: %.200s: %s", t->asked, folder, strerror(errno));
}

bool exec_traces_prepare(struct exec_traces *t, const char *asked, struct status *status)
{
    char folder[PATH_MAX] = "";
    *t = (struct exec_traces){.asked = asked};
    if (!asked)
        return true;
    if (strcmp(asked, "-") == 0)
        return status_fail(status, STATUS_USAGE, "a trace cannot be written to standard output: name a file");
    t->renamed = strstr(asked, TRACE_PATH_PROCESS) == NULL;
    if (asked[0] != '/' && !getcwd(folder, sizeof folder - 1))
        return too_long(t, status);
    int n = snprintf(t->pattern, sizeof t->pattern, "%s%s%s%s", folder, asked[0] != '/' ? "/" : "", asked,
                     t->renamed ? suffix : "");
    if (n < 0 || n >= PATH_MAX)
        return too_long(t, status);
    return check_folder(t, status);
}

/* The name of the trace with this number, from 0, of those that there are. */
static void final_name(const struct exec_traces *t, const char *written, unsigned number, char *name, size_t size)
{
    if (!t->renamed)
        snprintf(name, size, "%s", written);
    else if (number == 0)
        snprintf(name, size, "%s", t->asked);
    else
        snprintf(name, size, "%s.%u", t->asked, number + 1);
}

/* Traces that a crashed process has begun: files beside the trace with its name and the process's number once more. */
static void remove_rest(const char *written, int process)
{
    char folder[PATH_MAX + 32], begin[PATH_MAX + 64], path[2 * PATH_MAX];
    const char *base = strrchr(written, '/') + 1;
    snprintf(folder, sizeof folder, "%.*s", (int)(base - written), written);
    int length = snprintf(begin, sizeof begin, "%s.%d.", base, process);
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        if (length < 0 || strncmp(entry->d_name, begin, (size_t)length) != 0)
            continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        unlink(path);
    }
    if (entries)
        closedir(entries);
}

static bool collect(const struct exec_traces *t, const char *written, unsigned number, FILE *out, struct status *status)
{
    char name[PATH_MAX + 16], text[RECORDING_TEXT];
    final_name(t, written, number, name, sizeof name);
    if (t->renamed && rename(written, name) != 0)
        return status_fail(status, STATUS_IO, "%.200s: %s", name, strerror(errno));
    if (!recording_describe(name, text, status))
        return false;
    if (out)
        fprintf(out, "subcore: trace %s: %s\n", name, text);
    return true;
}

bool exec_traces_collect(const struct exec_traces *t, const struct launches *launches, FILE *out, struct status *status)
{
    unsigned count = 0;
    if (!t->asked)
        return true;
    for (size_t i = 0; i < launches->process_count; i++) {
        char written[PATH_MAX + 32];
        trace_path_of(t->pattern, launches->processes[i], written, sizeof written);
        if (access(written, F_OK) == 0) {
            if (!collect(t, written, count++, out, status))
                return false;
        } else {
            remove_rest(written, launches->processes[i]);
        }
    }
    return count > 0 ||
           status_fail(status, STATUS_IO, "%.200s: no trace: the program recorded no launch, or it ended by a signal",
                       t->asked);
}
