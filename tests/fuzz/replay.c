/* Feeds files to a fuzz target, in place of libFuzzer: replay FOLDER. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    struct status status = {0};
    struct file_bytes bytes;
    if (!file_read(path, 1 << 24, &bytes, &status)) {
        printf("%s\n", status.text);
        return 1;
    }
    /* A block of exactly the size, so that the address sanitizer sees a read behind the end. */
    uint8_t *exact = malloc(bytes.size ? bytes.size : 1);
    for (size_t i = 0; exact && i < bytes.size; i++)
        exact[i] = bytes.data[i];
    if (exact)
        LLVMFuzzerTestOneInput(exact, bytes.size);
    free(exact);
    file_free(&bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = 0, count = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        printf("usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        bad += replay(path);
        count++;
    }
    closedir(folder);
    printf("%d inputs\n", count);
    return bad || count == 0;
}
