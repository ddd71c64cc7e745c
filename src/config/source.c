#include "config/source.h"

#include <string.h>

#include "base/text.h"
#include "config/layer.h"
#include "config/option.h"
#include "config/reader.h"

/* The defaults are the values of this GPU. */
static const char defaults_of[] = "rtx-a6000";

void config_origin_open(struct config_origin *origin, const char *gpu)
{
    struct status status = {0};
    *origin = (struct config_origin){.name = gpu};
    const struct embedded *file = layer_is_path(gpu) ? NULL : layer_find_gpu(gpu);
    if (!config_load(&origin->config, gpu, &status))
        return;
    if (file) {
        origin->text = (const char *)file->data;
        origin->size = file->size;
    } else if (file_read(gpu, LAYER_FILE_LIMIT, &origin->bytes, &status)) {
        origin->text = (const char *)origin->bytes.data;
        origin->size = origin->bytes.size;
    }
    const char *beside = file ? "" : gpu;
    layer_standard_text(origin->config.dram.kind, beside, &origin->standard, &origin->standard_bytes);
}

void config_origin_close(struct config_origin *origin)
{
    file_free(&origin->bytes);
    file_free(&origin->standard_bytes);
}

static bool find_option(size_t index, const char **section, const struct option **option)
{
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section table = option_section(s);
        *section = table.name;
        if (index < table.count) {
            *option = &table.options[index];
            return true;
        }
        index -= table.count;
    }
    return false;
}

size_t config_value_count(void)
{
    size_t count = 0;
    for (size_t s = 0; s < OPTION_SECTIONS; s++)
        count += option_section(s).count;
    return count;
}

/* The output of `subcore config` begins its comments with unit and sentence. The source stands behind a bar. */
static void drop_sentence(const struct option *option, char *comment)
{
    size_t unit = strlen(option->unit), sentence = strlen(option->sentence), used = unit ? unit + 2 : 0;
    if (strncmp(comment, option->unit, unit) != 0 || strncmp(comment + used, option->sentence, sentence) != 0)
        return;
    const char *bar = strstr(comment + used + sentence, " | ");
    memmove(comment, bar ? bar + 3 : "", bar ? strlen(bar + 3) + 1 : 1);
}

static void find_source(const struct config_origin *origin, const struct option *option, struct config_value *v)
{
    char original[OPTION_VALUE];
    const struct embedded top = {origin->name, (const unsigned char *)origin->text, origin->size};
    const struct embedded *file =
        layer_source(&top, &origin->standard, v->section, v->key, v->source, sizeof v->source);
    option_format(option, &origin->config, original);
    if (strcmp(original, v->text) != 0) {
        snprintf(v->from, sizeof v->from, "set");
        v->source[0] = '\0';
    } else if (file) {
        snprintf(v->from, sizeof v->from, "%.*s", (int)sizeof v->from - 1, file->name);
    } else {
        snprintf(v->from, sizeof v->from, "default");
        if (strcmp(v->text, "\"\"") != 0)
            layer_source(layer_find_gpu(defaults_of), layer_standard_find(origin->config.dram.kind), v->section, v->key,
                         v->source, sizeof v->source);
    }
    drop_sentence(option, v->source);
    text_make_printable(v->source, "");
    text_make_printable(v->from, "");
    v->assumed = strstr(v->source, "assumed") != NULL;
}

bool config_value_at(const struct config *config, const struct config_origin *origin, size_t index,
                     struct config_value *out)
{
    const char *section;
    const struct option *option;
    if (!find_option(index, &section, &option))
        return false;
    *out = (struct config_value){.section = section,
                                 .key = option->key,
                                 .unit = option->unit,
                                 .sentence = option->sentence,
                                 .summary = option_summary(option, config)};
    option_format(option, config, out->text);
    if (origin->text)
        find_source(origin, option, out);
    return true;
}

void config_value_json(const struct config *config, size_t index, struct json *json, const char *key)
{
    const char *section;
    const struct option *option;
    if (find_option(index, &section, &option))
        option_json(option, config, json, key);
}
