#include <string.h>

#include "base/hash.h"
#include "config/option.h"
#include "config/source.h"

static void print_value(const struct config_value *v, FILE *out)
{
    char line[CONFIG_VALUE + 64];
    snprintf(line, sizeof line, "%s = %s", v->key, v->text);
    fprintf(out, "%-31s # %s%s%s", line, v->unit, v->unit[0] ? ": " : "", v->sentence);
    if (v->summary[0])
        fprintf(out, ": %s", v->summary);
    if (v->from[0])
        fprintf(out, " | %s%s%s", v->from, v->source[0] ? ": " : "", v->source);
    fputc('\n', out);
}

void config_print(const struct config *config, const char *gpu, FILE *out)
{
    struct config_origin origin;
    struct config_value value;
    const char *section = NULL;
    config_origin_open(&origin, gpu);
    for (size_t i = 0; config_value_at(config, &origin, i, &value); i++) {
        if (!section || strcmp(section, value.section) != 0)
            fprintf(out, "%s[%s]\n", section ? "\n" : "", value.section);
        section = value.section;
        print_value(&value, out);
    }
    config_origin_close(&origin);
}

void config_json(const struct config *config, struct json *json, const char *key)
{
    json_object(json, key);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        json_object(json, section.name);
        for (size_t i = 0; i < section.count; i++)
            option_json(&section.options[i], config, json, section.options[i].key);
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
