#include "config/layer.h"

#include <string.h>
#include <strings.h>

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

const char *config_baseline_name(size_t index)
{
    size_t count;
    const struct embedded *files = embedded_baselines(&count);
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
    const struct embedded *files = embedded_configs(&count), *file = find(files, count, name);
    if (file)
        return file;
    files = embedded_baselines(&count);
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

void layer_standards(char out[LAYER_NAMES])
{
    size_t count;
    const struct embedded *files = embedded_standards(&count);
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

static bool names_standard(const struct embedded *file)
{
    char comment[1];
    return reader_comment((const char *)file->data, file->size, "dram", "kind", comment, sizeof comment);
}

const struct embedded *layer_source(const struct embedded *file, const struct embedded *standard, const char *section,
                                    const char *key, char *out, size_t room)
{
    char below[CONFIG_TEXT];
    bool of_standard = strcmp(section, "standard") == 0;
    while (file && !reader_comment((const char *)file->data, file->size, section, key, out, room)) {
        if (of_standard && file != standard && names_standard(file))
            file = standard;
        else
            file = reader_inherits((const char *)file->data, file->size, below) ? layer_find(below) : NULL;
    }
    return file;
}

/* ---- DRAM standards ---------------------------------------------------------------------------------------------- */

const struct embedded *layer_standard_find(const char *name)
{
    size_t count;
    const struct embedded *files = embedded_standards(&count);
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

static void path_beside(const char *beside, const char *kind, char out[LAYER_PATH])
{
    const char *slash = strrchr(beside, '/');
    int folder = slash != NULL && kind[0] != '/' ? (int)(slash - beside) + 1 : 0;
    snprintf(out, LAYER_PATH, "%.*s%s", folder, beside, kind);
}

static bool unknown(const char *kind, struct status *status)
{
    char known[LAYER_NAMES];
    layer_standards(known);
    return status_fail(
        status, STATUS_CONFIG,
        "dram.kind = \"%.63s\": there is no such standard; known are %s, or give the path of a .toml file", kind,
        known);
}

bool layer_standard_apply(struct config *config, const char *beside, bool given[sizeof(struct config)],
                          struct status *status)
{
    char name[LAYER_PATH];
    struct file_bytes bytes;
    const char *kind = config->dram.kind;
    const struct embedded *file = layer_standard_find(kind);
    if (file == NULL && !layer_is_path(kind))
        return unknown(kind, status);
    if (file != NULL) {
        snprintf(name, sizeof name, "%s.toml", file->name);
        return reader_apply_standard(config, name, (const char *)file->data, file->size, given, status);
    }
    path_beside(beside, kind, name);
    if (!file_read(name, LAYER_FILE_LIMIT, &bytes, status))
        return false;
    bool ok = reader_apply_standard(config, name, (const char *)bytes.data, bytes.size, given, status);
    file_free(&bytes);
    return ok;
}

bool layer_standard_replace(struct config *config, struct status *status)
{
    bool given[sizeof(struct config)] = {false};
    return layer_standard_apply(config, "", given, status) && reader_check_standard(config, given, status);
}

bool layer_standard_text(const char *kind, const char *beside, struct embedded *found, struct file_bytes *bytes)
{
    char name[LAYER_PATH];
    struct status status = {0};
    const struct embedded *file = layer_standard_find(kind);
    if (file != NULL) {
        *found = *file;
        return true;
    }
    path_beside(beside, kind, name);
    if (!file_read(name, LAYER_FILE_LIMIT, bytes, &status))
        return false;
    *found = (struct embedded){kind, bytes->data, bytes->size};
    return true;
}
