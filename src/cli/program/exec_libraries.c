#include "cli/program/exec_libraries.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/version.h"

/* In the order in which they are loaded. The runtimes and cuBLAS have versions on their names: a library for CUDA 12
 * finds those of 12. cublasLt and cuSOLVER are in the file of cuBLAS. */
static const char *const names[] = {"libcuda.so.1",      "libcudart.so.13", "libcudart.so.12", "libcublas.so.13",
                                    "libcublas.so.12",   "libcudnn.so.9",   "libcufft.so.12",  "libcufft.so.11",
                                    "libcusparse.so.12", "libcurand.so.10", "libnccl.so.2",    "libcupti.so.13",
                                    "libcupti.so.12"};
enum { NAMES = sizeof names / sizeof names[0] };

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

/* Puts `place` behind the folder, or in its place when it is a path from the root. Keeps the first name that is not
 * there in `missing`. */
static bool try_folder(struct exec_libraries *l, const char *own, const char *place, const char **missing)
{
    snprintf(l->folder, sizeof l->folder, "%s%s%s", place[0] == '/' ? "" : own, place[0] == '/' ? "" : "/", place);
    /* Spaces separate the paths of LD_PRELOAD. Names without a folder are found by LD_LIBRARY_PATH. */
    bool spaces = strchr(l->folder, ' ') != NULL;
    size_t used = 0;
    for (size_t i = 0; i < NAMES; i++) {
        char path[sizeof l->folder];
        int n = snprintf(path, sizeof path, "%s/%s", l->folder, names[i]);
        *missing = names[i];
        if (n < 0 || (size_t)n >= sizeof path || access(path, R_OK) != 0)
            return false;
        used += (size_t)snprintf(l->preload + used, sizeof l->preload - used, "%s%s", i > 0 ? ":" : "",
                                 spaces ? names[i] : path);
    }
    return used < sizeof l->preload;
}

bool exec_libraries_find(struct exec_libraries *libraries, struct status *status)
{
    char own[sizeof libraries->folder];
    const char *missing, *other;
    if (!own_folder(own, sizeof own))
        return status_fail(status, STATUS_IO, "/proc/self/exe does not tell where this program is");
    if (try_folder(libraries, own, "lib", &missing) || try_folder(libraries, own, CLI_LIBRARIES, &other))
        return true;
    return status_fail(status, STATUS_IO,
                       "the libraries of CUDA programs are neither in %.100s/lib (no %s) nor in %.100s (no %s): build "
                       "or install them with this program",
                       own, missing, libraries->folder, other);
}
