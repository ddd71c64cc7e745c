#include "driver/module/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { SYMBOL_OBJECT = 1 };

struct slot {
    const char *name; /* NULL: free */
    size_t index;
    bool kernel;
};

/* Open addressing, at most half full. */
struct names {
    struct slot *slots;
    size_t size; /* a power of two */
};

static bool is_variable(const struct cubin *cubin, const struct cubin_symbol *s)
{
    if (s->type != SYMBOL_OBJECT || s->section == 0 || s->section >= cubin->section_count || !s->name || !*s->name)
        return false;
    const char *section = cubin->sections[s->section].name;
    return strcmp(section, ".nv.global") == 0 || strcmp(section, ".nv.global.init") == 0 ||
           strcmp(section, ".nv.constant3") == 0;
}

static struct slot *slot_of(const struct names *names, const char *name, bool kernel)
{
    size_t i = (size_t)hash_mix(hash_bytes(HASH_SEED + kernel, name, strlen(name))) & (names->size - 1);
    while (names->slots[i].name && (names->slots[i].kernel != kernel || strcmp(names->slots[i].name, name) != 0))
        i = (i + 1) & (names->size - 1);
    return &names->slots[i];
}

static void enter(struct names *names, const char *name, size_t index, bool kernel)
{
    struct slot *slot = slot_of(names, name, kernel);
    if (!slot->name) /* of several the first */
        *slot = (struct slot){name, index, kernel};
}

struct names *names_create(const struct cubin *cubin)
{
    struct names *names = calloc(1, sizeof *names);
    size_t count = cubin->kernel_count;
    for (size_t i = 0; i < cubin->symbol_count; i++)
        count += is_variable(cubin, &cubin->symbols[i]);
    if (!names)
        return NULL;
    for (names->size = 16; names->size < 2 * count; names->size *= 2)
        ;
    names->slots = calloc(names->size, sizeof *names->slots);
    if (!names->slots) {
        free(names);
        return NULL;
    }
    for (size_t i = 0; i < cubin->kernel_count; i++)
        enter(names, cubin->kernels[i].name, i, true);
    for (size_t i = 0; i < cubin->symbol_count; i++)
        if (is_variable(cubin, &cubin->symbols[i]))
            enter(names, cubin->symbols[i].name, i, false);
    return names;
}

void names_free(struct names *names)
{
    if (names)
        free(names->slots);
    free(names);
}

static bool look_up(const struct names *names, const char *name, bool kernel, size_t *index)
{
    const struct slot *slot = slot_of(names, name, kernel);
    *index = slot->index;
    return slot->name != NULL;
}

bool names_kernel(const struct names *names, const char *name, size_t *index)
{
    return look_up(names, name, true, index);
}

bool names_variable(const struct names *names, const char *name, size_t *index)
{
    return look_up(names, name, false, index);
}
