#include "check/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int check_append(struct check_found *found, const char *path)
{
    int file = -1, error = 0;
    for (uint32_t i = 0; i < found->count && !error; i++) {
        struct check_finding *f = &found->item[i];
        if (f->count == f->told)
            continue;
        struct check_finding since = *f;
        since.count -= f->told;
        since.told = sizeof since; /* so that the reader knows the contents */
        if (file < 0)
            file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        errno = 0;
        ssize_t n = file < 0 ? -1 : write(file, &since, sizeof since);
        if (n != (ssize_t)sizeof since)
            error = errno ? errno : ENOSPC;
        f->told = f->count;
    }
    if (file >= 0)
        close(file);
    return error;
}

bool check_collect(struct check_found *found, const char *path, struct status *status)
{
    struct check_finding f;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return errno == ENOENT || status_fail(status, STATUS_IO, "%.300s: %s", path, strerror(errno));
    bool good = true;
    while (good && fread(&f, sizeof f, 1, file) == 1) {
        good = f.told == sizeof f && f.kind < CHECK_KIND_COUNT && f.memory <= CHECK_LOCAL;
        if (good)
            check_found_merge(found, &f);
    }
    fclose(file);
    return good || status_fail(status, STATUS_FORMAT, "%.300s: these are no findings of this version", path);
}
