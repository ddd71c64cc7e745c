#include "config/near.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "config/layer.h"
#include "config/option.h"

static const char *closest_section(const char *section)
{
    struct suggest suggest = suggest_begin(section);
    for (size_t s = 0; s < OPTION_SECTIONS; s++)
        suggest_try(&suggest, option_section(s).name);
    return suggest_best(&suggest);
}

static const char *closest_key(const char *section, const char *key)
{
    struct suggest suggest = suggest_begin(key);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section table = option_section(s);
        for (size_t i = 0; i < table.count && strcmp(table.name, section) == 0; i++)
            suggest_try(&suggest, table.options[i].key);
    }
    return suggest_best(&suggest);
}

/* The section that has the key, if it is only one. */
static const char *only_section_of(const char *key)
{
    const char *found = NULL;
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        const char *name = option_section(s).name;
        if (!option_find(name, key))
            continue;
        if (found)
            return NULL;
        found = name;
    }
    return found;
}

void near_key(const char *section, const char *key, char out[NEAR_TEXT])
{
    const char *in = only_section_of(key), *closest = key;
    if (!in) {
        in = option_section_exists(section) ? section : closest_section(section);
        closest = in ? closest_key(in, key) : NULL;
    }
    out[0] = '\0';
    if (closest)
        snprintf(out, NEAR_TEXT, ", did you mean %s.%s?", in, closest);
}

static void suggestion(const char *open, const char *best, const char *close, char out[NEAR_TEXT])
{
    out[0] = '\0';
    if (best)
        snprintf(out, NEAR_TEXT, ", did you mean %s%s%s?", open, best, close);
}

void near_section(const char *section, char out[NEAR_TEXT]) { suggestion("[", closest_section(section), "]", out); }

void near_layer(const char *name, char out[NEAR_TEXT])
{
    struct suggest suggest = suggest_begin(name);
    size_t count;
    const struct embedded *files = embedded_architectures(&count);
    for (size_t i = 0; i < count; i++)
        suggest_try(&suggest, files[i].name);
    files = embedded_configs(&count);
    for (size_t i = 0; i < count; i++)
        suggest_try(&suggest, files[i].name);
    suggestion("", suggest_best(&suggest), "", out);
}
