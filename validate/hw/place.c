#include "place.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *skip(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : text;
}

void place_name(const char *product, char *name, size_t size)
{
    /* Products whose names also say board or memory. */
    static const char *const known[][2] = {
        {"A100-SXM4-40GB", "a100"}, {"A100-PCIE-40GB", "a100"},      {"H100 80GB HBM3", "h100-sxm"},
        {"P100-SXM2-16GB", "p100"}, {"V100-SXM2-16GB", "v100-sxm2"}, {"V100-SXM2-32GB", "v100-sxm2"},
    };
    size_t used = 0;
    product = skip(product, "NVIDIA ");
    product = skip(product, "Tesla ");
    product = skip(product, "Quadro ");
    product = skip(product, "GeForce ");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(product, known[i][0]) == 0) {
            snprintf(name, size, "%s", known[i][1]);
            return;
        }
    }
    for (; *product && used + 1 < size; product++)
        name[used++] = isalnum((unsigned char)*product) ? (char)tolower((unsigned char)*product) : '-';
    name[used] = '\0';
}

static bool has_cubins(const char *folder)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/micro/cubin", folder);
    bool micro = access(path, R_OK) == 0;
    snprintf(path, sizeof path, "%s/kernels/cubin", folder);
    return micro && access(path, R_OK) == 0;
}

static bool try(const char *base, const char *below, char *folder, size_t size)
{
    int length = snprintf(folder, size, "%s%s%s", base, *below ? "/" : "", below);
    return length > 0 && (size_t)length < size && has_cubins(folder);
}

bool place_folder(const char *given, char *folder, size_t size)
{
    static const char *const below[] = {"", "validate", "..", "../validate", "../.."};
    char own[4096];
    if (given)
        return try(given, "", folder, size) || try(given, "validate", folder, size);
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++)
        if ((slash && try(own, below[i], folder, size)) || try(".", below[i], folder, size))
            return true;
    return false;
}
