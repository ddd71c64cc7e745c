/* Mutations of traces that are the same in every run, replayed with time: mutate_timed FOLDER MUTATIONS. A run that
 * takes a minute is ended by SIGALRM, which fails the test. The mutation's number is printed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "timed_check.h"

enum { SECONDS = 60 };

struct draw {
    uint64_t seed, step;
};

static uint64_t draw(struct draw *d, uint64_t below) { return hash_mix(d->seed ^ hash_mix(d->step++)) % below; }

static void change_byte(struct draw *d, uint8_t *at)
{
    static const uint8_t odd[] = {0, 1, 0x40, 0x7f, 0x80, 0x84, 0xff};
    switch (draw(d, 4)) {
    case 0: *at ^= (uint8_t)(1u << draw(d, 8)); break;
    case 1: *at = odd[draw(d, sizeof odd)]; break;
    case 2: *at = (uint8_t)draw(d, 256); break;
    default: *at = (uint8_t)(*at + draw(d, 33) - 16); break;
    }
}

/* Changes some bytes of one part, most often near its begin. */
static void mutate(struct draw *d, uint8_t *data, size_t size)
{
    struct timed_parts parts = timed_split(data, size);
    unsigned i = (unsigned)draw(d, TIMED_PARTS);
    data[0] = (uint8_t)(draw(d, 3) ? data[0] : draw(d, 64));
    for (uint64_t changes = 1 + draw(d, 4); changes && parts.size[i]; changes--) {
        uint64_t within = draw(d, 2) && parts.size[i] > 64 ? 64 : parts.size[i];
        change_byte(d, data + parts.at[i] + draw(d, within));
    }
}

static bool run_file(const char *path, unsigned mutations)
{
    struct status status = {0};
    struct file_bytes bytes;
    if (!file_read(path, 1 << 20, &bytes, &status)) {
        printf("%s\n", status.text);
        return false;
    }
    uint8_t *copy = malloc(bytes.size + 1);
    for (unsigned i = 0; copy && i < mutations; i++) {
        struct draw d = {.seed = hash_mix(hash_bytes(HASH_SEED, bytes.data, bytes.size) + i)};
        memcpy(copy, bytes.data, bytes.size);
        mutate(&d, copy, bytes.size);
        printf("%s, mutation %u\n", path, i);
        fflush(stdout);
        alarm(SECONDS);
        timed_check(copy, bytes.size);
    }
    free(copy);
    file_free(&bytes);
    return true;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 3 ? opendir(argv[1]) : NULL;
    int bad = !folder;
    if (!folder)
        printf("usage: %s FOLDER MUTATIONS\n", argv[0]);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (entry->d_name[0] != '.')
            bad |= !run_file(path, (unsigned)atoi(argv[2]));
    }
    if (folder)
        closedir(folder);
    return bad;
}
