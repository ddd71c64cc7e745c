#include <string.h>

#include "base/hash.h"
#include "config/layer.h"
#include "config/option.h"

/* The embedded file of a GPU, with the values it gives; `file` is NULL for a GPU from elsewhere. */
struct origin {
    const struct embedded *file;
    struct config config;
};

static void find_origin(struct origin *origin, const char *gpu)
{
    struct status status = {0};
    origin->file = layer_find_gpu(gpu);
    config_defaults(&origin->config);
    if (origin->file && !config_load(&origin->config, gpu, &status))
        origin->file = NULL;
}

/* Where a value is from: the name of the embedded file that gives it, and the comment that stands there. */
static void find_source(const struct origin *origin, const char *section, const struct option *option,
                        const char *value, char *out, size_t room)
{
    char original[OPTION_VALUE], comment[512];
    out[0] = '\0';
    if (!origin->file)
        return;
    option_format(option, &origin->config, original);
    const struct embedded *file = layer_source(origin->file, section, option->key, comment, sizeof comment);
    if (strcmp(original, value) != 0)
        snprintf(out, room, "set");
    else if (!file)
        snprintf(out, room, "default");
    else
        snprintf(out, room, "%s: %s", file->name, comment);
}

static void print_option(const struct origin *origin, const char *section, const struct option *option,
                         const struct config *config, FILE *out)
{
    char value[OPTION_VALUE], source[600], line[OPTION_VALUE + 64];
    option_format(option, config, value);
    find_source(origin, section, option, value, source, sizeof source);
    snprintf(line, sizeof line, "%s = %s", option->key, value);
    fprintf(out, "%-31s # %s%s%s", line, option->unit, option->unit[0] ? ": " : "", option->sentence);
    fprintf(out, source[0] ? " | %s\n" : "%s\n", source);
}

void config_print(const struct config *config, const char *gpu, FILE *out)
{
    struct origin origin;
    find_origin(&origin, gpu);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        fprintf(out, "%s[%s]\n", s ? "\n" : "", section.name);
        for (size_t i = 0; i < section.count; i++)
            print_option(&origin, section.name, &section.options[i], config, out);
    }
}

static void json_option(const struct option *option, const struct config *config, struct json *json)
{
    switch (option->kind) {
    case OPTION_UINT: json_uint(json, option->key, option_uint(option, config)); break;
    case OPTION_REAL: json_number(json, option->key, option_real(option, config), 17); break;
    case OPTION_BOOL: json_bool(json, option->key, option_bool(option, config)); break;
    case OPTION_ENUM:
    case OPTION_TEXT: json_string(json, option->key, option_text(option, config)); break;
    }
}

void config_json(const struct config *config, struct json *json, const char *key)
{
    json_object(json, key);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        json_object(json, section.name);
        for (size_t i = 0; i < section.count; i++)
            json_option(&section.options[i], config, json);
        json_end(json);
    }
    json_end(json);
}

uint64_t config_hash(const struct config *config)
{
    uint64_t hash = HASH_SEED;
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        for (size_t i = 0; i < section.count; i++) {
            char value[OPTION_VALUE];
            option_format(&section.options[i], config, value);
            hash = hash_bytes(hash, section.name, strlen(section.name) + 1);
            hash = hash_bytes(hash, section.options[i].key, strlen(section.options[i].key) + 1);
            hash = hash_bytes(hash, value, strlen(value) + 1);
        }
    }
    return hash;
}
