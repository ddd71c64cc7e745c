#include "config/layer.h"

#include <string.h>

#include "config/reader.h"

size_t config_gpu_count(void)
{
    size_t count;
    embedded_configs(&count);
    return count;
}

const char *config_gpu_name(size_t index)
{
    size_t count;
    const struct embedded *files = embedded_configs(&count);
    return index < count ? files[index].name : NULL;
}

bool layer_is_path(const char *gpu)
{
    size_t length = strlen(gpu);
    return strchr(gpu, '/') || (length > 5 && strcmp(gpu + length - 5, ".toml") == 0);
}

static const struct embedded *find(const struct embedded *files, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

const struct embedded *layer_find_gpu(const char *name)
{
    size_t count;
    const struct embedded *files = embedded_configs(&count);
    return find(files, count, name);
}

const struct embedded *layer_find(const char *name)
{
    size_t count;
    const struct embedded *files = embedded_architectures(&count);
    const struct embedded *file = find(files, count, name);
    return file ? file : layer_find_gpu(name);
}

static void join(const struct embedded *files, size_t count, char out[LAYER_NAMES])
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < LAYER_NAMES; i++)
        used += (size_t)snprintf(out + used, LAYER_NAMES - used, "%s%s", i ? ", " : "", files[i].name);
}

void layer_names(char out[LAYER_NAMES])
{
    size_t count;
    const struct embedded *files = embedded_configs(&count);
    join(files, count, out);
}

void layer_architectures(char out[LAYER_NAMES])
{
    size_t count;
    const struct embedded *files = embedded_architectures(&count);
    join(files, count, out);
}

bool layer_apply(struct config *config, const struct embedded *file, unsigned depth, struct status *status)
{
    char name[CONFIG_TEXT + 16];
    snprintf(name, sizeof name, "%.60s.toml", file->name);
    return reader_apply(config, name, (const char *)file->data, file->size, depth, status);
}

const struct embedded *layer_source(const struct embedded *file, const char *section, const char *key, char *out,
                                    size_t room)
{
    char below[CONFIG_TEXT];
    while (file && !reader_comment((const char *)file->data, file->size, section, key, out, room))
        file = reader_inherits((const char *)file->data, file->size, below) ? layer_find(below) : NULL;
    return file;
}
