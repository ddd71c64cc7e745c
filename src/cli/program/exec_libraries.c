#include "cli/program/exec_libraries.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/version.h"

static const char driver[] = "libcuda.so.1", runtime[] = "libcudart.so.13", profiling[] = "libcupti.so.13";

/* The folder of the program that runs, without the last slash. */
static bool own_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* Puts `place` behind the folder, or in its place when it is a path from the root. */
static bool try_folder(struct exec_libraries *l, const char *own, const char *place)
{
    char one[sizeof l->folder], two[sizeof l->folder], three[sizeof l->folder];
    snprintf(l->folder, sizeof l->folder, "%s%s%s", place[0] == '/' ? "" : own, place[0] == '/' ? "" : "/", place);
    int a = snprintf(one, sizeof one, "%s/%s", l->folder, driver);
    int b = snprintf(two, sizeof two, "%s/%s", l->folder, runtime);
    int c = snprintf(three, sizeof three, "%s/%s", l->folder, profiling);
    if (a < 0 || b < 0 || c < 0 || (size_t)a >= sizeof one || (size_t)b >= sizeof two || (size_t)c >= sizeof three)
        return false;
    /* Spaces separate the paths of LD_PRELOAD. Names without a folder are found by LD_LIBRARY_PATH. */
    bool spaces = strchr(l->folder, ' ') != NULL;
    snprintf(l->preload, sizeof l->preload, "%s:%s:%s", spaces ? driver : one, spaces ? runtime : two,
             spaces ? profiling : three);
    return access(one, R_OK) == 0 && access(two, R_OK) == 0 && access(three, R_OK) == 0;
}

bool exec_libraries_find(struct exec_libraries *libraries, struct status *status)
{
    char own[sizeof libraries->folder];
    if (!own_folder(own, sizeof own))
        return status_fail(status, STATUS_IO, "/proc/self/exe does not tell where this program is");
    if (try_folder(libraries, own, "lib") || try_folder(libraries, own, CLI_LIBRARIES))
        return true;
    return status_fail(status, STATUS_IO,
                       "%s, %s and %s are neither in %.100s/lib nor in %.100s: build or install them with this program",
                       driver, runtime, profiling, own, libraries->folder);
}
