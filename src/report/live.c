#include "report/live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/format.h"

enum { BYTES = LIVE_PROCESSES * sizeof(struct live_place) };

static bool path_of(const char *records, char path[static PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s.live", records);
    return n > 0 && n < PATH_MAX;
}

bool live_create(const char *records, struct status *status)
{
    char path[PATH_MAX] = "";
    int file = path_of(records, path) ? open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    int error = file < 0 ? errno : posix_fallocate(file, 0, BYTES);
    if (file >= 0)
        close(file);
    return error == 0 || status_fail(status, STATUS_IO, "%.300s: %s; TMPDIR names another place for temporary files",
                                     path, strerror(error));
}

/* Refuses a file of another size, since pages behind its end cannot be touched. */
static struct live_place *map(const char *records, int flags, int protection)
{
    char path[PATH_MAX];
    struct stat info;
    int file = path_of(records, path) ? open(path, flags | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (file < 0)
        return NULL;
    void *at = fstat(file, &info) == 0 && info.st_size == BYTES ? mmap(NULL, BYTES, protection, MAP_SHARED, file, 0)
                                                                : MAP_FAILED;
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

struct live_place *live_join(const char *records)
{
    struct live_place *places = records ? map(records, O_RDWR, PROT_READ | PROT_WRITE) : NULL;
    for (unsigned i = 0; places && i < LIVE_PROCESSES; i++) {
        int nobody = 0;
        if (atomic_compare_exchange_strong(&places[i].process, &nobody, (int)getpid()))
            return &places[i]; /* mapped until the process ends */
    }
    if (places)
        munmap(places, BYTES);
    return NULL;
}

size_t live_read(const char *records, struct live_place places[static LIVE_PROCESSES])
{
    struct live_place *from = map(records, O_RDONLY, PROT_READ);
    size_t count = 0;
    for (unsigned i = 0; from && i < LIVE_PROCESSES; i++) {
        if (!atomic_load(&from[i].process))
            continue;
        memcpy(&places[count], &from[i], sizeof places[count]);
        places[count++].kernel[RESULT_NAME - 1] = '\0';
    }
    if (from)
        munmap(from, BYTES);
    return count;
}

void live_text(const struct live_place *place, char text[static LIVE_TEXT])
{
    char cycle[FORMAT_TEXT + 16] = "";
    if (place->cycle > 0)
        snprintf(cycle, sizeof cycle, ", cycle %s", format_count(place->cycle).text);
    if (place->ctas == 0)
        snprintf(text, LIVE_TEXT, "%.200s: it had just begun", place->kernel);
    else
        snprintf(text, LIVE_TEXT, "%.200s: %s of %s CTAs completed%s, %s warp instructions", place->kernel,
                 format_count(place->ctas_done).text, format_count(place->ctas).text, cycle,
                 format_count(place->instructions).text);
}
